import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import {
  respondWithExtract,
  answerExtractCancel,
  respondWithExtractStatus,
  checkExtract,
  EXTRACT_FIELDS,
} from "../research/extract-response.ts";
import { jsonBody } from "../route.ts";
import { cancelExtractRoute, extractStatusRoute, startExtractRoute } from "../v2/extract.ts";
import { V1_DEFAULTS, V1ScrapeOptions, translateOptions } from "./translate.ts";

const V1 = { tags: ["Version 1"] };
const DEFAULT_TIME_MS = 60_000;

const ExtractBody = z
  .strictObject({
    ...EXTRACT_FIELDS,
    timeout: EXTRACT_FIELDS.timeout
      .default(DEFAULT_TIME_MS)
      .describe(
        "Time limit of the job in milliseconds, at least 1,000; values above 600,000 are lowered to that. Default: 60,000.",
      ),
    scrapeOptions: V1ScrapeOptions.optional().describe("How the pages are scraped, with the options of version 1."),
  })
  .superRefine(checkExtract)
  .openapi("V1ExtractRequest", { example: { urls: ["https://example.com"], prompt: "The name of the company" } });

const startRoute = createRoute({ ...startExtractRoute, ...V1, path: "/v1/extract", request: jsonBody(ExtractBody) });

export const startExtract = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const scrapeOptions = translateOptions(body.scrapeOptions ?? {});
    const { ignoreInvalidURLs = false } = body;
    const call = { version: "v1" as const, defaults: V1_DEFAULTS, body, scrapeOptions, ignoreInvalidURLs };
    return c.json(await respondWithExtract(c, call), 200);
  },
});

const statusRoute = createRoute({ ...extractStatusRoute, ...V1, path: "/v1/extract/{id}" });

export const extractStatus = defineOpenAPIRoute<typeof statusRoute, AppEnv>({
  route: statusRoute,
  handler: async (c) => c.json(await respondWithExtractStatus(c, c.req.valid("param").id), 200),
});

const cancelRoute = createRoute({ ...cancelExtractRoute, ...V1, path: "/v1/extract/{id}" });

export const cancelExtract = defineOpenAPIRoute<typeof cancelRoute, AppEnv>({
  route: cancelRoute,
  handler: async (c) => c.json(await answerExtractCancel(c, c.req.valid("param").id), 200),
});
