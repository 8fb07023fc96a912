import { defineOpenAPIRoute } from "@hono/zod-openapi";
import { replayResponse } from "../replay-response.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { BEARER, COMMON_FAILURES, failures, jsonBody, jsonOrFailure } from "../route.ts";
import { SCRAPE_FAILURES, respondWithScrape } from "../scrape/scrape-response.ts";
import { getScrapeRoute, handleGetScrape, ScrapeResponse } from "../v2/scrape.ts";
import { V1_DEFAULTS, V1ScrapeBody, toV2Options } from "./translate.ts";

const scrapeRoute = createRoute({
  method: "post",
  path: "/v1/scrape",
  "x-key-scope": "scrape",
  tags: ["Version 1"],
  summary: "Scrape a page (version 1 options)",
  middleware: [replayResponse("scrape")] as const,
  security: BEARER,
  request: jsonBody(V1ScrapeBody),
  responses: {
    200: jsonOrFailure(ScrapeResponse, "The page, or that its host does not exist"),
    ...failures("IDEMPOTENCY_KEY_USED", ...COMMON_FAILURES, ...SCRAPE_FAILURES),
  },
});

export const scrape = defineOpenAPIRoute<typeof scrapeRoute, AppEnv>({
  route: scrapeRoute,
  handler: (c) => {
    const body = c.req.valid("json");
    const { url, origin, zeroDataRetention } = body;
    const options = toV2Options(body);
    return respondWithScrape(c, { url, options, origin, zeroDataRetention, defaults: V1_DEFAULTS, apiVersion: "v1" });
  },
});

const readRoute = createRoute({ ...getScrapeRoute, path: "/v1/scrape/{id}", tags: ["Version 1"] });

export const getScrape = defineOpenAPIRoute<typeof readRoute, AppEnv>({
  route: readRoute,
  handler: (c) => handleGetScrape(c, c.req.valid("param").id),
});
