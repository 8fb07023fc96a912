import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { MAP_CREDITS, mapSite } from "../../services/map/map-site.ts";
import { replayResponse } from "../replay-response.ts";
import { checkUnread } from "../scrape/counted-body.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { MAP_FIELDS, toMapRequest } from "../map/map-request.ts";
import { admitWork } from "../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, ReceiptField, failures, json, jsonBody } from "../route.ts";
import { nameWork, receiptOf } from "../work.ts";
import { MAP_FAILURES } from "../v2/map.ts";
import { EXAMPLE_ID } from "../docs/examples.ts";

const V1MapBody = z
  .strictObject({
    ...MAP_FIELDS,
    ignoreSitemap: z
      .boolean()
      .default(false)
      .describe("Does not read sitemaps. `sitemapOnly` takes precedence. Default: false."),
    sitemapOnly: z.boolean().default(false).describe("Returns only URLs of sitemaps. Default: false."),
  })
  .openapi("V1MapRequest", { example: { url: "https://example.com" } });

const V1MapAnswer = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    links: z.array(z.string()).describe("URLs of the site."),
    scrape_id: z.string().describe("ID of the map."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
    receipt: ReceiptField,
  })
  .openapi("V1MapAnswer", {
    example: { success: true, links: ["https://example.com/", "https://example.com/docs"], scrape_id: EXAMPLE_ID },
  });

const route = createRoute({
  method: "post",
  path: "/v1/map",
  "x-key-scope": "map",
  tags: ["Version 1"],
  summary: "Map a site (URLs as strings)",
  middleware: [replayResponse("map")] as const,
  security: BEARER,
  request: jsonBody(V1MapBody),
  responses: {
    200: json(V1MapAnswer, "The site's URLs"),
    ...failures("IDEMPOTENCY_KEY_USED", ...COMMON_FAILURES, ...MAP_FAILURES),
  },
});

export const map = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    const { ignoreSitemap, sitemapOnly, ...fields } = c.req.valid("json");
    // `sitemapOnly` takes precedence over `ignoreSitemap`.
    const request = toMapRequest(fields, sitemapOnly ? "only" : ignoreSitemap ? "skip" : "include");
    checkUnread(c);
    await admitWork(c, { mode: "map", endpoint: "map", target: request.url, credits: MAP_CREDITS });
    const { id, links, warning } = await mapSite(c.var.deps, c.var.caller, request);
    nameWork(c, { id, pages: 1 });
    const urls = links.map(({ url }) => url);
    const warnings = warning === undefined ? {} : { warning };
    return c.json({ success: true as const, links: urls, scrape_id: id, ...warnings, receipt: receiptOf(c) }, 200);
  },
});
