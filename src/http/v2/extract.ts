import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { ScrapeOptions } from "../../formats/scrape-options.ts";
import { V2_DEFAULTS } from "../../services/scrape/scrape-plan.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import {
  respondWithExtract,
  answerExtractCancel,
  respondWithExtractStatus,
  checkExtract,
  EXTRACT_FIELDS,
  ExtractResponse,
  ExtractStarted,
} from "../research/extract-response.ts";
import { CancelResponse } from "../jobs/job-responses.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../route.ts";

const ExtractBody = z
  .strictObject({ ...EXTRACT_FIELDS, scrapeOptions: ScrapeOptions.optional().describe("How the pages are scraped.") })
  .superRefine(checkExtract)
  .openapi("ExtractRequest", {
    example: { urls: ["https://example.com/*"], prompt: "The name and price of each product" },
  });

export const startExtractRoute = createRoute({
  method: "post",
  path: "/v2/extract",
  "x-key-scope": "extract",
  tags: ["Extraction"],
  summary: "Start an extract job",
  deprecated: true,
  security: BEARER,
  request: jsonBody(ExtractBody),
  responses: {
    200: json(ExtractStarted, "The job has started"),
    ...failures("BAD_REQUEST", "IDEMPOTENCY_KEY_USED", "CONCURRENCY_LIMITED", ...COMMON_FAILURES),
  },
});

export const startExtract = defineOpenAPIRoute<typeof startExtractRoute, AppEnv>({
  route: startExtractRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { scrapeOptions = {}, ignoreInvalidURLs = true } = body;
    const call = { version: "v2" as const, defaults: V2_DEFAULTS, body, scrapeOptions, ignoreInvalidURLs };
    return c.json(await respondWithExtract(c, call), 200);
  },
});

export const extractStatusRoute = createRoute({
  method: "get",
  path: "/v2/extract/{id}",
  "x-key-scope": ["extract", "agent"],
  tags: ["Extraction"],
  summary: "Get the status and result of an extract job",
  deprecated: true,
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(ExtractResponse, "The job, with the data when it is complete"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const extractStatus = defineOpenAPIRoute<typeof extractStatusRoute, AppEnv>({
  route: extractStatusRoute,
  handler: async (c) => c.json(await respondWithExtractStatus(c, c.req.valid("param").id), 200),
});

export const cancelExtractRoute = createRoute({
  method: "delete",
  path: "/v2/extract/{id}",
  "x-key-scope": ["extract", "agent"],
  tags: ["Extraction"],
  summary: "Cancel an extract job",
  deprecated: true,
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(CancelResponse, "The job is cancelled"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", "JOB_ENDED", ...COMMON_FAILURES),
  },
});

export const cancelExtract = defineOpenAPIRoute<typeof cancelExtractRoute, AppEnv>({
  route: cancelExtractRoute,
  handler: async (c) => c.json(await answerExtractCancel(c, c.req.valid("param").id), 200),
});
