import type { Owner } from "../../core/fair-order.ts";
import { withinLimit, type WaitLimit } from "../../core/waits/wait-for-grant.ts";
import {
  PAGES_APART_OF_A_TEAM,
  PAGES_SESSION,
  type CodeEnd,
  type CodeRun,
  type StopReason,
} from "../../core/sessions/code-run.ts";
import { AppError, ERRORS, type ErrorCode } from "../../core/errors.ts";
import type { LogEvent } from "../../core/text/redact.ts";
import type { FairAdmission } from "../../core/waits/fair-admission.ts";
import type { HeldBytes } from "../../core/waits/held-bytes.ts";
import type { CodeRunner, SharedReader } from "../../ports/sessions/code-runner.ts";

export interface ReadApartTools {
  runner: Pick<CodeRunner, "run">;
  /** Reads pages of moderate size; undefined where this isolate reads them itself. */
  shared?: SharedReader | undefined;
  /** Order of the pages and tasks among teams. */
  turns: FairAdmission;
  /** Counts the pages that wait and are read. */
  waiting: HeldBytes;
  /** Keeps the invocation alive for work that goes on after the response. */
  defer(work: Promise<unknown>): void;
  log(event: LogEvent): void;
}

const LIMIT_MS = 30_000;
/**
 * A reader that counts its work returns what it has after this time. The platform's clock stops while a Worker
 * computes; there, steps and processor time alone end the reader.
 */
export const READING_MS = 20_000;
/** A document of 50 MB is in memory several times while it is transferred and unpacked. */
const LIMIT_MIB = 1_024;
/** The first pages of as many other teams are begun beside those of one (`FairAdmission`). */
export const PAGES_APART = { places: PAGES_APART_OF_A_TEAM, placeLifeMs: 2 * (LIMIT_MS + 10_000) };

/** How workerd says that a value which another isolate is given, or returns, exceeds the limit of a call. */
const TOO_LARGE_FOR_CALL = /Serialized RPC arguments or return values are limited/;

interface CallApart extends Pick<CodeRun, "method" | "input"> {
  /** Ms since the epoch at which the process is stopped, if that is before its own limit. */
  deadlineMs?: number | undefined;
}

/**
 * Calls a method of `sandbox/page-reader.ts`; after an unexpected end of its process, which may have another cause, once
 * more.
 * @throws AppError SCRAPE_WORK_LIMIT for results of more than 32 MiB, which cannot be returned; SCRAPE_TIMEOUT at the
 * deadline.
 */
export async function runApart(
  { runner }: Pick<ReadApartTools, "runner">,
  { method, input, deadlineMs = Infinity }: CallApart,
): Promise<CodeEnd> {
  const call = { program: "page-reader", sessionId: PAGES_SESSION, limitMib: LIMIT_MIB } as const;
  const once = async (): Promise<CodeEnd> => {
    const leftMs = deadlineMs - Date.now();
    if (leftMs <= 0) throw new AppError("SCRAPE_TIMEOUT");
    const limitMs = Math.min(LIMIT_MS, leftMs);
    try {
      const ended = await runner.run({ ...call, limitMs, method, input, runId: crypto.randomUUID() }, noBrowser);
      if (ended.kind === "stopped" && Date.now() >= deadlineMs) throw new AppError("SCRAPE_TIMEOUT");
      return ended;
    } catch (error) {
      throw TOO_LARGE_FOR_CALL.test(String(error)) ? tooLarge(error) : error;
    }
  };
  const ended = await once();
  return ended.kind === "stopped" && ended.reason === "crash" ? await once() : ended;
}

/**
 * Runs work when its owner is next. Work that is under way at the limit keeps its place until it ends.
 * @throws AppError SCRAPE_TIMEOUT when the limit ends the wait, and what the work throws.
 */
export async function inFairOrder<Result>(
  { turns, defer }: Pick<ReadApartTools, "turns" | "defer">,
  { owner, limit }: { owner: Owner; limit: WaitLimit | undefined },
  work: () => Promise<Result>,
): Promise<Result> {
  if (limit === undefined) return await turns.run(owner, work);
  const working = turns.run(owner, work, limit);
  defer(working.catch(() => undefined));
  return await withinLimit(working, limit);
}

function tooLarge(cause: unknown): AppError {
  const text =
    "What was read of this page is larger than one document may be (32 MiB). " +
    "Ask for fewer formats, or for parts of the page with includeTags and excludeTags.";
  return new AppError("SCRAPE_WORK_LIMIT", text, { cause });
}

/** Returns the error of a page or a text whose reader was stopped. */
export function stopError(what: string, reason: StopReason): AppError {
  switch (reason) {
    case "time":
      return new AppError("SCRAPE_WORK_LIMIT", `Reading this ${what} takes longer than this service allows`);
    case "memory":
      return new AppError("SCRAPE_WORK_LIMIT", `Reading this ${what} takes more memory than this service allows`);
    case "crash":
      return new AppError("SCRAPE_WORK_LIMIT", `The process that read this ${what} ended unexpectedly, twice`);
    case "busy":
      return new AppError("SERVICE_UNAVAILABLE", "Too many pages are being read; try again in a moment");
  }
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(ERRORS, value);
}

function noBrowser(): Promise<Response> {
  return Promise.resolve(new Response("There is no browser", { status: 403 }));
}
