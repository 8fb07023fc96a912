import type { FrontierItem, PageResult } from "../../core/crawl/frontier.ts";
import { ERRORS } from "../../core/errors.ts";

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
