import { createRoute, defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { JsonSchemaOption } from "../../formats/json-schema-option.ts";
import { CallerFields } from "../../formats/scrape-options.ts";
import type { DeepResearchInput, DeepResearchResult } from "../../jobs/deep-research.ts";
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

const DEPRECATION = {
  warning: "The deep-research endpoint is deprecated; ask the agent, or search.",
  replacement: "/v2/scrape",
};
const QUERY_OR_TOPIC = "Either 'query' or 'topic' must be provided";
const JSON_NEEDS_OPTIONS = "When 'json' format is specified, jsonOptions must be provided";

const JsonOptions = z.strictObject({
  schema: JsonSchemaOption.optional(),
  prompt: z.string().max(10_000).optional(),
  systemPrompt: z.string().max(10_000).optional(),
});

const DeepResearchBody = z
  .strictObject({
    query: z.string().max(10_000).optional(),
    topic: z.string().max(10_000).optional(),
    maxDepth: z.int().min(1).max(12).default(7),
    maxUrls: z.int().min(1).max(1_000).default(20),
    timeLimit: z.number().min(30).max(600).default(300),
    analysisPrompt: z.string().max(10_000).optional(),
    systemPrompt: z.string().max(10_000).optional(),
    formats: z.array(z.enum(["markdown", "json"])).default(["markdown"]),
    jsonOptions: JsonOptions.optional(),
    ...CallerFields,
  })
  .refine(({ query = "", topic = "" }) => query.trim() !== "" || topic.trim() !== "", {
    message: QUERY_OR_TOPIC,
    path: ["query"],
  })
  .refine(({ formats, jsonOptions }) => formats.includes("json") === (jsonOptions !== undefined), {
    message: JSON_NEEDS_OPTIONS,
    path: ["jsonOptions"],
  })
  .openapi("DeepResearchRequest", { example: { query: "How do tidal power plants work?", maxDepth: 2, maxUrls: 8 } });

const Started = z.object({ success: z.literal(true), id: z.string() });
const Activity = z.object({
  type: z.string(),
  status: z.string(),
  message: z.string(),
  timestamp: z.string(),
  depth: z.int(),
});
const Source = z.object({
  url: z.string(),
  title: z.string(),
  description: z.string(),
  favicon: z.string().optional(),
});
const Story = { activities: z.array(Activity), sources: z.array(Source) };
const DeepResearchAnswer = z
  .object({
    success: z.boolean(),
    status: z.enum(["processing", "completed", "failed"]),
    data: z.object({ finalAnalysis: z.string(), json: z.unknown().optional(), ...Story }),
    error: z.string().optional(),
    warning: z.string().optional(),
    expiresAt: z.string(),
    currentDepth: z.int(),
    maxDepth: z.int(),
    totalUrls: z.int(),
    ...Story,
  })
  .openapi("DeepResearch");

const startRoute = createRoute({
  method: "post",
  path: "/v1/deep-research",
  tags: ["Version 1"],
  summary: "Research a question over several rounds",
  deprecated: true,
  middleware: [deprecated(DEPRECATION)] as const,
  security: BEARER,
  request: jsonBody(DeepResearchBody),
  responses: {
    200: json(Started, "The research has begun"),
    ...failures("BAD_REQUEST", "CONCURRENCY_LIMITED", ...COMMON_FAILURES),
  },
});

export const startDeepResearch = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { deps, caller } = c.var;
    const leastCredits = estimateCredits({ options: {}, zeroDataRetention: false });
    await admitJob(c, { endpoint: "agent", options: {}, leastCredits, mode: "extract" });
    const query = (body.query ?? body.topic ?? "").trim();
    const { schema, prompt } = body.jsonOptions ?? {};
    const input: DeepResearchInput = {
      query,
      maxDepth: body.maxDepth,
      maxUrls: body.maxUrls,
      analysisPrompt: body.analysisPrompt,
      systemPrompt: body.systemPrompt,
      json: body.formats.includes("json") ? { schema: schema ?? { type: "object" }, prompt } : undefined,
    };
    const id = await startStepJob<DeepResearchInput>(deps, caller, {
      kind: "deep_research",
      apiVersion: "v1",
      scrapeDefaults: V1_DEFAULTS,
      zeroDataRetention: false,
      publicOrigin: publicOrigin(c.req.raw),
      webhook: undefined,
      events: [],
      input,
      maxCredits: undefined,
      target: query.slice(0, 200),
      options: input,
      timeMs: body.timeLimit * 1000,
    });
    return c.json({ success: true as const, id }, 200);
  },
});

const statusRoute = createRoute({
  method: "get",
  path: "/v1/deep-research/{id}",
  tags: ["Version 1"],
  summary: "Read where research stands, and what it found",
  deprecated: true,
  middleware: [deprecated(DEPRECATION)] as const,
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(DeepResearchAnswer, "The research"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const deepResearchStatus = defineOpenAPIRoute<typeof statusRoute, AppEnv>({
  route: statusRoute,
  handler: async (c) => {
    const found = {
      id: c.req.valid("param").id,
      kind: "deep_research" as const,
      notFound: "Deep research job not found",
    };
    const job = await findStepJob(c, found);
    const { standing, result } = await readStepJob(c.var.deps, job.id);
    const { maxDepth } = JSON.parse(job.optionsJson) as DeepResearchInput;
    const shown = standing.progress === undefined ? undefined : (JSON.parse(standing.progress) as unknown);
    // Both were written by the job's kind alone, in this shape: hence the cast.
    const told = { ...EMPTY, maxDepth, ...((result ?? shown ?? {}) as Partial<DeepResearchResult>) };
    const { finalAnalysis, json: data, activities, sources, currentDepth, totalUrls, warning } = told;
    const { status, error } = standing;
    return c.json(
      {
        success: status !== "failed",
        status:
          status === "completed"
            ? ("completed" as const)
            : status === "scraping"
              ? ("processing" as const)
              : ("failed" as const),
        data: { finalAnalysis, ...(data === undefined ? {} : { json: data }), activities, sources },
        ...(error === undefined ? {} : { error }),
        ...(warning === undefined ? {} : { warning }),
        expiresAt: new Date(standing.expiresAtMs).toISOString(),
        currentDepth,
        maxDepth: told.maxDepth,
        totalUrls,
        activities,
        sources,
      },
      200,
    );
  },
});

const EMPTY: Omit<DeepResearchResult, "maxDepth" | "json" | "warning"> & { json?: unknown; warning?: string } = {
  finalAnalysis: "",
  activities: [],
  sources: [],
  currentDepth: 0,
  totalUrls: 0,
};
