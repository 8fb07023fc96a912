/** What the bodies of many requests hold in memory at once. */
import { expect, test } from "vitest";
import { ownerOf } from "../../../../src/core/fair-order.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { DEFAULT_TEAM_ID } from "../../../../src/services/account/bootstrap-keys.ts";
import { createIdempotencyKeys } from "../../../../src/storage/jobs/idempotency-keys.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../../fakes/memory/memory-scrapes.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const LONG = 300_000;
const PIECE = 10_000;
const JSON_TYPE = "application/json";
const FORM_TYPE = "multipart/form-data; boundary=a-line";
const encode = (text: string) => new TextEncoder().encode(text);
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const longJson = encode(
  JSON.stringify({ url: "https://a.example/", formats: ["no such format"], x: "x".repeat(LONG) }),
);
const longForm = encode(
  `--a-line\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${"x".repeat(LONG)}\r\n--a-line--\r\n`,
);

/** The service with little memory, and how many bytes of bodies without an answer it has read. */
function busyService() {
  const memory = new HeldBytes({ ofTeam: 700_000, inAll: 1_000_000 });
  const stores = { scrapes: memoryScrapes(), pageCache: emptyPageCache(), files: memoryFiles() };
  const deps = testDeps({ memory, idempotencyKeys: createIdempotencyKeys(nodeD1()), ...stores });
  const service = testApp(deps);
  let unanswered = 0;
  /** Sends all but the end of a body, which comes when it is released. */
  const send = (path: string, { bytes, type, length }: { bytes: Uint8Array; type: string; length?: number }) => {
    const end = Promise.withResolvers<void>();
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (at + PIECE >= bytes.length) await end.promise;
        const piece = bytes.slice(at, at + PIECE);
        if (piece.length === 0) return controller.close();
        at += piece.length;
        unanswered += piece.length;
        controller.enqueue(piece);
      },
    });
    const headers = { "Content-Type": type, ...(length === undefined ? {} : { "Content-Length": String(length) }) };
    // Node requires `duplex` for a stream.
    const init = { method: "POST", headers, body, duplex: "half" };
    const response = service.ask(path, init).then(async ({ status, body: answer }) => {
      unanswered -= at;
      // An answer that is not read counts as well.
      await new Response(answer).text();
      return { status };
    });
    return { response, finish: () => end.resolve() };
  };
  return { ...service, memory, send, unanswered: () => unanswered };
}

test.each([
  { what: "JSON bodies", path: "/v2/scrape", bytes: longJson, type: JSON_TYPE, status: 400 },
  { what: "forms", path: "/v2/parse", bytes: longForm, type: FORM_TYPE, status: 200 },
])("of many long $what at once, the service reads few to their end", async ({ path, bytes, type, status }) => {
  const { send, unanswered } = busyService();
  const sent = Array.from({ length: 12 }, () => send(path, { bytes, type, length: bytes.length }));
  await settled();
  // Two of them, and 64 kB of each other one.
  expect(unanswered()).toBeLessThan(2 * bytes.length + 10 * 90_000);
  for (const { finish } of sent) finish();
  for (const { response } of sent) expect((await response).status).toBe(status);
});

test("a long body in chunks holds as much as it has when it has arrived, and nothing when it is answered", async () => {
  const { send, memory } = busyService();
  const owner = ownerOf({ id: "other", teamId: `bodies of ${DEFAULT_TEAM_ID}` });
  const { response, finish } = send("/v2/scrape", { bytes: longJson, type: JSON_TYPE });
  await expect.poll(() => memory.bytesOf(owner.teamId)).toBe(10 * 1024 * 1024);
  finish();
  expect((await response).status).toBe(400);
  expect(memory.bytesOf(owner.teamId)).toBe(0);
});

test("short bodies hold nothing, and are read while long ones hold all", async () => {
  const { send, post, memory } = busyService();
  const { response, finish } = send("/v2/scrape", { bytes: longJson, type: JSON_TYPE });
  await settled();
  expect((await post("/v2/scrape", { url: "https://a.example/", formats: ["none"] })).status).toBe(400);
  expect(memory.bytesOf(DEFAULT_TEAM_ID)).toBe(0);
  finish();
  await response;
});

test("a long body that finds no room in time is refused with 429", async () => {
  const { ask, memory } = busyService();
  const take = memory.take.bind(memory);
  memory.take = (owner, bytes, limit) => take(owner, bytes, { ...limit, deadlineMs: Date.now() + 20 });
  memory.hold({ teamId: `bodies of ${DEFAULT_TEAM_ID}`, keyId: "k" }, 700_000);
  const refused = await ask("/v2/scrape", { method: "POST", headers: { "Content-Type": JSON_TYPE }, body: longJson });
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "5"]);
  expect(await refused.json()).toMatchObject({ error: expect.stringContaining("hold too much memory") });
});

test("a body without a key has 64 kB at most", async () => {
  const { app } = testApp();
  const headers = { "Content-Type": JSON_TYPE };
  const send = (chars: number) =>
    app.request("/v2/monitor/email/confirm", { method: "POST", headers, body: `{"token":"${"x".repeat(chars)}"}` });
  expect((await send(70_000)).status).toBe(413);
  expect((await send(20)).status).toBe(404);
});

test.each([
  { what: "malformed", body: `{"url": "${"x".repeat(LONG)}`, error: "malformed JSON" },
  {
    what: "of another form",
    body: JSON.stringify({ url: 7, x: "x".repeat(LONG) }),
    error: 'documentation for request body changes: "x"',
  },
])("a long body that is $what is refused as a short one is", async ({ body, error }) => {
  const { ask } = busyService();
  const headers = { "Content-Type": JSON_TYPE, "x-idempotency-key": crypto.randomUUID() };
  const refused = await ask("/v2/scrape", { method: "POST", headers, body });
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: expect.stringContaining(error) }]);
});

test("the value of a long body is what its request reads, and its text is not kept", async () => {
  const { ask, post } = busyService();
  const tags = Array.from({ length: 400 }, (_, at) => `.note-${at}-${"x".repeat(200)}`);
  const key = crypto.randomUUID();
  const options = { headers: { "x-idempotency-key": key } };
  const body = { url: "https://a.example/", excludeTags: tags, formats: ["none"] };
  const refused = await post("/v2/scrape", body, options);
  expect(await refused.json()).toMatchObject({ details: [{ path: ["formats", 0] }] });
  expect((await ask("/v2/scrape", { method: "POST", body: encode(JSON.stringify(body)) })).status).toBe(400);
});
