import { createRoute, defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { searchCredits } from "../../core/pricing.ts";
import { searchWeb } from "../../services/search-web.ts";
import type { AppEnv } from "../context.ts";
import { BEARER, COMMON_FAILURES, ReceiptField, failures, json, jsonBody } from "../route.ts";
import { admit } from "../rate-limit.ts";
import { nameWork, receiptOf } from "../work.ts";
import { SearchBody, toSearchRequest } from "../search-request.ts";
import { v7 as uuidv7 } from "uuid";

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
    receipt: ReceiptField,
  })
  .openapi("SearchAnswer");

const route = createRoute({
  method: "post",
  path: "/v2/search",
  tags: ["Searching"],
  summary: "Search the web, and everything that this team has scraped",
  security: BEARER,
  request: jsonBody(SearchBody),
  responses: {
    200: json(SearchAnswer, "What was found, by source"),
    ...failures("BAD_REQUEST", "SCRAPE_TIMEOUT", "SEARCH_FAILED", ...COMMON_FAILURES),
  },
});

export const search = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    const body = c.req.valid("json");
    const request = toSearchRequest(body);
    await admit(c, { mode: "search", endpoint: "search", credits: searchCredits(body.limit) });
    const { groups, warning } = await searchWeb(c.var.deps, c.var.caller, request);
    const data = Object.fromEntries(Object.entries(groups).filter(([, items]) => items.length > 0));
    const answer = { data, creditsUsed: searchCredits(body.limit), id: uuidv7() };
    nameWork(c, { id: answer.id });
    const warnings = warning === undefined ? {} : { warning };
    return c.json({ success: true as const, ...answer, ...warnings, receipt: receiptOf(c) }, 200);
  },
});
