import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { readCapabilities } from "../../services/upkeep/read-capabilities.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { EXECUTION_LANGUAGES } from "../sessions/execution-response.ts";
import { admit } from "../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../route.ts";

const Capabilities = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .object({
        formats: z
          .array(
            z.object({
              type: z.string().describe("Name of the format."),
              credits: z.number().openapi({ description: "Credits charged in addition to the page." }),
              needs: z.array(z.string()).describe("What the format needs from an engine."),
              available: z.boolean().openapi({ description: "Whether an engine provides what the format needs." }),
            }),
          )
          .describe("Output formats that the service knows."),
        engines: z
          .array(
            z.object({
              name: z.string().describe("Name of the engine."),
              provides: z.array(z.string()).describe("What the engine provides."),
            }),
          )
          .describe("Ways to load pages, in order of use."),
        egressRoutes: z
          .array(
            z.object({
              name: z.string().describe("Name of the route, as `proxy` takes it."),
              kind: z.enum(["proxy", "service", "binding"]).describe("Kind of the route."),
              isEnhanced: z.boolean().describe("Whether `proxy: enhanced` uses the route."),
            }),
          )
          .describe("Egress routes of the deployment. Empty when every request leaves directly."),
        search: z
          .array(
            z.object({
              name: z.string().describe("Name of the provider."),
              places: z.array(z.string()).describe("Sources that the provider searches."),
              fulfils: z.array(z.string()).describe("Search options that the provider supports."),
            }),
          )
          .describe("Search providers that are configured."),
        models: z
          .object({
            large: z.string().describe("Name of the large model."),
            small: z.string().describe("Name of the small model."),
            contextTokens: z.int().describe("Context length in tokens."),
          })
          .nullable()
          .describe("Language models, or null when none is configured."),
        sessions: z
          .object({
            available: z.boolean().describe("Whether browser sessions are available."),
            languages: z.array(z.string()).describe("Languages of code that sessions run."),
          })
          .describe("What browser sessions can do."),
        documents: z.array(z.string()).openapi({ description: "Kinds of files that can be read." }),
        textRecognition: z
          .object({
            available: z.boolean().describe("Whether text in scans and pictures can be recognised."),
            languages: z.array(z.string()).describe("Languages of recognised text, as ISO 639-3 codes."),
            visionModel: z
              .string()
              .nullable()
              .describe("Vision model that reads pages of low confidence, or null when none is configured."),
          })
          .describe("Recognition of text in scans and pictures."),
        jobs: z.array(z.string()).describe("Kinds of jobs."),
        endpoints: z.array(z.string()).openapi({ description: "Endpoints that the key may use." }),
        activity: z.array(z.string()).openapi({ description: "Names by which activity can be filtered." }),
        limits: z
          .object({
            requestsPerMinute: z.int().describe("Default limit of requests per minute and mode."),
            requestsPerMinuteByMode: z
              .record(z.string(), z.int())
              .describe("Limits of requests per minute for modes of the key."),
            creditsPerMonth: z.number().nullable().describe("Credits per calendar month, or null for no limit."),
            maxConcurrency: z.int().describe("Maximum number of concurrent jobs."),
            maxBodyBytes: z.int().describe("Maximum size of a page in bytes."),
            maxUploadBytes: z.int().describe("Maximum size of an upload in bytes."),
            resultRetentionHours: z.number().describe("Hours for which results are kept."),
            cacheRetentionHours: z.number().describe("Hours for which the page cache keeps pages."),
            searchIndexRetentionHours: z.number().describe("Hours for which the search index keeps pages."),
          })
          .describe("Limits of the key and the deployment."),
        zeroDataRetention: z.boolean().describe("Whether zero data retention is allowed."),
        signsWebhooks: z.boolean().describe("Whether webhook events are signed."),
      })
      .describe("Capabilities of the deployment and limits of the key."),
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
        egressRoutes: [{ name: "office", kind: "proxy", isEnhanced: true }],
        search: [{ name: "own-index", places: ["web"], fulfils: ["tbs", "lang"] }],
        models: null,
        sessions: { available: true, languages: ["node"] },
        documents: ["html", "pdf", "docx"],
        textRecognition: { available: true, languages: ["eng", "deu", "fra", "spa"], visionModel: null },
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
