import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";
import { withUpload } from "../../../src/services/parse/parse-uploads.ts";
import { ADMIN_KEY, API_KEY as KEY } from "../keys.ts";

const SERVICE = "http://service.example";
const CSV = "name,berth\nSaint Bride,4\n";

interface Place {
  uploadUrl: string;
  uploadRef: string;
  method: string;
  headers: Record<string, string>;
  expiresAt: string;
  maxSizeBytes: number;
}

interface Answer {
  success: boolean;
  error?: string;
  code?: string;
  data: Place & { key: string; markdown: string; metadata: Record<string, unknown> };
}

const NOW = Date.UTC(2026, 10, 21, 12);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const settings = { ...env, API_KEY: KEY, ADMIN_KEY } as never;
const app = createApp((request) => buildDeps(layFoundation(settings), request, () => undefined));

async function ask(path: string, init: RequestInit): Promise<{ status: number; body: Answer }> {
  const response = await app.request(path.startsWith("/") ? `${SERVICE}${path}` : path, init);
  return { status: response.status, body: (await response.json()) as Answer };
}

function post(path: string, body: object, key: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** A key of a team of its own, so that tests do not fill each other's bounds. */
async function newTeam(): Promise<string> {
  const { body } = await post("/v2/team/keys", { name: "a team", teamId: crypto.randomUUID() }, ADMIN_KEY);
  return body.data.key;
}

async function place(key: string, more: object = {}): Promise<Place> {
  const { status, body } = await post("/v2/parse/upload-url", { filename: "berths.csv", ...more }, key);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}

test("a repeated request with an idempotency key returns the upload URL of the first one", async () => {
  const key = await newTeam();
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "x-idempotency-key": crypto.randomUUID(),
  };
  const open = (filename: string) =>
    ask("/v2/parse/upload-url", { method: "POST", headers, body: JSON.stringify({ filename }) });
  const first = await open("berths.csv");
  expect(first.body.data.uploadRef).toMatch(/./);
  expect((await open("berths.csv")).body.data).toEqual(first.body.data);
  expect(await open("tides.csv")).toMatchObject({ status: 409, body: { error: "Idempotency key already used" } });
});

/** As `curl --upload-file` sends it: without a key. */
function send({ uploadUrl, method, headers }: Place, body: string | Uint8Array<ArrayBuffer> = CSV) {
  return ask(uploadUrl, { method, headers, body });
}

describe("a file that is sent ahead", () => {
  test("is read by its reference, as the hosted MCP server asks for it, and then forgotten", async () => {
    const key = await newTeam();
    const origin = "mcp";
    const open = { filename: "berths.csv", contentType: "text/csv", declaredSizeBytes: CSV.length };
    const { status, body } = await post("/v2/parse/upload-url", open, key);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      uploadUrl: expect.stringMatching(/^http:\/\/service\.example\/v2\/parse\/upload\/[0-9a-f-]{36}\?uploadRef=/),
      uploadRef: expect.any(String),
      method: "PUT",
      headers: { "Content-Type": "text/csv" },
      expiresAt: new Date(NOW + 600_000).toISOString(),
      maxSizeBytes: CSV.length,
    });
    expect(await send(body.data)).toEqual({ status: 200, body: { success: true } });
    const { uploadRef } = body.data;
    const parsed = await post("/v2/parse", { uploadRef, origin, formats: ["markdown"], onlyMainContent: true }, key);
    expect(parsed.status, JSON.stringify(parsed.body)).toBe(200);
    expect(parsed.body.data.markdown).toContain("Saint Bride");
    expect(parsed.body.data.metadata).toMatchObject({ sourceURL: "berths.csv" });
    expect(await post("/v2/parse", { uploadRef }, key)).toMatchObject({ status: 400 });
    const left = await env.BUCKET.list({ prefix: `uploads/2026-11-21/${uploadRef.slice(0, 36)}` });
    expect(left.objects).toEqual([]);
    const row = env.DB.prepare("SELECT file_name, content_type FROM uploads WHERE id = ?").bind(uploadRef.slice(0, 36));
    expect(await row.first()).toEqual({ file_name: "", content_type: null });
  });

  test("can be read another way when it could not be read the first", async () => {
    const key = await newTeam();
    const made = await place(key);
    await send(made);
    const refused = await post("/v2/parse", { uploadRef: made.uploadRef, waitFor: 100 }, key);
    expect(refused).toMatchObject({ status: 400, body: { code: "PARSE_UNSUPPORTED_OPTIONS" } });
    expect((await post("/v2/parse", { uploadRef: made.uploadRef }, key)).status).toBe(200);
  });

  test("can be read again when its reading ended with the process", async () => {
    const key = await newTeam();
    const made = await place(key);
    await send(made);
    const deps = buildDeps(layFoundation(settings), { url: SERVICE }, () => undefined);
    const upload = await deps.uploads.find(made.uploadRef.slice(0, 36));
    const begun = Promise.withResolvers<void>();
    const read = (): Promise<never> => (begun.resolve(), new Promise(() => undefined));
    const caller = { key: { teamId: upload?.teamId } } as never;
    void withUpload(deps, caller, { uploadRef: made.uploadRef, read });
    await begun.promise;
    expect((await post("/v2/parse", { uploadRef: made.uploadRef }, key)).status).toBe(200);
    const again = await post("/v2/parse", { uploadRef: made.uploadRef }, key);
    expect(again).toMatchObject({ status: 400, body: { error: expect.stringContaining("already parsed") } });
  });

  test("is sent once, to its own place, and as large as was said", async () => {
    const key = await newTeam();
    const made = await place(key, { declaredSizeBytes: CSV.length });
    const other = await place(key);
    const tooLarge = await send(made, `${CSV}more`);
    expect(tooLarge).toMatchObject({ status: 413, body: { error: expect.stringContaining("too large") } });
    const crossed = { ...made, uploadUrl: made.uploadUrl.replace(made.uploadRef, other.uploadRef) };
    expect(await send(crossed)).toMatchObject({ status: 400, body: { error: expect.stringContaining("signature") } });
    let pulls = 0;
    const endless = new ReadableStream({ pull: (controller) => (pulls++, controller.enqueue(new Uint8Array(65_536))) });
    const unread = { method: "PUT", body: endless, duplex: "half" } as RequestInit;
    const address = made.uploadUrl.replace(/uploadRef=.*$/, "uploadRef=x");
    expect(await ask(address, unread)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("signature") },
    });
    expect(pulls).toBeLessThan(50);
    expect((await send(made)).status).toBe(200);
    expect(await send(made)).toMatchObject({ status: 400, body: { error: expect.stringContaining("already") } });
  });

  test("is not read without its file, after its time, with another signature, or for another team", async () => {
    const key = await newTeam();
    const made = await place(key);
    const read = async (uploadRef: string, by = key) => {
      const { status, body } = await post("/v2/parse", { uploadRef }, by);
      return `${status} ${body.error ?? ""}`;
    };
    expect(await read(made.uploadRef)).toMatch(/^400 No file was uploaded/);
    await send(made);
    const tampered = made.uploadRef.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
    expect(await read(tampered)).toMatch(/^400 .*signature/);
    expect(await read("nonsense")).toMatch(/^400 .*signature/);
    expect(await read(made.uploadRef, await newTeam())).toMatch(/^400 .*signature/);
    vi.setSystemTime(NOW + 600_000);
    expect(await read(made.uploadRef)).toMatch(/^400 .*expired/);
    expect(await send(made)).toMatchObject({ status: 400, body: { error: expect.stringContaining("expired") } });
  });

  test("is one of at most ten of a team that wait to be read", async () => {
    const key = await newTeam();
    const places = [];
    for (let count = 0; count < 10; count++) places.push(await place(key));
    const refused = await post("/v2/parse/upload-url", { filename: "a.csv" }, key);
    expect(refused).toMatchObject({ status: 429, body: { code: "PARSE_UPLOAD_UNPARSED_LIMIT_REACHED" } });
    const [first] = places;
    if (first === undefined) throw new Error("Ten were made");
    await send(first);
    await post("/v2/parse", { uploadRef: first.uploadRef }, key);
    expect((await post("/v2/parse/upload-url", { filename: "a.csv" }, key)).status).toBe(200);
  });
});

test.each([
  { why: "no name", body: {}, code: "BAD_REQUEST" },
  { why: "a name that is too long", body: { filename: `${"x".repeat(512)}.csv` }, code: "BAD_REQUEST" },
  { why: "more than 50 MiB", body: { filename: "a.csv", declaredSizeBytes: 52_428_801 }, code: "BAD_REQUEST" },
  { why: "an unknown field", body: { filename: "a.csv", path: "/etc" }, code: "BAD_REQUEST" },
  { why: "what cannot be read", body: { filename: "a.exe" }, code: "UNSUPPORTED_FILE_TYPE" },
])("no place is made for $why", async ({ body, code }) => {
  expect(await post("/v2/parse/upload-url", body, KEY)).toMatchObject({ status: 400, body: { code } });
});
