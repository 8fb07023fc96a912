import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { ErrorCode } from "../../core/errors.ts";
import { MAP_CREDITS, mapSite } from "../../services/map/map-site.ts";
import { ProfileField } from "../../formats/scrape-options.ts";
import { replayResponse } from "../replay-response.ts";
import { checkUnread } from "../scrape/counted-body.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { MAP_FIELDS, toMapRequest } from "../map/map-request.ts";
import { admitWork } from "../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, PROFILE_FAILURES, ReceiptField, failures, json, jsonBody } from "../route.ts";
import { nameWork, receiptOf } from "../work.ts";
import { EXAMPLE_ID } from "../docs/examples.ts";

/** Failures of a map, in addition to those of every route. */
export const MAP_FAILURES = [
  "BAD_REQUEST",
  "SAFE_MODE_BLOCKED",
  "MAP_TIMEOUT",
  "MAP_FAILED",
] as const satisfies ErrorCode[];

const MapBody = z
  .strictObject({
    ...MAP_FIELDS,
    sitemap: z
      .enum(["only", "include", "skip"])
      .default("include")
      .describe("Use of the sitemap: not at all, in addition to links, or as the only source. Default: include."),
    profile: ProfileField,
  })
  .openapi("MapRequest", { example: { url: "https://example.com", search: "docs", limit: 100 } });

const MapResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    links: z
      .array(
        z.object({
          url: z.string().describe("URL of the page."),
          title: z.string().optional().describe("Title of the page, where known."),
          description: z.string().optional().describe("Description of the page, where known."),
        }),
      )
      .describe("URLs of the site."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
    receipt: ReceiptField,
  })
  .openapi("MapResponse", {
    example: {
      success: true,
      id: EXAMPLE_ID,
      links: [{ url: "https://example.com/docs", title: "Documentation", description: "How to begin" }],
    },
  });

const route = createRoute({
  method: "post",
  path: "/v2/map",
  "x-key-scope": "map",
  tags: ["Mapping"],
  summary: "Map a site",
  middleware: [replayResponse("map")] as const,
  security: BEARER,
  request: jsonBody(MapBody),
  responses: {
    200: json(MapResponse, "The site's URLs"),
    ...failures("IDEMPOTENCY_KEY_USED", ...COMMON_FAILURES, ...MAP_FAILURES, ...PROFILE_FAILURES),
  },
});

export const map = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    const body = c.req.valid("json");
    const request = { ...toMapRequest(body, body.sitemap), profile: body.profile || undefined };
    checkUnread(c);
    await admitWork(c, { mode: "map", endpoint: "map", target: request.url, credits: MAP_CREDITS });
    const mapped = await mapSite(c.var.deps, c.var.caller, request);
    nameWork(c, { id: mapped.id, pages: 1 });
    return c.json({ success: true as const, ...mapped, receipt: receiptOf(c) }, 200);
  },
});
