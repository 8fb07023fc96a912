import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../core/errors.ts";
import { availableCapabilities } from "../../services/alexandria/call-capabilities.ts";
import { FindToolsOptions, findTools } from "../../services/alexandria/find-tools.ts";
import { createRoute } from "../account/key-scope.ts";
import { admit } from "../account/rate-limit.ts";
import type { AppEnv } from "../context.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../route.ts";

const ALL_CATEGORIES = FindToolsOptions.parse({ level: "categories", limit: 100 });

const ExchangeCategories = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    cohorts: z
      .array(
        z.object({
          cohort: z.string().describe("ID of the category, for `categories` of `find-tools`."),
          about: z.string().describe("Description of the category."),
        }),
      )
      .describe("Categories of the capabilities that this deployment has."),
  })
  .openapi("ExchangeCategories", {
    example: { success: true, cohorts: [{ cohort: "research", about: "Papers and their records" }] },
  });

const route = createRoute({
  method: "get",
  path: "/exchange/discover",
  "x-key-scope": "search",
  tags: ["Searching"],
  summary: "List the categories of capabilities",
  security: BEARER,
  responses: {
    200: json(ExchangeCategories, "The categories"),
    ...failures("NOT_AVAILABLE", ...COMMON_FAILURES),
  },
});

/** The index of the catalogue, for the official MCP server. A search in it is the capability `find-tools`. */
export const exchangeDiscover = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    if (Object.keys(c.req.query()).length > 0) {
      throw new AppError(
        "NOT_AVAILABLE",
        "This deployment does not offer a search of the exchange. Call the capability firecrawl/find-tools in POST /v2/scrape.",
      );
    }
    await admit(c, { mode: "account", credits: 0 });
    const { items } = findTools(ALL_CATEGORIES, availableCapabilities(c.var.deps));
    const cohorts = items.map(({ id, description }) => ({ cohort: String(id), about: String(description) }));
    return c.json({ success: true as const, cohorts }, 200);
  },
});
