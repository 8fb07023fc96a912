import type { FrontierItem, PageResult } from "../../core/crawl/frontier.ts";
import { ERRORS } from "../../core/errors.ts";
import { NOTHING, type Discoveries } from "../../jobs/kind.ts";
import type { ItemOutcome, ItemTask } from "./item-task.ts";

/**
 * Returns the outcome of a page that was not loaded. A failure says nothing about its content: what the earlier job knows
 * about the page is kept, and the URLs that it has led to are followed.
 */
export async function unreadPage(task: ItemTask, result: PageResult): Promise<ItemOutcome> {
  const { item, earlier } = task;
  const plain = { url: item.url, result, discoveries: NOTHING, credits: 0 };
  if (result.kind !== "failed" || earlier === undefined) return plain;
  return { ...plain, result: { ...result, carried: earlier.page }, discoveries: await earlierDiscoveries(task) };
}

/** Returns the URLs that a page has led to in the earlier job: its failure does not remove them. */
export async function earlierDiscoveries({ earlier, item, specification, kind }: ItemTask): Promise<Discoveries> {
  const stored = await earlier?.links().catch(() => undefined);
  if (earlier === undefined || stored === undefined) return NOTHING;
  const { finalUrl = item.url, isRendered = false } = earlier.page.version;
  return await kind.follow({ item, finalUrl, isRendered }, () => stored.links, specification.input);
}

/** Returns the result of a page that had not been started when the job ended. */
export function notBegun({ key, attempt }: { key: string; attempt: number }, nowMs: number): PageResult {
  return { key, attempt, kind: "deferred", retryAtMs: nowMs };
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
