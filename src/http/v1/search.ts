import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { SearchResponse as Answer } from "../../services/search/search-and-scrape.ts";
import { boundedTimeoutMs } from "../../formats/scrape-options.ts";
import { replayResponse } from "../replay-response.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { BEARER, COMMON_FAILURES, ReceiptField, failures, json, jsonBody } from "../route.ts";
import { respondWithSearch, SEARCH_FAILURES } from "../search/search-response.ts";
import { SEARCH_FIELDS, timeoutWarnings } from "../search/search-request.ts";
import { receiptOf } from "../work.ts";
import { translateOptions, V1_DEFAULTS, V1ScrapeOptions } from "./translate.ts";
import { EXAMPLE_ID } from "../docs/examples.ts";

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 100;

const V1SearchBody = z
  .strictObject({
    ...SEARCH_FIELDS,
    limit: z
      .int()
      .min(1)
      .max(MAX_LIMIT)
      .default(DEFAULT_LIMIT)
      .describe("Maximum number of results, 1 to 100. Default: 5."),
    scrapeOptions: V1ScrapeOptions.optional().describe(
      "How results are scraped. Without formats they are not scraped.",
    ),
  })
  .openapi("V1SearchRequest", { example: { query: "how tides work", limit: 5 } });

const V1SearchAnswer = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    /** When pages were scraped, with the fields of their documents. */
    data: z
      .array(
        z.looseObject({
          url: z.string().describe("URL of the result."),
          title: z.string().describe("Title of the result."),
          description: z.string().describe("Description of the result."),
        }),
      )
      .describe("Results; with the fields of their documents when they were scraped."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
    id: z.string().describe("ID of the resource."),
    receipt: ReceiptField,
  })
  .openapi("V1SearchAnswer", {
    example: {
      success: true,
      data: [
        {
          url: "https://example.com/tides",
          title: "How tides work",
          description: "Tides rise and fall because the moon pulls at the sea.",
        },
      ],
      id: EXAMPLE_ID,
    },
  });

const route = createRoute({
  method: "post",
  path: "/v1/search",
  "x-key-scope": "search",
  tags: ["Version 1"],
  summary: "Search the web (flat list)",
  middleware: [replayResponse("search")] as const,
  security: BEARER,
  request: jsonBody(V1SearchBody),
  responses: {
    200: json(V1SearchAnswer, "The results"),
    ...failures("IDEMPOTENCY_KEY_USED", "BAD_REQUEST", ...SEARCH_FAILURES, ...COMMON_FAILURES),
  },
});

export const search = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    const { query, limit, timeout, scrapeOptions, ignoreInvalidURLs, tbs, filter, lang, country, location } =
      c.req.valid("json");
    const options = scrapeOptions === undefined ? {} : translateOptions(scrapeOptions);
    const answer = await respondWithSearch(c, {
      search: {
        query, limit, tbs, filter, lang, country, location,
        ...(timeout === undefined ? {} : { timeoutMs: boundedTimeoutMs(timeout) }),
      }, // prettier-ignore
      scrapeOptions: { ...options, formats: options.formats ?? [] },
      defaults: V1_DEFAULTS,
      highlights: undefined,
      asyncScraping: false,
      ignoreInvalidUrls: ignoreInvalidURLs ?? false,
      zeroDataRetention: false,
      apiVersion: "v1",
      warnings: timeoutWarnings({ timeout }),
    });
    const warning = warningOf(answer, (options.formats ?? []).length > 0);
    const data = answer.groups.web;
    const warnings = warning === "" ? {} : { warning };
    return c.json({ success: true as const, data, ...warnings, id: answer.id, receipt: receiptOf(c) }, 200);
  },
});

/** Returns the warning; without results it has the text that version 1's clients know. */
function warningOf({ warning = "", groups: { web } }: Answer, wantsContent: boolean): string {
  const hasContent = web.some(({ metadata }) => metadata !== undefined && (metadata.statusCode ?? 200) < 400);
  const nothing =
    web.length === 0
      ? "No search results found"
      : wantsContent && !hasContent
        ? "No content found in search results"
        : "";
  return [nothing, warning].filter((text) => text !== "").join(" ");
}
