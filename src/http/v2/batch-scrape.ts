import { createRoute, defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { SCRAPE_OPTION_FIELDS, checkTimes } from "../../formats/scrape-options.ts";
import { BATCH_FIELDS } from "../../jobs/batch-body.ts";
import { V2_DEFAULTS } from "../../services/scrape-plan.ts";
import { answerBatch } from "../batch-answer.ts";
import type { AppEnv } from "../context.ts";
import {
  CancelAnswer,
  ErrorsAnswer,
  PageQuery,
  StartAnswer,
  StatusAnswer,
  answerCancel,
  answerErrors,
  answerStatus,
  type JobRoute,
} from "../job-answers.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../route.ts";

const BATCH: JobRoute = { version: "v2", kinds: ["batch_scrape"] };

const BatchBody = z
  .strictObject({ ...SCRAPE_OPTION_FIELDS, ...BATCH_FIELDS })
  .superRefine(checkTimes)
  .openapi("BatchScrapeRequest", { example: { urls: ["https://example.com"], formats: ["markdown"] } });

export const startBatchRoute = createRoute({
  method: "post",
  path: "/v2/batch/scrape",
  tags: ["Batch scrape"],
  summary: "Scrape a list of pages",
  security: BEARER,
  request: jsonBody(BatchBody),
  responses: {
    200: json(StartAnswer, "The batch has begun"),
    ...failures("BAD_REQUEST", "JOB_NOT_FOUND", "IDEMPOTENCY_KEY_USED", "CONCURRENCY_LIMITED", ...COMMON_FAILURES),
  },
});

export const startBatch = defineOpenAPIRoute<typeof startBatchRoute, AppEnv>({
  route: startBatchRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { urls, webhook, appendToId, ignoreInvalidURLs = true, maxConcurrency, zeroDataRetention, origin: _, integration: __, ...options } = body; // prettier-ignore
    const answer = await answerBatch(c, {
      version: "v2",
      defaults: V2_DEFAULTS,
      options,
      batch: { urls, webhook, appendToId, ignoreInvalidURLs, maxConcurrency, zeroDataRetention },
    });
    return c.json(answer, 200);
  },
});

export const batchStatusRoute = createRoute({
  method: "get",
  path: "/v2/batch/scrape/{id}",
  tags: ["Batch scrape"],
  summary: "Read where a batch stands, and its pages",
  security: BEARER,
  request: { params: IdParam, query: PageQuery },
  responses: {
    200: json(StatusAnswer, "The batch"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const batchStatus = defineOpenAPIRoute<typeof batchStatusRoute, AppEnv>({
  route: batchStatusRoute,
  // The body is copied from where it is kept; its shape is that of the schema by how it was written.
  handler: async (c) =>
    (await answerStatus(c, BATCH, { ...c.req.valid("param"), ...withLimit(c.req.valid("query")) })) as never,
});

export const batchErrorsRoute = createRoute({
  method: "get",
  path: "/v2/batch/scrape/{id}/errors",
  tags: ["Batch scrape"],
  summary: "List the pages of a batch that failed",
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(ErrorsAnswer, "The failures"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const batchErrors = defineOpenAPIRoute<typeof batchErrorsRoute, AppEnv>({
  route: batchErrorsRoute,
  handler: async (c) => c.json(await answerErrors(c, BATCH, c.req.valid("param").id), 200),
});

export const cancelBatchRoute = createRoute({
  method: "delete",
  path: "/v2/batch/scrape/{id}",
  tags: ["Batch scrape"],
  summary: "Cancel a batch",
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(CancelAnswer, "The batch has ended"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", "JOB_ENDED", ...COMMON_FAILURES),
  },
});

export const cancelBatch = defineOpenAPIRoute<typeof cancelBatchRoute, AppEnv>({
  route: cancelBatchRoute,
  handler: async (c) => c.json(await answerCancel(c, BATCH, c.req.valid("param").id), 200),
});

/** A query's page, with the limit told as absent where it is. */
export function withLimit({ skip, limit }: z.infer<typeof PageQuery>): { skip: number; limit: number | undefined } {
  return { skip, limit };
}
