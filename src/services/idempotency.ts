import { v7 as uuidv7, validate as isUuid } from "uuid";
import { dayKey } from "../core/account/day-key.ts";
import { AppError } from "../core/errors.ts";
import type { ClaimedKey } from "../ports/storage/stores.ts";
import { WaitingRepeats, type Repeat } from "../core/waits/waiting-repeats.ts";
import type { Caller, Deps } from "./deps.ts";

/** Identity of a request that may be repeated. */
export interface Idempotency {
  /** Idempotency key as the caller sent it. */
  key: string;
  /** SHA-256 of the method, the path and the body. */
  fingerprint: string;
}

type Uses = Pick<Deps, "idempotencyKeys" | "clock" | "settings">;

/** A request without a heartbeat for this long is lost, and its repeat does the work. */
const LEASE_MS = 12_000;
const HEARTBEAT_MS = 4_000;
/** Intervals at which a repeat checks for the first request's response: each is twice the one before. */
const FIRST_LOOK_MS = 250;
const MAX_LOOK_MS = 2_000;
/** Repeats of one request that wait in an isolate: each of them queries the database at every look. */
const MOST_WAITING = 20;
const waiting = new WaitingRepeats({ most: MOST_WAITING, lifeMs: 3 * MAX_LOOK_MS });
/** Stored in place of a response that must not be retained. */
const NOT_STORED = "";

/**
 * Returns the ID of the job that a request starts. A repeat of the request with the same key gets the ID of the first
 * one, so that starting it again starts the same job; without a key every request gets a new ID.
 * @throws AppError IDEMPOTENCY_KEY_USED when the key is no UUID, or was sent with another request.
 */
export async function jobIdFor(deps: Uses, caller: Caller, idempotency: Idempotency | undefined): Promise<string> {
  return (await claimJobId(deps, caller, idempotency)).id;
}

/** Returns the ID as `jobIdFor` does, and whether an earlier request with the same key has it. */
export async function claimJobId(
  deps: Uses,
  caller: Caller,
  idempotency: Idempotency | undefined,
): Promise<{ id: string; isRepeat: boolean }> {
  if (idempotency === undefined) return { id: uuidv7(), isRepeat: false };
  const { workId, isNew } = await claimKey(deps, caller, idempotency);
  return { id: workId, isRepeat: !isNew };
}

/**
 * Reports whether a request with this key came before, so that it only returns what the first one started.
 * @throws AppError IDEMPOTENCY_KEY_USED when the key is no UUID, or was sent with another request.
 */
export async function isRepeat(deps: Uses, caller: Caller, idempotency: Idempotency | undefined): Promise<boolean> {
  return (await repeatedJobId(deps, caller, idempotency)) !== undefined;
}

/**
 * Returns the ID of the job that an earlier request with this key started; undefined without one.
 * @throws AppError IDEMPOTENCY_KEY_USED when the key is no UUID, or was sent with another request.
 */
export async function repeatedJobId(
  deps: Uses,
  caller: Caller,
  idempotency: Idempotency | undefined,
): Promise<string | undefined> {
  if (idempotency === undefined) return undefined;
  const known = await find(deps, caller, idempotency);
  if (known !== undefined) checkFingerprint(known, idempotency);
  return known?.workId;
}

/** A request whose response is stored under its idempotency key. */
interface KeyedRequest {
  idempotency: Idempotency;
  /** Counts a repeat, or refuses it: once, before it waits or is refused for another reason. */
  admitRepeat?: () => Promise<void>;
  /** False under zero data retention: then a repeat is refused. */
  canStore: boolean;
  /**
   * Handles the request.
   * @param workId ID for what the request creates. A repeat that does the work of a lost request has the same one.
   * @returns the exact text of the response; undefined for a failure, which is not stored.
   */
  work: (workId: string) => Promise<string | undefined>;
}

/**
 * Handles a request once for its key: a repeat gets the exact text of the first response, streamed from storage. While the first
 * request is in progress, a repeat waits for it; when the first request was lost in a crash, the repeat does the work.
 * @returns undefined when the work has failed.
 * @throws AppError IDEMPOTENCY_KEY_USED when the key is no UUID, was sent with another request, or the response was not
 * stored; RATE_LIMITED when too many repeats wait in this isolate; and what `admitRepeat` throws.
 */
export async function respondOnce(
  deps: Uses & Pick<Deps, "blobs" | "sleep" | "log">,
  caller: Caller,
  request: KeyedRequest,
): Promise<string | ReadableStream<Uint8Array> | undefined> {
  const repeat = { name: `${caller.key.teamId} ${request.idempotency.key}` };
  try {
    return await respondInTurn(deps, caller, { request, repeat });
  } finally {
    waiting.leave(repeat);
  }
}

async function respondInTurn(
  deps: Uses & Pick<Deps, "blobs" | "sleep" | "log">,
  caller: Caller,
  { request, repeat }: { request: KeyedRequest; repeat: Repeat },
): Promise<string | ReadableStream<Uint8Array> | undefined> {
  let lookMs = FIRST_LOOK_MS;
  let known: ClaimedKey | undefined;
  let isAdmitted = false;
  for (;;) {
    const claimed = known ?? (await claim(deps, caller, request.idempotency));
    if (!claimed.isNew && !isAdmitted) {
      isAdmitted = true;
      await request.admitRepeat?.();
    }
    checkFingerprint(claimed, request.idempotency);
    if (claimed.responseKey !== undefined) return await storedResponse(deps, claimed.responseKey);
    const leftMs = claimed.leaseUntilMs - deps.clock.now();
    if (claimed.isNew || (leftMs <= 0 && (await takeOver(deps, caller, request.idempotency)))) {
      return await respond(deps, caller, { ...request, workId: claimed.workId });
    }
    waiting.note(repeat, deps.clock.now());
    await deps.sleep(Math.min(lookMs, Math.max(FIRST_LOOK_MS, leftMs)));
    lookMs = Math.min(2 * lookMs, MAX_LOOK_MS);
    // One query a look: a request has a bounded number of them.
    known = await find(deps, caller, request.idempotency);
  }
}

/** Streams a stored response: as many repeats as a caller sends at once would have long ones in memory. */
async function storedResponse(
  { blobs }: Pick<Deps, "blobs">,
  responseKey: string,
): Promise<ReadableStream<Uint8Array>> {
  const stored = responseKey === NOT_STORED ? undefined : await blobs.stream(responseKey);
  if (stored === undefined) throw new AppError("IDEMPOTENCY_KEY_USED");
  return stored.body;
}

async function takeOver({ idempotencyKeys, clock }: Uses, caller: Caller, { key }: Idempotency): Promise<boolean> {
  const nowMs = clock.now();
  const leaseUntilMs = nowMs + LEASE_MS;
  return await idempotencyKeys.takeOver({ teamId: caller.key.teamId, key, nowMs, leaseUntilMs });
}

async function respond(
  deps: Uses & Pick<Deps, "blobs" | "sleep" | "log">,
  caller: Caller,
  { idempotency, canStore, work, workId }: KeyedRequest & { workId: string },
): Promise<string | undefined> {
  const { idempotencyKeys } = deps;
  const held = { teamId: caller.key.teamId, key: idempotency.key, workId };
  const over = new AbortController();
  // Ends with the request, which does not wait for it.
  keepLease(deps, held, over.signal).catch((error: unknown) =>
    deps.log({ event: "idempotency_lease_failed", message: String(error) }),
  );
  let text: string | undefined;
  try {
    text = await work(workId);
    if (text !== undefined) await keepResponse(deps, held, canStore ? text : undefined);
    return text;
  } finally {
    over.abort();
    // A key that is not released stays claimed until its lease is over. The error of the work is the one that counts.
    if (text === undefined)
      await idempotencyKeys
        .release(held)
        .catch((error: unknown) => deps.log({ event: "idempotency_release_failed", message: String(error) }));
  }
}

/**
 * Stores a response, or that it must not be. The request has been performed, also when this fails: the key then stays
 * claimed, and a repeat does the work under the same ID when the lease is over, as after a crash.
 */
async function keepResponse(
  { idempotencyKeys, blobs, clock, log }: Uses & Pick<Deps, "blobs" | "log">,
  held: { teamId: string; key: string; workId: string },
  text: string | undefined,
): Promise<void> {
  try {
    const responseKey = text === undefined ? NOT_STORED : `results/${dayKey(clock.now())}/answers/${held.workId}`;
    if (text !== undefined) await blobs.put(responseKey, text, { contentType: "application/json" });
    await idempotencyKeys.finish({ ...held, responseKey });
  } catch (error) {
    log({ event: "idempotency_store_failed", message: String(error) });
  }
}

/** Renews the lease until the request has ended. A renewal that fails is repeated until the lease is over. */
async function keepLease(
  { idempotencyKeys, clock, sleep }: Uses & Pick<Deps, "sleep">,
  held: { teamId: string; key: string; workId: string },
  over: AbortSignal,
): Promise<void> {
  let leaseUntilMs = clock.now() + LEASE_MS;
  for (;;) {
    await sleep(HEARTBEAT_MS);
    if (over.aborted) return;
    const nextMs = clock.now() + LEASE_MS;
    try {
      await idempotencyKeys.renew({ ...held, leaseUntilMs: nextMs });
      leaseUntilMs = nextMs;
    } catch (error) {
      if (clock.now() >= leaseUntilMs) throw error;
    }
  }
}

async function claimKey(deps: Uses, caller: Caller, idempotency: Idempotency): Promise<ClaimedKey> {
  const claimed = await claim(deps, caller, idempotency);
  checkFingerprint(claimed, idempotency);
  return claimed;
}

async function claim(
  { idempotencyKeys, clock, settings }: Uses,
  { key: { teamId } }: Caller,
  { key, fingerprint }: Idempotency,
): Promise<ClaimedKey> {
  assertUuid(key);
  const nowMs = clock.now();
  return await idempotencyKeys.claim({
    teamId,
    key,
    fingerprint,
    workId: uuidv7(),
    nowMs,
    leaseUntilMs: nowMs + LEASE_MS,
    forgottenBeforeMs: nowMs - settings.resultRetentionMs,
  });
}

/** Returns the state of a key that an earlier request has claimed. */
async function find(
  { idempotencyKeys, clock, settings }: Uses,
  { key: { teamId } }: Caller,
  { key }: Idempotency,
): Promise<ClaimedKey | undefined> {
  assertUuid(key);
  return await idempotencyKeys.find({ teamId, key, forgottenBeforeMs: clock.now() - settings.resultRetentionMs });
}

function assertUuid(key: string): void {
  if (!isUuid(key)) throw new AppError("IDEMPOTENCY_KEY_USED", "Invalid idempotency key: it must be a UUID");
}

function checkFingerprint(claimed: ClaimedKey, { fingerprint }: Pick<Idempotency, "fingerprint">): void {
  if (claimed.fingerprint !== fingerprint) throw new AppError("IDEMPOTENCY_KEY_USED");
}
