import { z } from "@hono/zod-openapi";
import { LISTED_KINDS, LISTED_STATUSES, pagesOf, type ListedJob } from "../../core/jobs/listed-job.ts";
import { EXAMPLE_END, EXAMPLE_EXPIRY, EXAMPLE_ID, EXAMPLE_START, OTHER_ID } from "../docs/examples.ts";

/** Path of the status of each kind, without the id. */
const STATUS_PATHS = {
  crawl: "/v2/crawl",
  batch_scrape: "/v2/batch/scrape",
  extract: "/v2/extract",
  agent: "/v2/agent",
  deep_research: "/v1/deep-research",
  llmstxt: "/v1/llmstxt",
} as const;

export const JOB_EXAMPLE = {
  id: EXAMPLE_ID,
  kind: "crawl",
  status: "completed",
  target: "https://example.com",
  apiVersion: "v2",
  keyId: OTHER_ID,
  pages: { completed: 3, failed: 0, total: 3 },
  statusPath: `/v2/crawl/${EXAMPLE_ID}`,
  createdAt: EXAMPLE_START,
  endedAt: EXAMPLE_END,
  expiresAt: EXAMPLE_EXPIRY,
};

/** A job or a check in the list of jobs. */
export const JobItem = z
  .object({
    id: z.string().describe("ID of the job or check."),
    kind: z.enum(LISTED_KINDS).describe("Kind of the job."),
    status: z.enum(LISTED_STATUSES).describe("State of the job."),
    target: z
      .string()
      .describe(
        "Start URL, first URL or beginning of the prompt; for a check, the name of its monitor. Empty with zero data retention.",
      ),
    apiVersion: z.enum(["v1", "v2"]).describe("API version of the request."),
    keyId: z.string().describe("ID of the key that started the job, or that owns the monitor."),
    monitorId: z.string().optional().describe("ID of the monitor of a check."),
    pages: z
      .object({
        completed: z.int().describe("Number of scraped pages."),
        failed: z.int().describe("Number of pages that failed."),
        total: z.int().describe("Number of pages that are scraped or will be."),
      })
      .optional()
      .describe("Numbers of a crawl's or batch's pages. Absent for other kinds, and where they are not known."),
    zeroDataRetention: z
      .literal(true)
      .optional()
      .describe(
        "True for a job with zero data retention: its results are deleted once they are read to the end. Absent for every other job.",
      ),
    statusPath: z
      .string()
      .describe(
        "Path of the job's status and results. `DELETE` on the same path cancels a crawl, batch scrape, extract or agent.",
      ),
    createdAt: z.string().describe("Time of creation."),
    endedAt: z.string().nullable().describe("Time of the end, or null while the job runs."),
    expiresAt: z.string().describe("Time at which the results are deleted."),
  })
  .openapi("JobItem", { example: JOB_EXAMPLE });

export function toJobItem(job: ListedJob): z.infer<typeof JobItem> {
  const { id, kind, status, target, apiVersion, keyId, monitorId, pages, hasZeroRetention } = job;
  return {
    id,
    kind,
    status,
    target,
    apiVersion,
    keyId,
    ...(monitorId === undefined ? {} : { monitorId }),
    ...(pages === undefined ? {} : { pages: pagesOf(pages) }),
    ...(hasZeroRetention ? { zeroDataRetention: true } : {}),
    statusPath: kind === "monitor_check" ? `/v2/monitor/${monitorId}/checks/${id}` : `${STATUS_PATHS[kind]}/${id}`,
    createdAt: toTime(job.createdAtMs),
    endedAt: job.endedAtMs === undefined ? null : toTime(job.endedAtMs),
    expiresAt: toTime(job.expiresAtMs),
  };
}

function toTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
