import { z } from "zod";
import { ownerOf, type Owner } from "../../core/fair-order.ts";
import { readStored } from "../../core/stored-state.ts";
import { AppError, ERRORS, isAppError } from "../../core/errors.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import { takeRoom } from "../../core/waits/take-room.ts";
import type { JobKindName, JobRecord } from "../../core/jobs/job.ts";
import { anonymousCaller } from "../../services/account/anonymous-caller.ts";
import { admitRequest, toRefusal } from "../../services/account/admit-request.ts";
import { authenticate, type KnownKeys } from "../../services/account/authenticate.ts";
import type { Caller, Deps } from "../../services/deps.ts";
import { findJob } from "../../services/jobs/find-job.ts";
import { hasZeroRetention } from "../../core/jobs/zero-retention.ts";
import { forgetJob } from "../../services/jobs/forget-job.ts";
import { readJob, type JobPage } from "../../services/jobs/read-job.ts";
import { addressOf } from "../account/auth.ts";
import { isFullyRead, statusFields } from "./job-responses.ts";
import { JobWatchers } from "./job-watchers.ts";

const Documents = z.array(z.unknown());

const POLL_MS = 1_000;
/**
 * Documents of the first message, and of what is read at a time for later ones, which are sent one by one. Python's
 * WebSocket library refuses a message of more than 1 MiB by default.
 */
const PAGE = { limit: 1_000, maxBytes: 1_000_000 };
/** Documents of fewer bytes are read at once. */
const SMALL_BYTES = 65_536;
/** A document is in memory as it was read, as a message, and as the bytes of the message. */
const TIMES_IN_MEMORY = 3;
/** Documents wait so long for room. The client connects again, or reads them with GET. */
const ROOM_WAIT_MS = 60_000;
const ABNORMAL = { policy: 1008, internal: 1011, tooMuch: 1013, unauthorized: 3000, forbidden: 3003 } as const;
const TOO_MANY = "Too many sockets watch this job or this team's jobs";
const NO_ROOM = "This team's other requests hold too much memory: connect again, or read with GET";
const TOO_MUCH = "Too much was sent to the sockets of this team: read the rest with GET";

/** The sockets of this isolate. */
/** Tries to read a job or a key. */
const MAX_READS = 5;
const watchers = new JobWatchers();

/** Paths of job WebSockets (api-contract.md, “Job WebSocket”). */
const PATH = /^\/(v1|v2)\/(crawl|batch\/scrape)\/([^/]+)\/?$/;

interface Watch {
  version: "v1" | "v2";
  kinds: readonly JobKindName[];
  id: string;
}

/** Returns the job that a WebSocket request watches; undefined for every other request. */
export function watchOf(request: Request): Watch | undefined {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return undefined;
  const [, version, place, id] = PATH.exec(new URL(request.url).pathname) ?? [];
  if (id === undefined) return undefined;
  const kinds: JobKindName[] =
    version === "v1" ? ["crawl", "batch_scrape"] : place === "crawl" ? ["crawl"] : ["batch_scrape"];
  return { version: version === "v1" ? "v1" : "v2", kinds, id };
}

/**
 * Opens a socket that sends a job's progress. A refusal is sent over the open socket: clients crash when an upgrade is
 * refused or its sub-protocol is not repeated.
 */
export function openJobSocket(
  deps: Deps,
  keys: KnownKeys,
  { request, watch }: { request: Request; watch: Watch },
): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  const subscription = sendStatus({ deps, keys, request, watch, socket: server }).catch((error: unknown) => {
    deps.log({ event: "socket_failed", message: String(error) });
    close(server, ABNORMAL.internal, { type: "error", error: ERRORS.UNKNOWN_ERROR.message });
  });
  deps.defer(subscription);
  const [protocol] = protocolsOf(request);
  const headers = new Headers(protocol === undefined ? [] : [["Sec-WebSocket-Protocol", protocol]]);
  return new Response(null, { status: 101, webSocket: client, headers });
}

interface Subscription {
  deps: Deps;
  keys: KnownKeys;
  request: Request;
  watch: Watch;
  socket: WebSocket;
}

async function sendStatus(subscription: Subscription): Promise<void> {
  const { deps, socket, watch } = subscription;
  const leaving = new AbortController();
  for (const event of ["close", "error"] as const) socket.addEventListener(event, () => leaving.abort());
  const watched = await findWatchedJob(subscription);
  if (watched === undefined) return;
  const { job, owner } = watched;
  const place = watchers.enter(owner.teamId, job.id);
  if (place === undefined) return close(socket, ABNORMAL.tooMuch, { type: "error", error: TOO_MANY });
  if (leaving.signal.aborted) place.leave();
  else leaving.signal.addEventListener("abort", () => place.leave());

  let sent = 0;
  for (let isFirst = true; !leaving.signal.aborted; isFirst = false) {
    // The cache of keys answers, and looks a key up again in time for a revocation.
    if (!isFirst && (await withRetries(deps, () => callerOf(subscription))) === undefined) return;
    const skip = sent;
    const page = await withRetries(deps, () => readJob(deps, job.id, { skip, ...PAGE, isLazy: true }));
    if (page === undefined) return close(socket, ABNORMAL.policy, { type: "error", error: "Job not found" });
    const { progress, count } = page;
    sent += count;
    // Nothing is read of what is not sent.
    if (!place.send(page.bytes)) return close(socket, ABNORMAL.tooMuch, { type: "error", error: TOO_MUCH });
    const isEnd = progress.status !== "scraping" && sent >= progress.documents;
    const fields = statusFields(job, progress, { version: watch.version, nowMs: deps.clock.now() });
    // Clients close the socket at a final status, and would miss the further documents.
    const first = isFirst ? JSON.stringify(isEnd ? fields : { ...fields, status: "scraping" }) : undefined;
    if (!(await sendDocuments(subscription, page, { owner, first, left: leaving.signal }))) return;
    if (sent < progress.documents) continue;
    if (isEnd) {
      if (hasZeroRetention(job)) {
        // Clients of version 2 would read the status after the end, when the job is deleted.
        if (!isFirst && watch.version === "v2")
          socket.send(JSON.stringify({ type: "status", data: { ...fields, data: [] } }));
        if (isFullyRead(progress, sent)) deps.defer(forgetJob(deps, job));
      }
      return close(socket, 1000, { type: "done" });
    }
    await deps.sleep(POLL_MS);
  }
}

/** Repeats a read that fails: a storage that does not answer for some seconds ends no watch of a job that goes on. */
async function withRetries<Result>({ sleep }: Pick<Deps, "sleep">, read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (attempt >= MAX_READS) throw error;
      await sleep(POLL_MS);
    }
  }
}

/**
 * Sends the documents of a page: with the status in the first message, then one by one. They are read when there is room for
 * them among what the team holds in memory: a document has up to 50 MB, and a team has fifty sockets.
 * @param first the status, as an object in JSON
 * @returns false when the client has left, or found no room in time: then the socket is closed
 */
async function sendDocuments(
  { deps, socket }: Pick<Subscription, "deps" | "socket">,
  { count, bytes, documents }: JobPage,
  { owner, first, left }: { owner: Owner; first: string | undefined; left: AbortSignal },
): Promise<boolean> {
  const wait = { waitMs: ROOM_WAIT_MS, left };
  const taking = bytes < SMALL_BYTES ? undefined : takeRoom(deps.memory, owner, TIMES_IN_MEMORY * bytes, wait);
  let hasRoom = true;
  const release = await taking?.catch((error: unknown) => {
    hasRoom = false;
    if (left.aborted) return undefined;
    if (!isAppError(error) || error.code !== "RATE_LIMITED") throw error;
    close(socket, ABNORMAL.tooMuch, { type: "error", error: NO_ROOM });
    return undefined;
  });
  try {
    if (left.aborted || !hasRoom) return false;
    const text = await textOf(documents);
    if (first !== undefined) socket.send(`{"type":"catchup","data":${first.slice(0, -1)},"data":[${text}]}}`);
    else if (count === 1) socket.send(`{"type":"document","data":${text}}`);
    else if (count > 1) await sendEach({ deps, socket }, text);
    return true;
  } finally {
    release?.();
    if (!documents.locked) void documents.cancel().catch(() => undefined);
  }
}

async function sendEach({ deps, socket }: Pick<Subscription, "deps" | "socket">, documents: string): Promise<void> {
  for (const document of readStored(Documents, `[${documents}]`, "document")) {
    socket.send(JSON.stringify({ type: "document", data: document }));
    // Other requests come between the documents.
    await deps.sleep(0);
  }
}

/** Returns the job, and whose it is, if the caller may watch it; otherwise closes the socket with the reason. */
async function findWatchedJob(subscription: Subscription): Promise<{ job: JobRecord; owner: Owner } | undefined> {
  const { deps, socket, watch } = subscription;
  const caller = await callerOf(subscription);
  if (caller === undefined) return undefined;
  try {
    await admit(deps, caller);
    return { job: await findJob(deps, caller, watch), owner: ownerOf(caller.key) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    close(socket, codeOf(error), {
      type: "error",
      error: error.code === "INVALID_JOB_ID" ? "Invalid job ID" : error.message,
    });
    return undefined;
  }
}

/**
 * Counts the socket as one read of a job's status.
 * @throws AppError RATE_LIMITED, with a message that fits a close reason.
 */
async function admit(deps: Deps, caller: Caller): Promise<void> {
  const refusal = toRefusal(await admitRequest(deps, caller, { mode: "crawlStatus", credits: 0 }), 0);
  if (refusal !== undefined) throw new AppError("RATE_LIMITED", ERRORS.RATE_LIMITED.message);
}

/**
 * Authenticates by the header, or by the first sub-protocol, which is all that browsers' sockets can send. Closes the
 * socket of a caller without a valid key.
 */
async function callerOf({ deps, keys, request, socket }: Subscription): Promise<Caller | undefined> {
  if (deps.settings.authDisabled) return anonymousCaller();
  const header = request.headers.get("authorization")?.trim().split(/\s+/, 2)[1];
  const token = header ?? protocolsOf(request)[0] ?? "";
  const { cache, unknownKeys } = keys;
  try {
    return await authenticate(deps, cache, token, { address: addressOf(request, deps.settings), unknownKeys });
  } catch (error) {
    if (!isAppError(error)) throw error;
    const isLimited = error.code === "RATE_LIMITED";
    close(socket, isLimited ? ABNORMAL.tooMuch : ABNORMAL.unauthorized, {
      type: "error",
      error: isLimited ? error.message : ERRORS.UNAUTHORIZED.message,
    });
    return undefined;
  }
}

function codeOf({ code }: AppError): number {
  if (code === "RATE_LIMITED") return ABNORMAL.tooMuch;
  return code === "ENDPOINT_RESTRICTED" || code === "FORMAT_RESTRICTED" ? ABNORMAL.forbidden : ABNORMAL.policy;
}

function protocolsOf(request: Request): string[] {
  const header = request.headers.get("sec-websocket-protocol") ?? "";
  return header
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== "");
}

interface CloseReason {
  type: string;
  error?: string;
}

/** Bytes of a close reason (RFC 6455 § 5.5): the runtime refuses a longer one. */
const MAX_REASON_BYTES = 123;

/** Returns a close reason as JSON, which clients parse. A message that is too long for it is cut. */
function reasonText(reason: CloseReason): string {
  const text = JSON.stringify(reason);
  if (reason.error === undefined || utf8Length(text) <= MAX_REASON_BYTES) return text;
  const letters = Array.from(reason.error.slice(0, MAX_REASON_BYTES));
  for (;;) {
    letters.pop();
    const cut = JSON.stringify({ ...reason, error: `${letters.join("")}…` });
    if (letters.length === 0 || utf8Length(cut) <= MAX_REASON_BYTES) return cut;
  }
}

function close(socket: WebSocket, code: number, reason: CloseReason): void {
  try {
    socket.close(code, reasonText(reason));
  } catch {
    // The other side has closed it already.
  }
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return await new Response(stream).text();
}
