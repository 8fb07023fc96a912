import { Hono } from "hono";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { Engine } from "../../../../src/engines/engine.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import type { AppEnv } from "../../../../src/http/context.ts";
import { countLongJson } from "../../../../src/http/scrape/counted-body.ts";
import { UnreadDocuments } from "../../../../src/http/scrape/unread-documents.ts";
import { DEFAULT_TEAM_ID } from "../../../../src/services/account/bootstrap-keys.ts";
import { createIdempotencyKeys } from "../../../../src/storage/jobs/idempotency-keys.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../../fakes/memory/memory-scrapes.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

afterEach(() => void vi.restoreAllMocks());

const LONG = "🧀x".repeat(1_000_000);

function documents() {
  let nowMs = 0;
  const memory = new HeldBytes({ ofTeam: 6_000_000, inAll: 12_000_000, nowMs: () => nowMs });
  const unread = new UnreadDocuments({ nowMs: () => nowMs });
  const owner = { teamId: "t", keyId: "k" };
  const hasRoom = (teamId = "t"): boolean => {
    try {
      unread.checkRoom(memory, { teamId, keyId: "k" });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: 1 });
      return false;
    }
  };
  const send = (left?: AbortSignal) => new Response(unread.bodyOf(LONG, { memory, owner, left }));
  return { memory, owner, unread, hasRoom, send, pass: (ms: number) => void (nowMs += ms) };
}

test("a long document is sent in pieces, and a short one as it is", async () => {
  const { unread, memory, owner, send } = documents();
  expect(await send().text()).toBe(LONG);
  expect(unread.bodyOf("{}", { memory, owner })).toBe("{}");
  expect(memory.bytesOf("t")).toBe(0);
});

test("documents that the clients of a team do not read leave no room for its further ones", async () => {
  const { hasRoom, send } = documents();
  const [first, second] = [send(), send()];
  expect(hasRoom()).toBe(false);
  expect(hasRoom("other")).toBe(true);
  await first.text();
  expect(hasRoom()).toBe(true);
  send();
  expect(hasRoom()).toBe(false);
  await second.body?.cancel();
  expect(hasRoom()).toBe(true);
});

test("the document of a client that has left, or reads nothing for two minutes, no longer counts", () => {
  const { hasRoom, send, pass } = documents();
  const leaving = new AbortController();
  send();
  send(leaving.signal);
  expect(hasRoom()).toBe(false);
  leaving.abort();
  expect(hasRoom()).toBe(true);
  send();
  expect(hasRoom()).toBe(false);
  pass(121_000);
  expect(hasRoom()).toBe(true);
});

test("a team whose clients have little to read is not refused for what others hold", async () => {
  const { memory, unread, owner, hasRoom, send } = documents();
  memory.hold({ teamId: "other", keyId: "k" }, 12_000_000);
  void new Response(unread.bodyOf("x".repeat(300_000), { memory, owner }));
  expect(hasRoom()).toBe(true);
  const long = send();
  expect(hasRoom()).toBe(true);
  send();
  expect(hasRoom()).toBe(false);
  await long.text();
  expect(hasRoom()).toBe(true);
});

test("without room, a scrape and the reading of one are refused before they cost anything", async () => {
  const check = vi.spyOn(UnreadDocuments.prototype, "checkRoom").mockImplementation(() => {
    throw new AppError("RATE_LIMITED", "Too much", { retryAfterSeconds: 1 });
  });
  try {
    const clock = fixedClock(Date.now());
    const keyLedger = memoryKeyLedger(clock);
    const app = testApp(testDeps({ clock, keyLedger }));
    const answers = [
      await app.post("/v2/scrape", { url: "https://a.example/" }),
      await app.ask("/v2/scrape/01a22db7-51d7-8572-8000-000000000042"),
    ];
    for (const { status, headers } of answers) expect([status, headers.get("Retry-After")]).toEqual([429, "1"]);
    expect(keyLedger.calls).toBe(0);
  } finally {
    check.mockRestore();
  }
});

const engine: Engine = {
  engine: "fetch",
  provides: new Set(),
  load: async ({ url }) => {
    const body = `<article><p>${"Orb-weavers build anew. ".repeat(20_000)}</p></article>`;
    const page = { engine: "fetch" as const, url, statusCode: 200, headers: {}, contentType: "text/html" };
    return { kind: "loaded", page: { ...page, body, warnings: [] } };
  },
};

/** The service with pages of half a million characters, and how many characters of them the clients have not read. */
function longPages() {
  const counting = vi.spyOn(UnreadDocuments.prototype, "bodyOf");
  const clock = fixedClock(Date.now());
  const blobs = memoryBlobs();
  const stores = { scrapes: memoryScrapes(), pageCache: emptyPageCache(), files: memoryFiles(), blobs };
  const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
  const idempotencyKeys = createIdempotencyKeys(nodeD1());
  const deps = testDeps({ clock, engines: [engine], idempotencyKeys, sleep, ...stores });
  const app = testApp(deps);
  const scrape = (headers: Record<string, string> = {}) =>
    app.post("/v2/scrape", { url: "https://a.example/", formats: ["rawHtml"], maxAge: 0 }, { headers });
  const unreadChars = (): number => {
    const unread = counting.mock.contexts.find((each) => each instanceof UnreadDocuments);
    return unread?.charsOf(DEFAULT_TEAM_ID) ?? expect.fail("No document was sent");
  };
  return { ...app, blobs, scrape, unreadChars };
}

test.each([
  { what: "as it is", header: "x-other" },
  { what: "with hints", header: "X-Firecrawl-Agent-Hints", value: "true" },
  { what: "under an idempotency key", header: "x-idempotency-key", value: crypto.randomUUID() },
])("a document that is sent $what counts until it is read", async ({ header, value = "" }) => {
  const service = longPages();
  const response = await service.scrape({ [header]: value });
  expect(service.unreadChars()).toBeGreaterThan(400_000);
  expect(await response.json()).toMatchObject({ success: true, data: { rawHtml: expect.stringContaining("anew") } });
  expect(service.unreadChars()).toBe(0);
});

test("the repeat of a request is streamed from storage, and the response to HEAD does not count", async () => {
  const service = longPages();
  const headers = { "x-idempotency-key": crypto.randomUUID(), "X-Firecrawl-Agent-Hints": "true" };
  const first = await (await service.scrape(headers)).text();
  const whole = vi.spyOn(service.blobs, "text");
  const repeat = await service.scrape(headers);
  expect(repeat.headers.get("Content-Type")).toContain("application/json");
  expect(await repeat.text()).toBe(first);
  expect(whole).not.toHaveBeenCalled();
  const { data } = JSON.parse(first) as { data: { metadata: { scrapeId: string } } };
  const head = await service.ask(`/v2/scrape/${data.metadata.scrapeId}`, { method: "HEAD" });
  expect(head.status).toBe(200);
  expect(service.unreadChars()).toBe(0);
});

test("the document of a client that leaves while it is sent no longer counts", async () => {
  const service = longPages();
  const leaving = new AbortController();
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ url: "https://a.example/", formats: ["rawHtml"], maxAge: 0 });
  const response = await service.ask("/v2/scrape", { method: "POST", headers, body, signal: leaving.signal });
  expect(response.status).toBe(200);
  expect(service.unreadChars()).toBeGreaterThan(400_000);
  leaving.abort();
  expect(service.unreadChars()).toBe(0);
});

describe("the JSON of any handler", () => {
  /** A handler that answers with a text, and the bytes that its team holds. */
  function answering(text: string) {
    const memory = new HeldBytes();
    const app = new Hono<AppEnv>();
    app.use(async (c, next) => {
      c.set("deps", testDeps({ memory }));
      c.set("connection", new AbortController().signal);
      // Only the key's team is looked at: hence the cast.
      c.set("caller", { key: { id: "k", teamId: "t" } } as never);
      await next();
    });
    app.use(countLongJson);
    app.get("/", (c) => c.json({ text }, 200, { "X-Other": "kept" }));
    return { held: () => memory.bytesOf("t"), ask: (method: string) => app.request("/", { method }) };
  }

  test("counts as unread when it is long, until it is read", async () => {
    const { held, ask } = answering(LONG);
    const response = await ask("GET");
    expect(held()).toBeGreaterThan(LONG.length);
    expect([response.status, response.headers.get("X-Other")]).toEqual([200, "kept"]);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(await response.json()).toEqual({ text: LONG });
    expect(held()).toBe(0);
  });

  test("does not count when it is short, or not sent", async () => {
    const short = answering("short");
    expect(await (await short.ask("GET")).json()).toEqual({ text: "short" });
    const { held, ask } = answering(LONG);
    expect((await ask("HEAD")).status).toBe(200);
    expect([short.held(), held()]).toEqual([0, 0]);
  });
});
