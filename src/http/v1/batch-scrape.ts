import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { BATCH_FIELDS } from "../../jobs/crawl/batch-body.ts";
import { respondWithBatch } from "../crawl/batch-response.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { jobRoutes } from "../jobs/job-routes.ts";
import { jsonBody } from "../route.ts";
import { startBatchRoute } from "../v2/crawl/batch-scrape.ts";
import { V1_DEFAULTS, V1_OPTION_FIELDS, checkV1Options, translateOptions } from "./translate.ts";

const V1 = { tags: ["Version 1"] };

const BatchBody = z
  .strictObject({ ...V1_OPTION_FIELDS, ...BATCH_FIELDS })
  .superRefine(checkV1Options)
  .openapi("V1BatchScrapeRequest", { example: { urls: ["https://example.com"], formats: ["markdown"] } });

const startRoute = createRoute({ ...startBatchRoute, ...V1, path: "/v1/batch/scrape", request: jsonBody(BatchBody) });

export const startBatch = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { urls, webhook, appendToId, ignoreInvalidURLs = false, maxConcurrency, zeroDataRetention, origin: _, integration: __, ...options } = body; // prettier-ignore
    const answer = await respondWithBatch(c, {
      version: "v1",
      defaults: V1_DEFAULTS,
      options: translateOptions(options),
      batch: { urls, webhook, appendToId, ignoreInvalidURLs, maxConcurrency, zeroDataRetention },
    });
    return c.json(answer, 200);
  },
});

export const {
  status: batchStatus,
  errors: batchErrors,
  errorsByDelete: batchErrorsByDelete,
  cancel: cancelBatch,
} = jobRoutes({
  path: "/v1/batch/scrape",
  tag: "Version 1",
  noun: "batch",
  job: { version: "v1", kinds: ["batch_scrape"] },
  keyScope: "batch_scrape",
});
