import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { SCRAPE_OPTION_FIELDS, checkCombinations } from "../../../formats/scrape-options.ts";
import { ArchiveField } from "../../../jobs/crawl/archive-field.ts";
import { BATCH_FIELDS } from "../../../jobs/crawl/batch-body.ts";
import { V2_DEFAULTS } from "../../../services/scrape/scrape-plan.ts";
import { respondWithBatch, respondWithBatchEstimate } from "../../crawl/batch-response.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { fingerprintOf } from "../../../services/estimate/kept-estimates.ts";
import { EstimateField, EstimateResponse } from "../../jobs/estimate-response.ts";
import { StartResponse } from "../../jobs/job-responses.ts";
import { jobRoutes } from "../../jobs/job-routes.ts";
import { BEARER, COMMON_FAILURES, PROFILE_FAILURES, failures, json, jsonBody } from "../../route.ts";

const BatchBody = z
  .strictObject({ ...SCRAPE_OPTION_FIELDS, ...BATCH_FIELDS, archive: ArchiveField, estimate: EstimateField })
  .superRefine(checkCombinations)
  .openapi("BatchScrapeRequest", { example: { urls: ["https://example.com"], formats: ["markdown"] } });

export const startBatchRoute = createRoute({
  method: "post",
  path: "/v2/batch/scrape",
  "x-key-scope": "batch_scrape",
  tags: ["Batch scrape"],
  summary: "Start a batch scrape",
  security: BEARER,
  request: jsonBody(BatchBody),
  responses: {
    200: json(z.union([StartResponse, EstimateResponse]), "The batch has started; with `estimate`, its estimate"),
    ...failures(
      "BAD_REQUEST",
      "JOB_NOT_FOUND",
      "IDEMPOTENCY_KEY_USED",
      "CONCURRENCY_LIMITED",
      ...COMMON_FAILURES,
      ...PROFILE_FAILURES,
    ),
  },
});

export const startBatch = defineOpenAPIRoute<typeof startBatchRoute, AppEnv>({
  route: startBatchRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { urls, webhook, appendToId, ignoreInvalidURLs = true, maxConcurrency, zeroDataRetention, archive, estimate, origin: _, integration: __, ...options } = body; // prettier-ignore
    const call = {
      version: "v2" as const,
      defaults: V2_DEFAULTS,
      options,
      batch: { urls, webhook, appendToId, ignoreInvalidURLs, maxConcurrency, zeroDataRetention, archive },
    };
    if (estimate === true) return c.json(await respondWithBatchEstimate(c, call, body), 200);
    const fingerprint = await fingerprintOf("batch_scrape", body);
    return c.json(await respondWithBatch(c, { ...call, fingerprint }), 200);
  },
});

export const {
  status: batchStatus,
  errors: batchErrors,
  cancel: cancelBatch,
  retry: retryBatch,
} = jobRoutes({
  path: "/v2/batch/scrape",
  tag: "Batch scrape",
  noun: "batch",
  job: { version: "v2", kinds: ["batch_scrape"] },
  keyScope: "batch_scrape",
});
