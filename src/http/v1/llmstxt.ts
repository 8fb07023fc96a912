import { createRoute, defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { toAbsoluteUrl, UrlValue } from "../../core/url.ts";
import { CallerFields } from "../../formats/scrape-options.ts";
import type { LlmstxtInput, LlmstxtResult } from "../../jobs/llmstxt.ts";
import { readStepJob } from "../../services/read-step-job.ts";
import { estimateCredits } from "../../services/scrape-page.ts";
import { startStepJob } from "../../services/start-step-job.ts";
import type { AppEnv } from "../context.ts";
import { deprecated } from "../deprecated.ts";
import { publicOrigin } from "../public-origin.ts";
import { admitJob } from "../rate-limit.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../route.ts";
import { findStepJob } from "../step-answer.ts";
import { V1_DEFAULTS } from "./translate.ts";

const DEPRECATION = { warning: "The llmstxt endpoint is deprecated.", replacement: undefined };
const TIME_MS = 600_000;

const LlmstxtBody = z
  .strictObject({
    url: UrlValue,
    maxUrls: z.int().min(1).max(5_000).default(10),
    showFullText: z.boolean().default(false),
    cache: z.boolean().default(true),
    __experimental_stream: z.unknown().optional(),
    ...CallerFields,
  })
  .openapi("LlmstxtRequest", { example: { url: "https://example.com", maxUrls: 20 } });

const Started = z.object({ success: z.literal(true), id: z.string() });
const LlmstxtAnswer = z
  .object({
    success: z.boolean(),
    status: z.enum(["processing", "completed", "failed"]),
    data: z.object({ llmstxt: z.string(), llmsfulltxt: z.string().optional() }),
    error: z.string().optional(),
    warning: z.string().optional(),
    expiresAt: z.string(),
  })
  .openapi("Llmstxt");

const startRoute = createRoute({
  method: "post",
  path: "/v1/llmstxt",
  tags: ["Version 1"],
  summary: "Describe a site for language models (llms.txt)",
  deprecated: true,
  middleware: [deprecated(DEPRECATION)] as const,
  security: BEARER,
  request: jsonBody(LlmstxtBody),
  responses: {
    200: json(Started, "The work has begun"),
    ...failures("BAD_REQUEST", "CONCURRENCY_LIMITED", ...COMMON_FAILURES),
  },
});

export const startLlmstxt = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const { url, maxUrls, showFullText, cache } = c.req.valid("json");
    const { deps, caller } = c.var;
    const leastCredits = estimateCredits({ options: {}, zeroDataRetention: false });
    await admitJob(c, { endpoint: "agent", options: {}, leastCredits, mode: "extract" });
    const input: LlmstxtInput = { url: toAbsoluteUrl(url), maxUrls, showFullText };
    const id = await startStepJob<LlmstxtInput>(deps, caller, {
      kind: "llmstxt",
      apiVersion: "v1",
      scrapeDefaults: cache ? V1_DEFAULTS : { ...V1_DEFAULTS, maxAgeMs: 0 },
      zeroDataRetention: false,
      publicOrigin: publicOrigin(c.req.raw),
      webhook: undefined,
      events: [],
      input,
      maxCredits: undefined,
      target: url,
      options: input,
      timeMs: TIME_MS,
    });
    return c.json({ success: true as const, id }, 200);
  },
});

const statusRoute = createRoute({
  method: "get",
  path: "/v1/llmstxt/{id}",
  tags: ["Version 1"],
  summary: "Read the llms.txt of a site",
  deprecated: true,
  middleware: [deprecated(DEPRECATION)] as const,
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(LlmstxtAnswer, "The description"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const llmstxtStatus = defineOpenAPIRoute<typeof statusRoute, AppEnv>({
  route: statusRoute,
  handler: async (c) => {
    const notFound = "llmsTxt generation job not found";
    const { id } = await findStepJob(c, { id: c.req.valid("param").id, kind: "llmstxt", notFound });
    const { standing, result } = await readStepJob(c.var.deps, id);
    const { status, error, expiresAtMs } = standing;
    // Written by the job's kind alone, in this shape: hence the cast.
    const { llmstxt = "", llmsfulltxt, warning } = (result ?? {}) as Partial<LlmstxtResult>;
    return c.json(
      {
        success: status !== "failed",
        status:
          status === "completed"
            ? ("completed" as const)
            : status === "scraping"
              ? ("processing" as const)
              : ("failed" as const),
        data: { llmstxt, ...(llmsfulltxt === undefined ? {} : { llmsfulltxt }) },
        ...(error === undefined ? {} : { error }),
        ...(warning === undefined ? {} : { warning }),
        expiresAt: new Date(expiresAtMs).toISOString(),
      },
      200,
    );
  },
});
