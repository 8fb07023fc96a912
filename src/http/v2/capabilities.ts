import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { readCapabilities } from "../../services/read-capabilities.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../key-scope.ts";
import { EXECUTION_LANGUAGES } from "../execution-answer.ts";
import { admit } from "../rate-limit.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../route.ts";

const Capabilities = z
  .object({
    success: z.literal(true),
    data: z.object({
      formats: z.array(
        z.object({
          type: z.string(),
          credits: z.number().openapi({ description: "Beyond the page's own credit" }),
          needs: z.array(z.string()),
          available: z.boolean().openapi({ description: "Whether an engine brings what the format needs" }),
        }),
      ),
      engines: z.array(z.object({ name: z.string(), provides: z.array(z.string()) })),
      search: z.array(z.object({ name: z.string(), places: z.array(z.string()), fulfils: z.array(z.string()) })),
      models: z.object({ large: z.string(), small: z.string(), contextTokens: z.int() }).nullable(),
      sessions: z.object({ available: z.boolean(), languages: z.array(z.string()) }),
      documents: z.array(z.string()).openapi({ description: "Kinds of files that are read" }),
      jobs: z.array(z.string()),
      endpoints: z.array(z.string()).openapi({ description: "What the key may use" }),
      activity: z.array(z.string()).openapi({ description: "What the activity can be asked for by name" }),
      limits: z.object({
        requestsPerMinute: z.int(),
        requestsPerMinuteByMode: z.record(z.string(), z.int()),
        creditsPerMonth: z.number().nullable(),
        maxConcurrency: z.int(),
        maxBodyBytes: z.int(),
        maxUploadBytes: z.int(),
        resultRetentionHours: z.number(),
        cacheRetentionHours: z.number(),
        searchIndexRetentionHours: z.number(),
      }),
      zeroDataRetention: z.boolean(),
      signsWebhooks: z.boolean(),
    }),
  })
  .openapi("Capabilities", {
    example: {
      success: true,
      data: {
        formats: [{ type: "screenshot", credits: 0, needs: ["screenshot"], available: true }],
        engines: [
          { name: "fetch", provides: [] },
          { name: "browser", provides: ["browser", "screenshot", "actions"] },
        ],
        search: [{ name: "own-index", places: ["web"], fulfils: ["tbs", "lang"] }],
        models: null,
        sessions: { available: true, languages: ["node"] },
        documents: ["html", "pdf", "docx"],
        jobs: ["crawl", "batch_scrape"],
        endpoints: ["scrape", "crawl", "map"],
        activity: ["scrape", "crawl", "map"],
        limits: {
          requestsPerMinute: 30_000,
          requestsPerMinuteByMode: {},
          creditsPerMonth: null,
          maxConcurrency: 50,
          maxBodyBytes: 50_000_000,
          maxUploadBytes: 52_428_800,
          resultRetentionHours: 24,
          cacheRetentionHours: 168,
          searchIndexRetentionHours: 720,
        },
        zeroDataRetention: false,
        signsWebhooks: true,
      },
    },
  });

const route = createRoute({
  method: "get",
  path: "/v2/capabilities",
  "x-key-scope": "key",
  tags: ["Service"],
  summary: "Get the capabilities of the deployment and the limits of the key",
  security: BEARER,
  responses: { 200: json(Capabilities, "The capabilities of the deployment"), ...failures(...COMMON_FAILURES) },
});

export const capabilities = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    await admit(c, { mode: "account", credits: 0 });
    const { sessions, ...data } = readCapabilities(c.var.deps, c.var.caller);
    const languages = sessions.runsCode ? EXECUTION_LANGUAGES : [];
    const about = { available: sessions.available, languages: [...languages] };
    return c.json({ success: true as const, data: { ...data, sessions: about } }, 200);
  },
});
