import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { availableCapabilities } from "../../services/alexandria/call-capabilities.ts";
import { matchTools } from "../../services/alexandria/find-tools.ts";
import { replayResponse } from "../replay-response.ts";
import type { AppEnv } from "../context.ts";
import { bodyError, inputOf } from "../error-response.ts";
import { createRoute } from "../account/key-scope.ts";
import { BEARER, COMMON_FAILURES, ReceiptField, failures, json, jsonBody } from "../route.ts";
import { respondWithSearch, SEARCH_FAILURES } from "../search/search-response.ts";
import { SearchBody, toolsOf, toSearchRequest } from "../search/search-request.ts";
import { receiptOf } from "../work.ts";
import { EXAMPLE_ID } from "../docs/examples.ts";

const Found = {
  title: z.string().describe("Title of the result."),
  url: z.string().describe("URL of the result."),
  position: z.int().describe("Position within its source, from 1."),
  provider: z.string().describe("Provider that returned the result."),
  providers: z.array(z.string()).optional().describe("Providers that returned the result, when there are several."),
};

/** The document's fields are merged into the item when pages were scraped. */
const WebItem = z.looseObject({
  ...Found,
  description: z.string().describe("Description of the result, or matching passages."),
  category: z.string().optional().describe("Category of the result."),
  date: z.string().optional().describe("Date of the result."),
  scrapeId: z.string().optional().openapi({
    description: "ID of the scrape of a result from your own index, for `GET /v2/scrape/{id}`.",
  }),
});
const ImageItem = z.looseObject({
  ...Found,
  imageUrl: z.string().describe("URL of the image."),
  imageWidth: z.int().optional().describe("Width of the image in pixels."),
  imageHeight: z.int().optional().describe("Height of the image in pixels."),
});
const NewsItem = z.looseObject({
  ...Found,
  snippet: z.string().describe("Excerpt of the article."),
  date: z.string().optional().describe("Age of the article in words, for example `3 hours ago`."),
  publishedDate: z
    .string()
    .optional()
    .describe("Date of publication in ISO 8601. Absent when the provider gives the age only."),
  imageUrl: z.string().optional().describe("URL of the image of the article."),
});

const SearchResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .object({
        web: z
          .array(WebItem)
          .optional()
          .describe("Web results, with the fields of their documents when they were scraped."),
        images: z
          .array(ImageItem)
          .optional()
          .describe("Image results, with the fields of their documents when they were scraped."),
        news: z
          .array(NewsItem)
          .optional()
          .describe("News results, with the fields of their documents when they were scraped."),
        developer: z.array(WebItem).optional().describe("Results of the category `developer`."),
        tools: z
          .array(
            z.looseObject({
              provider: z.string().describe("Provider of the capability."),
              capability: z.string().describe("Name of the capability, for `alexandria` of a scrape."),
              description: z.string().describe("What the capability does."),
            }),
          )
          .optional()
          .describe("Capabilities that fit the query or the hosts of the results, as far as `toolDetail` says."),
      })
      .describe("Results by source; only sources with results are present."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
    creditsUsed: z.number().describe("Credits charged for the search and the scraped results."),
    id: z.string().describe("ID of the resource."),
    /** With `asyncScraping`: an id for each item of a group, in order, to be read at `/v2/scrape/{id}`. */
    scrapeIds: z
      .object({
        web: z.array(z.string()).optional().describe("Scrape IDs of the web results, in their order."),
        images: z.array(z.string()).optional().describe("Scrape IDs of the image results, in their order."),
        news: z.array(z.string()).optional().describe("Scrape IDs of the news results, in their order."),
      })
      .optional()
      .describe("IDs of the scrapes by source, with `asyncScraping`."),
    receipt: ReceiptField,
  })
  .openapi("SearchResponse", {
    example: {
      success: true,
      data: {
        web: [
          {
            url: "https://example.com/tides",
            title: "How tides work",
            description: "Tides rise and fall because the moon pulls at the sea.",
            position: 1,
            provider: "own-index",
          },
        ],
      },
      creditsUsed: 2,
      id: EXAMPLE_ID,
    },
  });

const route = createRoute({
  method: "post",
  path: "/v2/search",
  "x-key-scope": "search",
  tags: ["Searching"],
  summary: "Search the web and your team's scraped pages",
  middleware: [replayResponse("search")] as const,
  security: BEARER,
  request: jsonBody(SearchBody),
  responses: {
    200: json(SearchResponse, "The results, by source"),
    ...failures("IDEMPOTENCY_KEY_USED", "INVALID_SEARCH", ...SEARCH_FAILURES, ...COMMON_FAILURES),
  },
});

export const search = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  hook: (result): undefined => {
    if (!result.success) throw bodyError("INVALID_SEARCH", result.error.issues, inputOf(result));
  },
  handler: async (c) => {
    const body = c.req.valid("json");
    const { groups, warning, creditsUsed, id, scrapeIds } = await respondWithSearch(c, toSearchRequest(body));
    const tools = findTools(c.var.deps, toolsOf(body), groups);
    return c.json(
      {
        success: true as const,
        data: { ...toData(groups), ...(tools.length === 0 ? {} : { tools }) },
        ...(warning === undefined ? {} : { warning }),
        creditsUsed,
        id,
        ...(scrapeIds === undefined ? {} : { scrapeIds }),
        receipt: receiptOf(c),
      },
      200,
    );
  },
});

/** Returns the capabilities that fit the query, or the hosts of the results. */
function findTools(deps: AppEnv["Variables"]["deps"], wanted: ReturnType<typeof toolsOf>, groups: Groups) {
  if (wanted === undefined) return [];
  const { byHost, ...matching } = wanted;
  const urls = byHost ? [...groups.web, ...groups.news, ...groups.images].map(({ url }) => url) : undefined;
  return matchTools({ ...matching, urls }, availableCapabilities(deps));
}

type Groups = Awaited<ReturnType<typeof respondWithSearch>>["groups"];

/** Returns the groups with results; developer results have a separate one (api-contract.md, “Search options”). */
function toData({ web, images, news }: Groups): z.input<typeof SearchResponse>["data"] {
  const items = web.map((item) => ({ ...item }));
  const developer = items.filter(({ category }) => category === "developer");
  const others = items.filter(({ category }) => category !== "developer");
  return {
    ...(others.length === 0 ? {} : { web: others }),
    ...(images.length === 0 ? {} : { images: images.map((item) => ({ ...item })) }),
    ...(news.length === 0 ? {} : { news: news.map((item) => ({ ...item })) }),
    ...(developer.length === 0 ? {} : { developer }),
  };
}
