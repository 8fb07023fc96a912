import { parseStored, readStored } from "../../core/stored-state.ts";
import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { JsonSchemaOption } from "../../formats/json-schema-option.ts";
import { nullAsAbsent } from "../../formats/null-as-absent.ts";
import { CallerFields } from "../../formats/scrape-options.ts";
import type { DeepResearchInput, DeepResearchResult } from "../../jobs/deep-research.ts";
import { readStepJob } from "../../services/research/read-step-job.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { EXAMPLE_EXPIRY, EXAMPLE_START } from "../docs/examples.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../route.ts";
import { findStepJob, startV1Steps, StepStarted, V1_STEP_FIELDS, v1StepFields } from "../research/step-response.ts";
import { V1_DEFAULTS } from "./translate.ts";

const QUERY_OR_TOPIC = "Either 'query' or 'topic' must be provided";
const JSON_NEEDS_OPTIONS = "When 'json' format is specified, jsonOptions must be provided";

const JsonOptions = z.strictObject({
  schema: nullAsAbsent(JsonSchemaOption).describe("JSON Schema of the result."),
  prompt: nullAsAbsent(z.string().max(10_000)).describe("Description of the result, at most 10,000 characters."),
  systemPrompt: nullAsAbsent(z.string().max(10_000)).describe(
    "Additional instructions for the language model, at most 10,000 characters.",
  ),
});

const DeepResearchBody = z
  .strictObject({
    query: z
      .string()
      .max(10_000)
      .optional()
      .describe("Question to research, at most 10,000 characters. Either `query` or `topic` is required."),
    topic: z.string().max(10_000).optional().describe("Older name of `query`, which takes precedence."),
    maxDepth: z
      .int()
      .min(1)
      .max(12)
      .default(7)
      .describe("Maximum number of rounds of searching and reading, 1 to 12. Default: 7."),
    maxUrls: z
      .int()
      .min(1)
      .max(1_000)
      .default(20)
      .describe("Maximum number of pages to read, 1 to 1,000; a round reads at most 8. Default: 20."),
    timeLimit: z.number().min(30).max(600).default(300).describe("Time limit in seconds, 30 to 600. Default: 300."),
    analysisPrompt: z
      .string()
      .max(10_000)
      .optional()
      .describe("Instructions for the final report, at most 10,000 characters."),
    systemPrompt: z
      .string()
      .max(10_000)
      .optional()
      .describe("Additional instructions for the language model, at most 10,000 characters."),
    formats: z
      .array(z.enum(["markdown", "json"]))
      .default(["markdown"])
      .describe("Formats of the result; `json` requires `jsonOptions`. Default: markdown."),
    jsonOptions: JsonOptions.optional().describe("What the JSON result contains. It requires the format `json`."),
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

const Activity = z.object({
  type: z.string().describe("Kind of activity."),
  status: z.string().describe("Whether the activity succeeded."),
  message: z.string().describe("Description of the activity."),
  timestamp: z.string().describe("Time of the activity."),
  depth: z.int().describe("Round of the activity, from 1."),
});
const Source = z.object({
  url: z.string().describe("URL of the source."),
  title: z.string().describe("Title of the source."),
  description: z.string().describe("Description of the source."),
  favicon: z.string().optional().describe("URL of the icon of the site."),
});
const Story = {
  activities: z.array(Activity).describe("Activities so far, in order."),
  sources: z.array(Source).describe("Sources that were read."),
};
const STORY_EXAMPLE: z.infer<z.ZodObject<typeof Story>> = {
  activities: [
    {
      type: "search",
      status: "complete",
      message: "Searched for tidal power plants",
      timestamp: EXAMPLE_START,
      depth: 1,
    },
  ],
  sources: [{ url: "https://example.com/tides", title: "Tidal power", description: "How a basin drives a turbine" }],
};
const DeepResearchResponse = z
  .object({
    ...V1_STEP_FIELDS,
    data: z
      .object({
        finalAnalysis: z.string().describe("Report in Markdown; empty until the job is complete."),
        json: z.unknown().optional().describe("Structured result, for the format `json`."),
        ...Story,
      })
      .describe("Result of the research so far."),
    currentDepth: z.int().describe("Number of the current round."),
    maxDepth: z.int().describe("Maximum number of rounds."),
    totalUrls: z.int().describe("Number of pages that were read."),
    ...Story,
  })
  .openapi("DeepResearch", {
    example: {
      success: true,
      status: "completed",
      data: { finalAnalysis: "They fill a basin at high water and let it run out at low water.", ...STORY_EXAMPLE },
      expiresAt: EXAMPLE_EXPIRY,
      currentDepth: 1,
      maxDepth: 2,
      totalUrls: 1,
      ...STORY_EXAMPLE,
    },
  });

const startRoute = createRoute({
  method: "post",
  path: "/v1/deep-research",
  "x-key-scope": "agent",
  tags: ["Version 1"],
  summary: "Start a deep research job",
  deprecated: true,
  security: BEARER,
  request: jsonBody(DeepResearchBody),
  responses: {
    200: json(StepStarted, "The job has started"),
    ...failures("BAD_REQUEST", "IDEMPOTENCY_KEY_USED", "CONCURRENCY_LIMITED", ...COMMON_FAILURES),
  },
});

export const startDeepResearch = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const query = body.query?.trim() || (body.topic ?? "").trim();
    const { schema, prompt, systemPrompt } = body.jsonOptions ?? {};
    const input: DeepResearchInput = {
      query,
      maxDepth: body.maxDepth,
      maxUrls: body.maxUrls,
      analysisPrompt: body.analysisPrompt,
      systemPrompt: body.systemPrompt,
      json: body.formats.includes("json") ? { schema: schema ?? { type: "object" }, prompt, systemPrompt } : undefined,
    };
    const started = await startV1Steps<DeepResearchInput>(c, {
      kind: "deep_research",
      scrapeDefaults: V1_DEFAULTS,
      input,
      target: query.slice(0, 200),
      timeMs: body.timeLimit * 1000,
      options: { ...input, timeLimit: body.timeLimit },
    });
    return c.json(started, 200);
  },
});

const statusRoute = createRoute({
  method: "get",
  path: "/v1/deep-research/{id}",
  "x-key-scope": "agent",
  tags: ["Version 1"],
  summary: "Get the status and result of a deep research job",
  deprecated: true,
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(DeepResearchResponse, "The job, with the report when it is complete"),
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
    const { progress, result } = await readStepJob(c.var.deps, job.id);
    const { maxDepth } = readStored(KeptOptions, job.optionsJson, "job");
    const shown = progress.progress === undefined ? undefined : parseStored(progress.progress, "progress of a job");
    // Only the job's kind writes both, in this shape: hence the cast.
    const fields = { ...EMPTY, maxDepth, ...((result ?? shown ?? {}) as Partial<DeepResearchResult>) };
    const { finalAnalysis, json: data, activities, sources, currentDepth, totalUrls, warning } = fields;
    return c.json(
      {
        ...v1StepFields({ ...progress, expiresAtMs: job.expiresAtMs }, warning),
        data: { finalAnalysis, ...(data === undefined ? {} : { json: data }), activities, sources },
        currentDepth,
        maxDepth: fields.maxDepth,
        totalUrls,
        activities,
        sources,
      },
      200,
    );
  },
});

const KeptOptions = z.object({ maxDepth: z.number().default(0) });

const EMPTY: Omit<DeepResearchResult, "maxDepth" | "json" | "warning"> & { json?: unknown; warning?: string } = {
  finalAnalysis: "",
  activities: [],
  sources: [],
  currentDepth: 0,
  totalUrls: 0,
};
