import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { ScrapeDocument } from "../../core/scrape/document.ts";
import { AppError } from "../../core/errors.ts";
import type { JobKindName, JobRecord } from "../../core/jobs/job.ts";
import type { JobProgress } from "../../services/jobs/read-job.ts";
import { cancelJob } from "../../services/jobs/cancel-job.ts";
import { findJob } from "../../services/jobs/find-job.ts";
import { hasZeroRetention } from "../../core/jobs/zero-retention.ts";
import { forgetRead } from "../../services/jobs/forget-job.ts";
import { jobReceipt } from "../../services/jobs/job-receipt.ts";
import { estimateOf } from "../../services/estimate/kept-estimates.ts";
import { jobWarning, pagesInFlightWarning } from "../../services/jobs/job-warning.ts";
import { readJob } from "../../services/jobs/read-job.ts";
import type { AppEnv } from "../context.ts";
import { publicOrigin } from "../public-origin.ts";
import { ChangesField, changesField } from "./changes-field.ts";
import { admit } from "../account/rate-limit.ts";
import { ReceiptField } from "../route.ts";
import { ComparedField } from "./estimate-response.ts";
import {
  DOCUMENT_EXAMPLE,
  EXAMPLE_END,
  EXAMPLE_EXPIRY,
  EXAMPLE_ID,
  EXAMPLE_ORIGIN,
  EXAMPLE_START,
  OTHER_ID,
} from "../docs/examples.ts";

export const StartResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    url: z.string().openapi({ description: "URL of the status of the job." }),
    since: z.string().optional().describe("ID of the crawl that an incremental crawl continues."),
    invalidURLs: z.array(z.string()).optional().describe("URLs that were skipped, with `ignoreInvalidURLs`."),
    receipt: ReceiptField,
    promptGeneratedOptions: z.unknown().optional().describe("Options that were derived from `prompt`."),
    finalCrawlerOptions: z.unknown().optional().describe("Options of the crawl after `prompt` was applied."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
  })
  .openapi("JobStarted", {
    example: { success: true, id: EXAMPLE_ID, url: `${EXAMPLE_ORIGIN}/v2/crawl/${EXAMPLE_ID}` },
  });

export const StatusResponse = z
  .object({
    success: z.boolean().describe("False only when the job could not start."),
    status: z.enum(["scraping", "completed", "failed", "cancelled"]).describe("State of the job."),
    completed: z.int().describe("Number of pages that were scraped."),
    total: z.int().describe("Number of known pages, without failed ones."),
    creditsUsed: z.number().describe("Credits charged so far."),
    changes: ChangesField,
    receipt: ReceiptField,
    estimate: ComparedField,
    expiresAt: z.string().describe("Time at which the resource expires."),
    createdAt: z.string().optional().describe("Time at which the job started. Absent in version 1."),
    completedAt: z.string().optional().describe("Time at which the job ended. Absent while it runs and in version 1."),
    duration: z.number().optional().describe("Duration of the job in seconds. Absent in version 1."),
    warning: z
      .string()
      .optional()
      .describe(
        "What could not be done as requested; while the job runs, until when it waits for a site. Absent when there is nothing to report.",
      ),
    error: z.string().optional().describe("Why the job could not start."),
    next: z
      .string()
      .optional()
      .openapi({ description: "Absolute URL of the next page of documents. Absent when there is none." }),
    data: z.array(ScrapeDocument).describe("Documents in the order in which they were completed."),
  })
  .openapi("JobStatus", {
    example: {
      success: true,
      status: "completed",
      completed: 1,
      total: 1,
      creditsUsed: 1,
      expiresAt: EXAMPLE_EXPIRY,
      createdAt: EXAMPLE_START,
      completedAt: EXAMPLE_END,
      duration: 4,
      data: [DOCUMENT_EXAMPLE],
    },
  });

export const PageQuery = z.object({
  skip: z.coerce.number().int().min(0).default(0).describe("Number of documents to skip. Default: 0."),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Maximum number of documents in the response, 1 to 1,000. Without it a page has at most 100."),
});

/** Failures in one response; fewer where they are long. */
const FAILURES_A_PAGE = 10_000;

export const ErrorsQuery = z.object({
  after: z.coerce.number().int().min(0).default(0).describe("Where the previous page ended, from its `next` URL."),
});

export const ErrorsResponse = z
  .object({
    errors: z
      .array(
        z.object({
          id: z.string().describe("ID of the resource."),
          timestamp: z.string().describe("Time of the failure."),
          url: z.string().describe("URL of the page."),
          code: z.string().optional().describe("Error code of the failure."),
          error: z.string().describe("Error message of the failure."),
        }),
      )
      .describe("Pages that failed."),
    robotsBlocked: z.array(z.string()).describe("URLs that robots.txt disallows."),
    next: z.string().optional().describe("URL of the next page. Absent when there is none."),
  })
  .openapi("JobErrors", {
    example: {
      errors: [
        {
          id: OTHER_ID,
          timestamp: EXAMPLE_END,
          url: "https://example.com/slow",
          code: "SCRAPE_TIMEOUT",
          error: "The page did not load in time",
        },
      ],
      robotsBlocked: ["https://example.com/private"],
    },
  });

export const CancelResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    status: z.literal("cancelled").describe("Always `cancelled` in this response."),
    pagesInFlight: z.int().optional().openapi({
      description: "Number of pages that were being scraped. Those that had started are completed, listed and charged.",
    }),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
  })
  .openapi("JobCancelled", { example: { success: true, status: "cancelled" } });

const DEFAULT_PAGE = 100;

/** A job route: its path, and the kinds of its jobs. */
export interface JobRoute {
  version: "v1" | "v2";
  kinds: readonly JobKindName[];
}

/**
 * Jobs whose records this isolate has read, each with its team, and when they expire, in ms since the epoch: until then
 * their objects exist, and are asked beside the record.
 */
const knownJobs = new Map<string, number>();
const MAX_KNOWN_JOBS = 10_000;

/** Answers with the status and a page of documents, which are copied from storage and never parsed. */
export async function answerStatus(
  c: Context<AppEnv>,
  { version, kinds }: JobRoute,
  { id, skip, limit }: { id: string; skip: number; limit: number | undefined },
): Promise<Response> {
  const { deps, caller } = c.var;
  const name = `${caller.key.teamId} ${id.toLowerCase()}`;
  const read = async (jobId: string) => await readJob(deps, jobId, { skip, limit: limit ?? DEFAULT_PAGE });
  // Far stores are asked at once: the ledger, the record and, where it is known to exist, the job's object.
  const finding = findJob(deps, caller, { id, kinds });
  const early = (knownJobs.get(name) ?? 0) > deps.clock.now() ? read(id.toLowerCase()) : undefined;
  for (const promise of [finding, early]) promise?.catch(() => undefined);
  const admitted = admit(c, { mode: "crawlStatus", credits: 0 }).then(() => finding);
  const job = await admitted.catch((error: unknown) => {
    // The documents are being read already.
    void early?.then((page) => page?.documents.cancel()).catch(() => undefined);
    throw error;
  });
  const page = await (early ?? read(job.id));
  if (knownJobs.size >= MAX_KNOWN_JOBS) knownJobs.clear();
  if (page === undefined) throw new AppError("JOB_NOT_FOUND", "Job not found");
  // The object of a job without retention is deleted once its documents are handed over.
  if (!hasZeroRetention(job)) knownJobs.set(name, job.expiresAtMs);
  const { progress, count, documents } = page;
  const next = skip + count;
  const fields = {
    ...statusFields(job, progress, { version, nowMs: deps.clock.now() }),
    ...(count > 0 && next < progress.documents ? { next: nextUrl(c, next, limit) } : {}),
  };
  c.header("Server-Timing", `do-written;desc="${progress.rowsWritten}", queue;desc="${progress.messagesSent}"`);
  const type = { "Content-Type": "application/json; charset=utf-8" };
  const { readable, done } = framed(`${JSON.stringify(fields).slice(0, -1)},"data":[`, documents, "]}");
  // Pages may be read in any order, and at once.
  if (hasZeroRetention(job) && (count > 0 || isFullyRead(progress, next)))
    deps.defer(done.then(() => forgetRead(deps, job, { from: skip, to: next })));
  return c.body(readable, 200, type);
}

/**
 * Returns the fields of a job status without its documents (api-contract.md, “Job status”). A job that could not start
 * is an error with status 200.
 */
export function statusFields(
  job: JobRecord,
  progress: JobProgress,
  { version, nowMs }: { version: "v1" | "v2"; nowMs: number },
): Record<string, unknown> {
  const { status, completed, total, creditsUsed, createdAtMs, endedAtMs } = progress;
  const hasFailed = status === "failed";
  const warning = jobWarning(job, progress);
  const receipt = jobReceipt(progress);
  const { dollars, browserMs } = receipt;
  const outcome = { pages: completed, credits: creditsUsed, dollars, browserSeconds: browserMs / 1000 };
  const estimate = version === "v1" ? undefined : estimateOf(job, outcome);
  return {
    success: !hasFailed,
    ...(hasFailed ? { error: progress.error ?? "The job could not begin" } : {}),
    status,
    completed,
    total,
    creditsUsed,
    ...changesField(progress),
    receipt,
    ...(estimate === undefined ? {} : { estimate }),
    expiresAt: new Date(job.expiresAtMs).toISOString(),
    ...(version === "v1"
      ? {}
      : {
          createdAt: new Date(createdAtMs).toISOString(),
          ...(endedAtMs === undefined ? {} : { completedAt: new Date(endedAtMs).toISOString() }),
          duration: ((endedAtMs ?? nowMs) - createdAtMs) / 1000,
        }),
    ...(warning === undefined ? {} : { warning }),
  };
}

export async function answerErrors(
  c: Context<AppEnv>,
  { kinds }: JobRoute,
  { id, after }: { id: string; after: number },
): Promise<z.infer<typeof ErrorsResponse>> {
  await admit(c, { mode: "crawlStatus", credits: 0 });
  const { deps, caller } = c.var;
  const job = await findJob(deps, caller, { id, kinds });
  const { errors, robotsBlocked, next } = await deps.frontiers.failures(job.id, { after, limit: FAILURES_A_PAGE });
  return {
    errors: errors.map(({ id: failureId, atMs, url, code, error }) => ({
      id: failureId,
      timestamp: new Date(atMs).toISOString(),
      url,
      code,
      error,
    })),
    robotsBlocked,
    ...(next === undefined ? {} : { next: jobUrl(c, `${c.req.path}?after=${next}`) }),
  };
}

export async function answerCancel(
  c: Context<AppEnv>,
  { kinds }: JobRoute,
  id: string,
): Promise<z.infer<typeof CancelResponse>> {
  await admit(c, { mode: "crawlStatus", credits: 0 });
  const { deps, caller } = c.var;
  const pagesInFlight = await cancelJob(deps, await findJob(deps, caller, { id, kinds }));
  const warning = pagesInFlightWarning(pagesInFlight);
  return { success: true, status: "cancelled", pagesInFlight, ...(warning === undefined ? {} : { warning }) };
}

/** Returns an absolute URL on the caller's host, since some clients follow it unchanged. */
export function jobUrl(c: Context<AppEnv>, path: string): string {
  return `${publicOrigin(c.req.raw)}${path}`;
}

function nextUrl(c: Context<AppEnv>, skip: number, limit: number | undefined): string {
  return jobUrl(c, `${c.req.path}?skip=${skip}${limit === undefined ? "" : `&limit=${limit}`}`);
}

/** True when a caller that has read this many documents has read all that the job will ever have. */
export function isFullyRead({ status, inFlight, documents }: JobProgress, read: number): boolean {
  return status !== "scraping" && inFlight === 0 && read >= documents;
}

/** @returns `done`, which resolves when the body was read completely and rejects when the reader leaves before */
function framed(
  head: string,
  body: ReadableStream<Uint8Array>,
  tail: string,
): { readable: ReadableStream<Uint8Array>; done: Promise<void> } {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const pipe = async (): Promise<void> => {
    const writer = writable.getWriter();
    const encoder = new TextEncoder();
    try {
      await writer.write(encoder.encode(head));
      for await (const chunk of body) await writer.write(chunk);
      await writer.write(encoder.encode(tail));
      await writer.close();
    } catch (error) {
      // The reader may leave before the first document, which is being read already.
      await body.cancel(error).catch(() => undefined);
      await writer.abort(error).catch(() => undefined);
      throw error;
    }
  };
  const done = pipe();
  // The awaiting caller handles the failure.
  done.catch(() => undefined);
  return { readable, done };
}
