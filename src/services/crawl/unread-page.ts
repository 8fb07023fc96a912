import type { FrontierItem, PageResult } from "../../core/crawl/frontier.ts";
import { loadNumber, MAX_LOADS } from "../../core/crawl/page-retries.ts";
import { ERRORS, isAppError, type ErrorCode } from "../../core/errors.ts";
import { NOTHING } from "../../jobs/kind.ts";
import type { EarlierItem } from "./earlier-pages.ts";
import { followLinks, type Followed } from "./follow-links.ts";
import type { ItemOutcome, ItemTask } from "./item-task.ts";

/**
 * Returns the outcome of a page that was not loaded. A failure says nothing about its content: what the earlier job knows
 * about the page is kept, and the URLs that it has led to are followed.
 */
export async function unreadPage(task: ItemTask, result: PageResult): Promise<ItemOutcome> {
  const { item } = task;
  const plain = { url: item.url, result, discoveries: NOTHING, credits: 0 };
  return result.kind === "failed" ? { ...plain, ...(await withEarlier(task, result)) } : plain;
}

/**
 * Returns a failure with what the earlier job knows of the page. Where the URLs that it has led to cannot be read now, the
 * page is tried again: without them, pages behind it would count as removed.
 */
export async function withEarlier(
  task: ItemTask,
  failure: Extract<PageResult, { kind: "failed" }>,
): Promise<Pick<ItemOutcome, "result"> & Followed> {
  const { earlier } = task;
  if (earlier === undefined) return { result: failure, discoveries: NOTHING };
  const result = { ...failure, carried: earlier.page };
  try {
    return { result, ...(await followEarlier(task, earlier)) };
  } catch (error) {
    const isUnreadable = isAppError(error) && error.code === "STORED_STATE_UNREADABLE";
    return { result: { ...result, retryable: result.retryable || !isUnreadable }, discoveries: NOTHING };
  }
}

/** Follows the URLs that a page has led to in the earlier job: its failure does not remove them. */
async function followEarlier({ item, specification, kind }: ItemTask, earlier: EarlierItem): Promise<Followed> {
  const stored = await earlier.links();
  if (stored === undefined) return { discoveries: NOTHING };
  const { finalUrl = item.url, isRendered = false } = earlier.page.version;
  return await followLinks(kind, { item, finalUrl, isRendered }, () => stored.links, specification.input);
}

/** Returns the result of a page that had not been started when the job ended. */
export function notBegun({ key, attempt }: { key: string; attempt: number }, nowMs: number): PageResult {
  return { key, attempt, kind: "deferred", retryAtMs: nowMs };
}

/** Delay before a page is tried again that was not requested because the team had no connection for it. */
const UNSENT_WAIT_MS = 15_000;

/** Returns the result of a page that was not requested. It says nothing about the site, and counts as a load of the page. */
export function unsent(
  item: FrontierItem,
  { code, message }: { code: ErrorCode; message: string },
): Extract<PageResult, { kind: "failed" }> {
  const { key, attempt } = item;
  const retryable = loadNumber(item) < MAX_LOADS;
  return { key, attempt, kind: "failed", code, error: message, retryable, retryAfterMs: UNSENT_WAIT_MS };
}

/** Returns the result of a page after an error that says nothing about it. */
export function unexpected({ key, attempt }: FrontierItem): PageResult {
  const { message } = ERRORS.UNKNOWN_ERROR;
  return { key, attempt, kind: "failed", code: "UNKNOWN_ERROR", error: message, retryable: true };
}

/** Returns the result of a page that the earlier job could not be asked about. */
export function earlierUnknown({ key, attempt }: FrontierItem): PageResult {
  const error = "The earlier crawl could not be read";
  return { key, attempt, kind: "failed", code: "SERVICE_UNAVAILABLE", error, retryable: true };
}
