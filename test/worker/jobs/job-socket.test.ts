/** Who may open a socket that watches a job, and for how long. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { buildDeps, layFoundation } from "../../../src/compose.ts";
import { ENDPOINTS, keyOf, type KeyLimits, type KeyScopes } from "../../../src/core/account/api-key.ts";
import { NO_COUNTS } from "../../../src/core/account/meter.ts";
import { AppError } from "../../../src/core/errors.ts";
import { HeldBytes } from "../../../src/core/waits/held-bytes.ts";
import { openJobSocket, watchOf } from "../../../src/http/jobs/job-socket.ts";
import { newKnownKeys } from "../../../src/services/account/authenticate.ts";
import { createKey } from "../../../src/services/account/manage-keys.ts";
import type { Caller, Deps } from "../../../src/services/deps.ts";
import { API_KEY as KEY } from "../keys.ts";

const JOB = "01a20543-c553-71ca-aeb3-34e40c25173c";
const ADMIN = { key: { id: "admin", teamId: "team", scopes: { admin: true } } } as unknown as Caller;

let nowMs: number;
/** What happens each time that a socket waits for further pages. */
let onWait: () => Promise<unknown>;
let lookUps: number;
const keys = newKnownKeys();
beforeEach(() => {
  nowMs = Date.now();
  lookUps = 0;
  onWait = async () => undefined;
});

interface Job {
  status?: string;
  documents?: number;
  optionsJson?: string;
  forgotten?: string[];
}

/** A service with one job of the team, which goes on for ever unless it has a status. */
function service({ status = "scraping", documents = 0, optionsJson = "{}", forgotten = [] }: Job = {}): Deps {
  const foundation = layFoundation({ ...env, API_KEY: KEY, CF_ACCOUNT_ID: "account" } as never);
  const real = buildDeps(foundation, { url: "http://service.example/" }, (work) => void work);
  const progress = { status, completed: documents, total: 1, documents, inFlight: 0, creditsUsed: 0, costs: NO_COUNTS, createdAtMs: 0, expiresAtMs: 1e13 }; // prettier-ignore
  return {
    ...real,
    settings: { ...real.settings, seesClientAddresses: true },
    clock: { now: () => nowMs },
    keys: { ...real.keys, findByHash: async (hash: string) => (lookUps++, await real.keys.findByHash(hash)) },
    jobs: {
      find: async () => ({
        id: JOB,
        teamId: "team",
        kind: "crawl",
        createdAtMs: Date.now(),
        expiresAtMs: 1e13,
        optionsJson,
      }),
      wholeOptions: async () => "{}",
    },
    frontiers: {
      documents: async (_id: string, { skip, limit, maxBytes }: { skip: number; limit: number; maxBytes: number }) => {
        const count = Math.min(documents - skip, limit, Math.floor(maxBytes / DOCUMENT_BYTES));
        const places = Array.from({ length: count }, (_, place) => ({
          offset: (skip + place) * (DOCUMENT_BYTES + 1),
          length: DOCUMENT_BYTES,
        }));
        return { progress, count, runs: count === 0 ? [] : [{ object: "documents", documents: places }] };
      },
      forget: async (id: string) => void forgotten.push(id),
    },
    blobs: {
      stream: async (_key: string, { offset, length }: { offset: number; length: number }) => ({
        body: new Response(textOf(documents).slice(offset, offset + length)).body,
      }),
    },
    sleep: async (ms: number) => {
      nowMs += ms;
      await onWait();
    },
  } as unknown as Deps;
}

const DOCUMENT_BYTES = 1_200;
const documentAt = (place: number) => ({ markdown: String(place).padEnd(DOCUMENT_BYTES - '{"markdown":""}'.length) });

function textOf(documents: number): string {
  return Array.from({ length: documents }, (_, place) => JSON.stringify(documentAt(place))).join(",");
}

async function makeKey(deps: Deps, limits: KeyLimits = {}, scopes: Partial<KeyScopes> = {}) {
  return await createKey(deps, ADMIN, { name: "key", teamId: "team", scopes: { admin: false, ...scopes }, limits });
}

/** Opens a socket. @returns how the service closes it */
async function watch(
  deps: Deps,
  token: string,
  version = "v2",
): Promise<{ code: number; reason: string; messages: string[] }> {
  const headers = { upgrade: "websocket", authorization: `Bearer ${token}`, "CF-Connecting-IP": "192.0.2.7" };
  const request = new Request(`http://service.example/${version}/crawl/${JOB}`, { headers });
  const place = watchOf(request);
  if (place === undefined) throw new Error("It is a job's socket");
  const socket = openJobSocket(deps, keys, { request, watch: place }).webSocket;
  if (!socket) throw new Error("There is a socket");
  const messages: string[] = [];
  return await new Promise((resolve) => {
    socket.addEventListener("message", ({ data }) => messages.push(String(data)));
    socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason, messages }));
    socket.accept();
  });
}

test.each([
  { failures: 4, code: 1000 },
  { failures: 5, code: 1011 },
])("$failures failed reads of a job in a row close its socket with $code", async ({ failures, code }) => {
  const deps = service({ status: "completed", documents: 3 });
  const { text } = await makeKey(deps);
  const { documents } = deps.frontiers;
  let left = failures;
  deps.frontiers.documents = async (...request) => {
    if (left-- > 0) throw new AppError("SERVICE_UNAVAILABLE");
    return await documents(...request);
  };
  expect(await watch(deps, text)).toMatchObject({ code });
});

test("a socket closes within 30 seconds of the revocation of its key", async () => {
  const deps = service();
  const { text, key } = await makeKey(deps);
  let revokedAtMs = Infinity;
  let waits = 0;
  onWait = async () => {
    if (++waits === 10) {
      revokedAtMs = nowMs;
      await deps.keys.revoke(key.id, nowMs);
    }
    if (nowMs - revokedAtMs > 60_000) throw new Error("It goes on");
  };
  const { code, reason, messages } = await watch(deps, text);
  expect({ code, reason }).toEqual({ code: 3000, reason: '{"type":"error","error":"Unauthorized"}' });
  expect(nowMs - revokedAtMs).toBeLessThan(30_000);
  expect(messages).toHaveLength(1);
  // The cache answers in between.
  expect(lookUps).toBeLessThanOrEqual(2);
});

test("a socket counts as a read of the status of a job", async () => {
  const deps = service();
  const { text } = await makeKey(deps, { crawlStatus: 1 });
  onWait = async () => {
    throw new Error("enough");
  };
  expect((await watch(deps, text)).code).toBe(1011);
  expect(await watch(deps, text)).toEqual({
    code: 1013,
    reason: '{"type":"error","error":"Rate limit exceeded."}',
    messages: [],
  });
});

test.each([
  { what: "endpoint", scopes: { endpoints: ENDPOINTS.filter((name) => name !== "crawl") } },
  { what: "format", scopes: { formats: ["markdown", ...Array.from({ length: 9 }, () => "größenänderung 🌊")] } },
])(
  "a socket that the key's $what refuses closes with 3003, and a message that is cut to a close reason",
  async ({ scopes }) => {
    const deps = service();
    const { text } = await makeKey(deps, {}, scopes);
    const { code, reason } = await watch(deps, text);
    expect(code).toBe(3003);
    const { type, error } = JSON.parse(reason) as { type: string; error: string };
    expect([type, error.startsWith("This API key is restricted to the following"), error.endsWith("…")]).toEqual([
      "error",
      true,
      true,
    ]);
    expect(new TextEncoder().encode(reason).byteLength).toBeLessThanOrEqual(123);
    expect(error).not.toContain("\ufffd");
  },
);

type Message = { type: string; data: { status?: string; data?: unknown[] } };

test("the status is scraping while documents of an ended job are left to send, and a message is below 1 MiB", async () => {
  const deps = service({ status: "completed", documents: 900 });
  const { text } = await makeKey(deps);
  const { code, reason, messages } = await watch(deps, text);
  expect({ code, reason }).toEqual({ code: 1000, reason: '{"type":"done"}' });
  const [first, ...rest] = messages.map((message) => JSON.parse(message) as Message);
  expect([first?.type, first?.data.status]).toEqual(["catchup", "scraping"]);
  expect(messages[0]?.length).toBeLessThan(1_048_576);
  expect(rest.every(({ type }) => type === "document")).toBe(true);
  const all = [...(first?.data.data ?? []), ...rest.map(({ data }) => data)];
  expect(all).toEqual(Array.from({ length: 900 }, (_, place) => documentAt(place)));
});

test("the status of an ended job whose documents are all in the first message is final", async () => {
  const deps = service({ status: "cancelled", documents: 2 });
  const { text } = await makeKey(deps);
  const { messages } = await watch(deps, text);
  expect(messages.map((message) => (JSON.parse(message) as Message).data.status)).toEqual(["cancelled"]);
});

test.each([
  { version: "v1", last: "document" },
  { version: "v2", last: "status" },
])(
  "$version of a long job with zero data retention ends with a $last, and deletes the job",
  async ({ version, last }) => {
    const forgotten: string[] = [];
    const zeroRetention = { optionsJson: '{"zeroDataRetention":true}', forgotten };
    const deps = service({ status: "completed", documents: 900, ...zeroRetention });
    const { text } = await makeKey(deps);
    const { messages } = await watch(deps, text, version);
    const { type, data } = JSON.parse(messages.at(-1) ?? "{}") as Message;
    expect(type).toBe(last);
    if (type === "status") expect(data).toMatchObject({ status: "completed", data: [] });
    expect(forgotten).toEqual([JOB]);
  },
);

/** A service whose job has one document; counts how many sockets read it at once, and how many have read it. */
function serviceWithDocument(bytes: number) {
  const deps = service({ status: "cancelled", documents: 2 });
  const reads = { now: 0, most: 0, all: 0 };
  const body = JSON.stringify({ markdown: "x".repeat(bytes - '{"markdown":""}'.length) });
  const places = [{ object: "documents", documents: [{ offset: 0, length: bytes }] }];
  const found = deps.frontiers.documents.bind(deps.frontiers);
  deps.frontiers.documents = async (id, page) => {
    const answer = await found(id, { ...page, maxBytes: 1e9 });
    return answer && { ...answer, runs: places };
  };
  deps.blobs.stream = async () => {
    reads.all++;
    reads.most = Math.max(reads.most, ++reads.now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    reads.now--;
    return { body: new Response(body).body, size: bytes, contentType: undefined, metadata: {} } as never;
  };
  return { deps, reads };
}

test("sockets read a large document one after the other, in the room of their team", async () => {
  const { deps, reads } = serviceWithDocument(100_000);
  deps.memory = new HeldBytes({ ofTeam: 400_000, inAll: 800_000 });
  const { text } = await makeKey(deps);
  const closed = await Promise.all(Array.from({ length: 6 }, () => watch(deps, text)));
  expect(closed.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 1000));
  expect(closed.map(({ messages }) => (messages[0]?.length ?? 0) > 100_000)).not.toContain(false);
  expect(reads).toEqual({ now: 0, most: 1, all: 6 });
  expect(deps.memory.bytesOf("team")).toBe(0);
});

test("a socket whose documents find no room in time closes", async () => {
  const { deps, reads } = serviceWithDocument(100_000);
  const waits: number[] = [];
  deps.memory = new HeldBytes();
  deps.memory.take = async (_owner, _bytes, limit) => {
    waits.push((limit?.deadlineMs ?? Infinity) - Date.now());
    throw new AppError("SCRAPE_TIMEOUT");
  };
  const { text } = await makeKey(deps);
  const { code, reason, messages } = await watch(deps, text);
  expect([code, reason, messages]).toEqual([1013, expect.stringContaining("too much memory"), []]);
  expect([waits.length, reads.all]).toEqual([1, 0]);
  expect(waits[0]).toBeLessThanOrEqual(60_000);
});

test("a socket whose team has been sent too much closes before it reads", async () => {
  const { deps, reads } = serviceWithDocument(1_000);
  const found = deps.frontiers.documents.bind(deps.frontiers);
  deps.frontiers.documents = async (id, page) => {
    const answer = await found(id, page);
    return answer && { ...answer, runs: [{ object: "documents", documents: [{ offset: 0, length: 129_000_000 }] }] };
  };
  const { text } = await makeKey(deps);
  const { code, reason } = await watch(deps, text);
  expect([code, reason]).toEqual([1013, expect.stringContaining("Too much was sent")]);
  expect(reads.all).toBe(0);
});

test("an address that has sent many unknown keys by sockets has no more looked up", async () => {
  const deps = service();
  const codes: number[] = [];
  for (let number = 0; number < 35; number++)
    codes.push((await watch(deps, keyOf(new Uint8Array(12).fill(number)))).code);
  expect(codes).toEqual([...Array.from({ length: 30 }, () => 3000), ...Array.from({ length: 5 }, () => 1013)]);
});
