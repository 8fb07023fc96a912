import { v7 as uuidv7, validate as isUuid } from "uuid";
import { AppError, ERRORS, isAppError } from "../../core/errors.ts";
import { cutOptions } from "../../core/jobs/cut-options.ts";
import type { KeptFeedback, SearchRecord } from "../../ports/search/feedback.ts";
import { toReceipt } from "../../core/account/receipt.ts";
import type { Caller, Deps } from "../deps.ts";
import { readScrape } from "../scrape/read-scrape.ts";

/** Endpoints whose responses accept feedback. */
export const FEEDBACK_ENDPOINTS = ["search", "scrape", "parse", "map"] as const;
export type FeedbackEndpoint = (typeof FEEDBACK_ENDPOINTS)[number];

export interface FeedbackRequest {
  endpoint: FeedbackEndpoint;
  /** ID of the response. */
  jobId: string;
  rating: "good" | "bad" | "partial";
  /** The whole feedback, including the rating. */
  body: object;
}

export interface FeedbackResponse {
  feedbackId: string;
  creditsRefunded: number;
  creditsRefundedToday: number;
  dailyRefundCap: number;
  dailyCapReached: boolean;
  alreadySubmitted: boolean;
  warning?: string;
}

/** Refund for the first feedback on a search; the refunds of a day are capped. */
const REFUND_CREDITS = 1;
const DAILY_REFUND_CAP = 100;
/** Feedback that a team may give in a day (UTC), and the bytes of its bodies. */
const MAX_DAILY_ITEMS = 1_000;
const MAX_DAILY_BYTES = 2_000_000;
/** Maximum size of a stored body. */
const MAX_BODY_BYTES = 16_384;
/** The same while the database is nearly full. */
const MAX_SPARSE_BYTES = 1_024;
const DAY_MS = 86_400_000;
const MAX_ACTIVITY = 1000;
/** Searches are recorded after their response; feedback that arrives earlier waits this long. */
const WRITING_MS = 500;

type Uses = Pick<
  Deps,
  | "feedback"
  | "databaseRoom"
  | "pendingScrapes"
  | "clock"
  | "settings"
  | "keyLedger"
  | "scrapes"
  | "jobs"
  | "frontiers"
  | "blobs"
  | "sleep"
>;

/**
 * Stores feedback on a response. The first feedback on a search refunds a credit; further feedback on the same response
 * changes nothing. Of a long body the longest fields are not stored, which `warning` says.
 * @throws AppError INVALID_FEEDBACK for an ID that is no UUID, FEEDBACK_SEARCH_NOT_FOUND, FEEDBACK_JOB_NOT_FOUND,
 *   FEEDBACK_WINDOW_EXPIRED, or RATE_LIMITED when the team has given the feedback of a day.
 */
export async function giveFeedback(deps: Uses, caller: Caller, request: FeedbackRequest): Promise<FeedbackResponse> {
  const { key } = caller;
  const nowMs = deps.clock.now();
  const refundable = await refundableCredits(deps, caller, request);
  const dayStartMs = nowMs - (nowMs % DAY_MS);
  const maxBytes = deps.databaseRoom.isNearlyFull ? MAX_SPARSE_BYTES : MAX_BODY_BYTES;
  const { json: bodyJson, isCut } = cutOptions(JSON.stringify(request.body), maxBytes);
  const kept = await deps.feedback.add(
    {
      id: uuidv7(),
      teamId: key.teamId,
      keyId: key.id,
      endpoint: request.endpoint,
      jobId: request.jobId,
      rating: request.rating,
      bodyJson,
      creditsRefunded: refundable,
      createdAtMs: nowMs,
    },
    { credits: DAILY_REFUND_CAP, items: MAX_DAILY_ITEMS, bytes: MAX_DAILY_BYTES, sinceMs: dayStartMs },
  );
  if (kept === undefined) throw dayIsOver(nowMs, dayStartMs);
  await refund(deps, request.jobId, kept);
  const creditsRefundedToday = await deps.feedback.refundedSince(key.teamId, dayStartMs);
  return {
    feedbackId: kept.id,
    creditsRefunded: kept.isNew ? kept.creditsRefunded : 0,
    creditsRefundedToday,
    dailyRefundCap: DAILY_REFUND_CAP,
    dailyCapReached: creditsRefundedToday >= DAILY_REFUND_CAP,
    alreadySubmitted: !kept.isNew,
    ...(kept.isNew && isCut
      ? { warning: `Feedback is stored up to ${maxBytes} bytes: the longest fields of this one are not stored` }
      : {}),
  };
}

function dayIsOver(nowMs: number, dayStartMs: number): AppError {
  const retryAfterSeconds = Math.ceil((dayStartMs + DAY_MS - nowMs) / 1000);
  const message = `A team can give feedback ${MAX_DAILY_ITEMS} times a day (UTC), of ${MAX_DAILY_BYTES / 1e6} MB together`;
  return new AppError("RATE_LIMITED", message, { retryAfterSeconds });
}

/** Records the refund of feedback, once. A repeat records what a crash has left out, as long as the activity tells that. */
async function refund(
  { keyLedger, clock }: Uses,
  jobId: string,
  { id, keyId, creditsRefunded, createdAtMs, isNew }: KeptFeedback,
): Promise<void> {
  if (creditsRefunded === 0) return;
  if (!isNew) {
    const sinceMs = clock.now() - DAY_MS;
    if (createdAtMs < sinceMs) return;
    const given = { sinceMs, limit: MAX_ACTIVITY, endpoint: "feedback", cursor: undefined };
    const recorded = await keyLedger.activity(keyId, given);
    if (recorded.some((entry) => entry.id === jobId)) return;
  }
  await keyLedger.record(keyId, {
    requestId: id,
    id: jobId,
    endpoint: "feedback",
    apiVersion: "v2",
    target: null,
    ms: 0,
    hasFailed: false,
    pages: 0,
    receipt: toReceipt({ credits: -creditsRefunded }, 0),
  });
}

/** Checks that the response belongs to the caller. @returns the credits that feedback on it refunds. */
async function refundableCredits(deps: Uses, caller: Caller, { endpoint, jobId }: FeedbackRequest): Promise<number> {
  if (endpoint === "search") {
    const search = await findSearch(deps, caller, jobId);
    if (deps.clock.now() - search.createdAtMs > deps.settings.resultRetentionMs)
      throw new AppError("FEEDBACK_WINDOW_EXPIRED");
    return Math.min(REFUND_CREDITS, search.creditsUsed);
  }
  if (!isUuid(jobId)) throw new AppError("FEEDBACK_JOB_NOT_FOUND");
  const isKnown = endpoint === "map" ? await isOwnMap(deps, caller, jobId) : await isOwnScrape(deps, caller, jobId);
  if (!isKnown) throw new AppError("FEEDBACK_JOB_NOT_FOUND");
  return 0;
}

async function findSearch(deps: Uses, { key }: Caller, id: string): Promise<SearchRecord> {
  if (!isUuid(id)) throw new AppError("INVALID_FEEDBACK", "Invalid search ID format. It must be a valid UUID.");
  let search = await deps.feedback.findSearch(id);
  if (search === undefined) {
    await deps.sleep(WRITING_MS);
    search = await deps.feedback.findSearch(id);
  }
  if (search === undefined || search.teamId !== key.teamId) throw new AppError("FEEDBACK_SEARCH_NOT_FOUND");
  return search;
}

async function isOwnScrape(deps: Uses, caller: Caller, id: string): Promise<boolean> {
  try {
    await readScrape(deps, caller, id);
    return true;
  } catch (error) {
    // A failure of the storage says nothing about whose it is.
    if (isAppError(error) && ERRORS[error.code].status < 500) return false;
    throw error;
  }
}

/** Reports whether the key made a map, which only the key's activity records. */
async function isOwnMap(deps: Uses, { key }: Caller, id: string): Promise<boolean> {
  const sinceMs = deps.clock.now() - DAY_MS;
  const done = await deps.keyLedger.activity(key.id, {
    sinceMs,
    limit: MAX_ACTIVITY,
    endpoint: "map",
    cursor: undefined,
  });
  return done.some((entry) => entry.id === id);
}
