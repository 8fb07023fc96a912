import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { ScrapeDocument } from "../../core/scrape/document.ts";
import { CallerFields, SCRAPE_OPTION_FIELDS, checkCombinations } from "../../formats/scrape-options.ts";
import { readScrape } from "../../services/scrape/read-scrape.ts";
import { V2_DEFAULTS } from "../../services/scrape/scrape-plan.ts";
import { replayResponse } from "../replay-response.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import {
  BEARER,
  COMMON_FAILURES,
  PROFILE_FAILURES,
  IdParam,
  ReceiptField,
  failures,
  json,
  jsonBody,
  jsonOrFailure,
} from "../route.ts";
import { admit } from "../account/rate-limit.ts";
import { checkUnread } from "../scrape/counted-body.ts";
import {
  SCRAPE_FAILURES,
  respondWithDocument,
  respondWithScrape,
  type DocumentResponse,
} from "../scrape/scrape-response.ts";
import { UrlValue } from "../../core/url/url.ts";
import { AlexandriaResponse, answerCapabilityCalls } from "../scrape/alexandria.ts";
import { DOCUMENT_EXAMPLE } from "../docs/examples.ts";

const ScrapeBody = z
  .strictObject({
    url: UrlValue.describe("URL of the page. Without a scheme, http is assumed."),
    ...SCRAPE_OPTION_FIELDS,
    zeroDataRetention: z
      .boolean()
      .optional()
      .describe(
        "Keeps neither the page nor the result. It is refused unless the deployment allows it. Default: false.",
      ),
    ...CallerFields,
  })
  .superRefine(checkCombinations)
  .openapi("ScrapeRequest", { example: { url: "https://example.com", formats: ["markdown"] } });

export const ScrapeResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: ScrapeDocument.describe("The scraped page."),
    scrape_id: z.string().optional().describe("ID of the scrape. Present when `origin` contains `website`."),
    receipt: ReceiptField,
  })
  .openapi("ScrapeResponse", { example: { success: true, data: DOCUMENT_EXAMPLE } });

const MIDDLEWARE: MiddlewareHandler<AppEnv>[] = [replayResponse("scrape"), answerCapabilityCalls];

const scrapeRoute = createRoute({
  method: "post",
  path: "/v2/scrape",
  "x-key-scope": "scrape",
  tags: ["Scraping"],
  summary: "Scrape a page",
  middleware: MIDDLEWARE,
  security: BEARER,
  request: jsonBody(ScrapeBody),
  responses: {
    200: jsonOrFailure(
      z.union([ScrapeResponse, AlexandriaResponse]),
      "The page, the results of calls of capabilities, or that the page's host does not exist",
    ),
    ...failures(
      "IDEMPOTENCY_KEY_USED",
      "NOT_AVAILABLE",
      "SEARCH_FAILED",
      ...COMMON_FAILURES,
      ...SCRAPE_FAILURES,
      ...PROFILE_FAILURES,
    ),
  },
});

export const scrape = defineOpenAPIRoute<typeof scrapeRoute, AppEnv>({
  route: scrapeRoute,
  handler: (c) => {
    const body = c.req.valid("json");
    const { url, zeroDataRetention, origin, integration: _, ...options } = body;
    return respondWithScrape(c, {
      url,
      options,
      origin,
      zeroDataRetention,
      defaults: V2_DEFAULTS,
      apiVersion: "v2",
    });
  },
});

/** Kinds of work whose documents can be read by their `scrapeId`; the owner is checked when the document is found. */
const SCRAPED_BY = ["scrape", "parse", "search", "crawl", "batch_scrape", "extract", "agent", "monitor"] as const;

export const getScrapeRoute = createRoute({
  method: "get",
  path: "/v2/scrape/{id}",
  "x-key-scope": SCRAPED_BY,
  tags: ["Scraping"],
  summary: "Get the result of a scrape",
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(ScrapeResponse, "The scraped page"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const getScrape = defineOpenAPIRoute<typeof getScrapeRoute, AppEnv>({
  route: getScrapeRoute,
  handler: (c) => handleGetScrape(c, c.req.valid("param").id),
});

/** Answers with a document, for v1 and v2: the same text that the caller received first. */
export async function handleGetScrape(c: Context<AppEnv>, id: string): Promise<DocumentResponse> {
  checkUnread(c);
  await admit(c, { mode: "crawlStatus", credits: 0 });
  return respondWithDocument(c, await readScrape(c.var.deps, c.var.caller, id));
}
