import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { readJobDetails, type JobDetails } from "../../../services/jobs/read-job-details.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { ChangesField, changesField } from "../../jobs/changes-field.ts";
import { requestOf } from "../../jobs/job-request.ts";
import { JOB_EXAMPLE, JobItem, toJobItem } from "../../jobs/listed-job-schema.ts";
import { BEARER, COMMON_FAILURES, IdParam, ReceiptField, failures, json } from "../../route.ts";

const DetailsResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    job: z.object(JobItem.shape).describe("The job, as it is listed."),
    error: z.string().optional().describe("Why the job failed."),
    warning: z
      .string()
      .optional()
      .describe(
        "What could not be done as requested; while the job runs, until when it waits for a site. Absent when there is nothing to report.",
      ),
    durationMs: z.int().describe("Time from the creation to the end of the job, or to now, in milliseconds."),
    request: z
      .object({
        method: z.literal("POST").describe("Method of the request."),
        path: z.string().describe("Path of the request."),
        body: z.record(z.string(), z.unknown()).describe("Body of the request."),
      })
      .nullable()
      .describe(
        "Request that starts the same job again, at the version that started it and without its webhook. Null for checks, with zero data retention, when its options are not stored any more, and for a batch of more than 10,000 URLs.",
      ),
    pages: z
      .object({
        limit: z.int().nullable().describe("Maximum number of pages, or null for no limit."),
        total: z.int().describe("Number of pages that are scraped or will be, at most the limit."),
        completed: z.int().describe("Number of scraped pages."),
        failed: z.int().describe("Number of pages that failed."),
        pending: z
          .int()
          .describe("Number of pages that are still to be scraped: `total` without `completed`, while the job runs."),
        skipped: z.int().describe("Number of URLs that are left out, with those beyond the limit."),
        discovered: z.int().describe("Number of all URLs: the sum of `completed`, `failed`, `pending` and `skipped`."),
        creditsUsed: z.number().describe("Credits used so far."),
        documents: z
          .int()
          .describe("Number of documents among the results: `completed`, unless `sinceOutput` leaves some out."),
        changes: ChangesField,
      })
      .nullable()
      .describe("Numbers of a crawl's or batch's URLs. Null for other kinds."),
    pageTimes: z
      .object({
        stepMs: z.int().describe("Length of an interval in milliseconds."),
        counts: z.array(z.int()).describe("Number of pages scraped in each interval since the start, at most 120."),
      })
      .nullable()
      .describe("Times at which the pages of a crawl or batch were scraped. Null for other kinds."),
    receipt: ReceiptField,
  })
  .openapi("JobDetails", {
    example: {
      success: true,
      job: JOB_EXAMPLE,
      durationMs: 4000,
      request: { method: "POST", path: "/v2/crawl", body: { url: "https://example.com", limit: 3 } },
      pages: {
        limit: 3,
        total: 3,
        completed: 3,
        failed: 0,
        pending: 0,
        skipped: 12,
        discovered: 15,
        creditsUsed: 3,
        documents: 3,
      },
      pageTimes: { stepMs: 1000, counts: [1, 2] },
    },
  });

const route = createRoute({
  method: "get",
  path: "/v2/jobs/{id}",
  "x-key-scope": "key",
  tags: ["Jobs"],
  summary: "Get a job with its request and its numbers",
  description:
    "Returns everything about a job of any kind besides its results, which are at `statusPath`. The numbers of pages are of one moment and agree with each other. A key needs the endpoint of the job's kind.",
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(DetailsResponse, "The job"),
    ...failures("BAD_REQUEST", "INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const getJob = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    await admit(c, { mode: "crawlStatus", credits: 0 });
    const details = await readJobDetails(c.var.deps, c.var.caller, c.req.valid("param").id);
    return c.json(present(details, c.var.caller.key.id), 200);
  },
});

function present(
  { job, error, warning, durationMs, pages, pageTimes, receipt, optionsJson, urls }: JobDetails,
  keyId: string,
) {
  const { kind, apiVersion, target } = job;
  const request =
    kind === "monitor_check" || optionsJson === undefined
      ? undefined
      : requestOf({ kind, apiVersion, target, optionsJson, urls, isOwn: job.keyId === keyId });
  return {
    success: true as const,
    job: toJobItem(job),
    ...(error === undefined ? {} : { error }),
    ...(warning === undefined ? {} : { warning }),
    durationMs,
    request: request ?? null,
    pages: pages === undefined ? null : numbersOf(pages),
    pageTimes: pageTimes ?? null,
    ...(receipt === undefined ? {} : { receipt }),
  };
}

function numbersOf(pages: NonNullable<JobDetails["pages"]>) {
  const { limit, total, completed, failed, pending, skipped, discovered, creditsUsed, documents } = pages;
  const numbers = {
    limit: limit ?? null,
    total,
    completed,
    failed,
    pending,
    skipped,
    discovered,
    creditsUsed,
    documents,
  };
  return { ...numbers, ...changesField(pages) };
}
