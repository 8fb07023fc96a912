import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { retryJob, type RetriedJob } from "../../services/jobs/retry-job.ts";
import type { AppEnv } from "../context.ts";
import { admit } from "../account/rate-limit.ts";
import { EXAMPLE_ID, EXAMPLE_ORIGIN } from "../docs/examples.ts";
import { idempotencyOf } from "../idempotency.ts";
import { jobUrl, type JobRoute } from "./job-responses.ts";

export const RetryResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    url: z.string().openapi({ description: "URL of the status of the job." }),
    retried: z.int().describe("Number of pages that are scraped again. With 0 the job stays ended."),
    failed: z.int().describe("Number of pages that had failed."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
  })
  .openapi("JobRetried", {
    example: {
      success: true,
      id: EXAMPLE_ID,
      url: `${EXAMPLE_ORIGIN}/v2/crawl/${EXAMPLE_ID}`,
      retried: 3,
      failed: 3,
    },
  });

/** Runs an ended job again with the pages that failed. */
export async function answerRetry(
  c: Context<AppEnv>,
  { kinds }: JobRoute,
  { id, path }: { id: string; path: string },
): Promise<z.infer<typeof RetryResponse>> {
  await admit(c, { mode: "crawl", credits: 0 });
  const { deps, caller } = c.var;
  const retried = await retryJob(deps, caller, { id, kinds, idempotency: await idempotencyOf(c) });
  const warning = limitWarning(retried);
  return { success: true, url: jobUrl(c, `${path}/${retried.id}`), ...retried, ...(warning && { warning }) };
}

function limitWarning({ retried, failed }: RetriedJob): string | undefined {
  if (retried === failed) return undefined;
  return `limit: ${failed - retried} of the ${failed} failed pages are not scraped again, because the job has as many pages as its limit allows.`;
}
