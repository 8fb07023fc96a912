import { createRoute, defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { checkTimes } from "../../formats/scrape-options.ts";
import { BATCH_FIELDS } from "../../jobs/batch-body.ts";
import { answerBatch } from "../batch-answer.ts";
import type { AppEnv } from "../context.ts";
import { answerCancel, answerErrors, answerStatus, type JobRoute } from "../job-answers.ts";
import { jsonBody } from "../route.ts";
import {
  batchErrorsRoute,
  batchStatusRoute,
  cancelBatchRoute,
  startBatchRoute,
  withLimit,
} from "../v2/batch-scrape.ts";
import { V1_DEFAULTS, V1_OPTION_FIELDS, translateOptions } from "./translate.ts";

const BATCH: JobRoute = { version: "v1", kinds: ["batch_scrape"] };
const V1 = { tags: ["Version 1"] };

const BatchBody = z
  .strictObject({ ...V1_OPTION_FIELDS, ...BATCH_FIELDS })
  .superRefine(checkTimes)
  .openapi("V1BatchScrapeRequest", { example: { urls: ["https://example.com"], formats: ["markdown"] } });

const startRoute = createRoute({ ...startBatchRoute, ...V1, path: "/v1/batch/scrape", request: jsonBody(BatchBody) });

export const startBatch = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { urls, webhook, appendToId, ignoreInvalidURLs = false, maxConcurrency, zeroDataRetention, origin: _, integration: __, ...options } = body; // prettier-ignore
    const answer = await answerBatch(c, {
      version: "v1",
      defaults: V1_DEFAULTS,
      options: translateOptions(options),
      batch: { urls, webhook, appendToId, ignoreInvalidURLs, maxConcurrency, zeroDataRetention },
    });
    return c.json(answer, 200);
  },
});

const statusRoute = createRoute({ ...batchStatusRoute, ...V1, path: "/v1/batch/scrape/{id}" });

export const batchStatus = defineOpenAPIRoute<typeof statusRoute, AppEnv>({
  route: statusRoute,
  handler: async (c) =>
    (await answerStatus(c, BATCH, { ...c.req.valid("param"), ...withLimit(c.req.valid("query")) })) as never,
});

const errorsRoute = createRoute({ ...batchErrorsRoute, ...V1, path: "/v1/batch/scrape/{id}/errors" });

export const batchErrors = defineOpenAPIRoute<typeof errorsRoute, AppEnv>({
  route: errorsRoute,
  handler: async (c) => c.json(await answerErrors(c, BATCH, c.req.valid("param").id), 200),
});

/** The JavaScript client of version 1 reads errors with DELETE (contract § 0.2, G8). */
const deleteErrorsRoute = createRoute({ ...errorsRoute, method: "delete" });

export const batchErrorsByDelete = defineOpenAPIRoute<typeof deleteErrorsRoute, AppEnv>({
  route: deleteErrorsRoute,
  handler: async (c) => c.json(await answerErrors(c, BATCH, c.req.valid("param").id), 200),
});

const cancelRoute = createRoute({ ...cancelBatchRoute, ...V1, path: "/v1/batch/scrape/{id}" });

export const cancelBatch = defineOpenAPIRoute<typeof cancelRoute, AppEnv>({
  route: cancelRoute,
  handler: async (c) => c.json(await answerCancel(c, BATCH, c.req.valid("param").id), 200),
});
