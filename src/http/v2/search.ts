import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../core/errors.ts";
import { answerOnce } from "../answer-once.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../key-scope.ts";
import { BEARER, COMMON_FAILURES, ReceiptField, failures, json, jsonBody } from "../route.ts";
import { answerSearch, SEARCH_FAILURES } from "../search-answer.ts";
import { SearchBody, toSearchRequest } from "../search-request.ts";
import { receiptOf } from "../work.ts";
import { EXAMPLE_ID } from "../examples.ts";

const Found = {
  title: z.string(),
  url: z.string(),
  position: z.int(),
  provider: z.string(),
  providers: z.array(z.string()).optional(),
};

/** Fields of the document stand beside those of the item when pages were scraped. */
const WebItem = z.looseObject({
  ...Found,
  description: z.string(),
  category: z.string().optional(),
  date: z.string().optional(),
  scrapeId: z.string().optional().openapi({
    description: "Of a page of the own index: what it was read by, at `/v2/scrape/{id}` while that is kept",
  }),
});
const ImageItem = z.looseObject({
  ...Found,
  imageUrl: z.string(),
  imageWidth: z.int().optional(),
  imageHeight: z.int().optional(),
});
const NewsItem = z.looseObject({
  ...Found,
  snippet: z.string(),
  date: z.string().optional(),
  imageUrl: z.string().optional(),
  category: z.string().optional(),
});

const SearchAnswer = z
  .object({
    success: z.literal(true),
    data: z.object({
      web: z.array(WebItem).optional(),
      images: z.array(ImageItem).optional(),
      news: z.array(NewsItem).optional(),
      developer: z.array(WebItem).optional(),
    }),
    warning: z.string().optional(),
    creditsUsed: z.number(),
    id: z.string(),
    /** With `asyncScraping`: one for each item of a group, in its order, to be read at `/v2/scrape/{id}`. */
    scrapeIds: z
      .object({
        web: z.array(z.string()).optional(),
        images: z.array(z.string()).optional(),
        news: z.array(z.string()).optional(),
      })
      .optional(),
    receipt: ReceiptField,
  })
  .openapi("SearchAnswer", {
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
  middleware: [answerOnce("search")] as const,
  security: BEARER,
  request: jsonBody(SearchBody),
  responses: {
    200: json(SearchAnswer, "The results, by source"),
    ...failures("IDEMPOTENCY_KEY_USED", "INVALID_SEARCH", ...SEARCH_FAILURES, ...COMMON_FAILURES),
  },
});

export const search = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  hook: (result): undefined => {
    if (!result.success) throw new AppError("INVALID_SEARCH", undefined, { details: result.error.issues });
  },
  handler: async (c) => {
    const { groups, warning, creditsUsed, id, scrapeIds } = await answerSearch(c, toSearchRequest(c.req.valid("json")));
    return c.json(
      {
        success: true as const,
        data: toData(groups),
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

type Groups = Awaited<ReturnType<typeof answerSearch>>["groups"];

/** Groups that hold something; answers for developers have one of their own (api-contract.md, “Search options”). */
function toData({ web, images, news }: Groups): z.input<typeof SearchAnswer>["data"] {
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
