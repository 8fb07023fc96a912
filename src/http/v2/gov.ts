import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { V2_DEFAULTS } from "../../services/scrape/scrape-plan.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { EXAMPLE_ID } from "../docs/examples.ts";
import { replayResponse } from "../replay-response.ts";
import { BEARER, failures, json, jsonBody } from "../route.ts";
import {
  AccountFields,
  AnswerFields,
  CallerParams,
  INDEX_FAILURES,
  QueryField,
  countParam,
} from "../search/index-search.ts";
import { respondWithSearch } from "../search/search-response.ts";
import { receiptOf } from "../work.ts";

const MAX_RESULTS = 100;
const DEFAULT_RESULTS = 10;
const QUERY = "Search query, 1 to 2,000 characters.";

const GovBody = z
  .strictObject({
    query: QueryField.describe(QUERY),
    k: z
      .int()
      .min(1)
      .max(MAX_RESULTS)
      .default(DEFAULT_RESULTS)
      .describe("Maximum number of results, 1 to 100. Default: 10."),
    ...CallerParams,
  })
  .openapi("GovSearchRequest", { example: { query: "harbour safety zones", k: 5 } });

const GovQuery = z.strictObject({
  query: QueryField.openapi({ description: QUERY, example: "harbour safety zones" }),
  k: countParam(MAX_RESULTS, DEFAULT_RESULTS, "results"),
  ...CallerParams,
});

const GovAnswer = z
  .object({
    ...AnswerFields,
    results: z
      .array(
        z.object({
          url: z.string().describe("URL of the page, on the host of a government."),
          title: z.string().describe("Title of the page."),
          description: z.string().describe("Description of the page, or matching passages."),
          position: z.int().describe("Position in the list, from 1."),
          category: z.literal("gov").describe("Category of the page, always `gov`."),
          date: z.string().optional().describe("Date of the page. Absent when unknown."),
          scrapeId: z
            .string()
            .optional()
            .describe("ID of the scrape of a page from your own index, for `GET /v2/scrape/{id}`."),
          provider: z.string().describe("Provider that returned the page."),
          providers: z.array(z.string()).optional().describe("Providers that returned it, when there are several."),
        }),
      )
      .describe("Pages of governments, best first."),
    id: z.string().describe("ID of the search, for feedback."),
    ...AccountFields,
  })
  .openapi("GovSearchResponse", {
    example: {
      success: true,
      results: [
        {
          url: "https://www.gov.uk/guidance/harbour-bells",
          title: "Harbour bells: guidance",
          description: "When a harbour and its bell must ring.",
          position: 1,
          category: "gov",
          provider: "gov-uk",
        },
      ],
      id: EXAMPLE_ID,
      creditsUsed: 2,
    },
  });

const base = {
  path: "/v2/search/gov" as const,
  "x-key-scope": "search" as const,
  tags: ["Searching"],
  security: BEARER,
  responses: {
    200: json(GovAnswer, "The pages"),
    ...failures("SCRAPE_TIMEOUT", ...INDEX_FAILURES),
  },
};

const postRoute = createRoute({
  ...base,
  method: "post",
  summary: "Search the pages of governments",
  middleware: [replayResponse("search")] as const,
  request: jsonBody(GovBody),
  responses: { ...base.responses, ...failures("IDEMPOTENCY_KEY_USED") },
});
const getRoute = createRoute({
  ...base,
  method: "get",
  summary: "Search the pages of governments by a query string",
  request: { query: GovQuery },
});

export const searchGov = defineOpenAPIRoute<typeof postRoute, AppEnv>({
  route: postRoute,
  handler: async (c) => c.json(await respond(c, c.req.valid("json")), 200),
});

export const searchGovByQuery = defineOpenAPIRoute<typeof getRoute, AppEnv>({
  route: getRoute,
  handler: async (c) => c.json(await respond(c, c.req.valid("query")), 200),
});

/** Searches as `POST /v2/search` does with the category `gov`. */
async function respond(
  c: Context<AppEnv>,
  { query, k }: { query: string; k: number },
): Promise<z.input<typeof GovAnswer>> {
  const { groups, warning, creditsUsed, id } = await respondWithSearch(c, {
    search: { query, limit: k, categories: ["gov"] },
    scrapeOptions: { formats: [] },
    defaults: V2_DEFAULTS,
    highlights: undefined,
    asyncScraping: false,
    ignoreInvalidUrls: false,
    zeroDataRetention: false,
    apiVersion: "v2",
    warnings: [],
  });
  return {
    success: true,
    results: groups.web.map(({ url, title, description, position, date, scrapeId, provider, providers }) => ({
      url,
      title,
      description,
      position,
      category: "gov" as const,
      ...(date === undefined ? {} : { date }),
      ...(scrapeId === undefined ? {} : { scrapeId }),
      provider,
      ...(providers === undefined ? {} : { providers }),
    })),
    ...(warning === undefined ? {} : { warning }),
    creditsUsed,
    id,
    receipt: receiptOf(c),
  };
}
