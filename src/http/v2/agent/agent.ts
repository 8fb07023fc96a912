import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Evidence } from "../../../core/scrape/evidence.ts";
import { UrlValue } from "../../../core/url/url.ts";
import { JsonSchemaOption } from "../../../formats/json-schema-option.ts";
import { MARKDOWN } from "../../../formats/page/markdown.ts";
import { CallerFields } from "../../../formats/scrape-options.ts";
import { warningsWithoutEffect, withoutEffect } from "../../../formats/without-effect.ts";
import type { AgentResult } from "../../../jobs/agent/agent.ts";
import type { AgentInput } from "../../../jobs/agent/input.ts";
import { assertPublicWebhook } from "../../../services/webhooks/assert-public-webhook.ts";
import { readWebhook, webhookValue } from "../../../jobs/webhook.ts";
import type { Deps } from "../../../services/deps.ts";
import { awaitStepJob, cancelStepJob, type StepJobView } from "../../../services/research/read-step-job.ts";
import { estimateCredits } from "../../../services/scrape/scrape-credits.ts";
import { V2_DEFAULTS } from "../../../services/scrape/scrape-plan.ts";
import { startStepJob } from "../../../services/research/start-step-job.ts";
import type { AppEnv } from "../../context.ts";
import { idempotencyOf } from "../../idempotency.ts";
import { createRoute } from "../../account/key-scope.ts";
import { publicOrigin } from "../../public-origin.ts";
import { admitJob } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, IdParam, ReceiptField, failures, json, jsonBody } from "../../route.ts";
import { nameWork, receiptOf } from "../../work.ts";
import { findStepJob, stepsInFlight, stepStatus } from "../../research/step-response.ts";
import { EXAMPLE_EXPIRY, EXAMPLE_ID } from "../../docs/examples.ts";

export const NOT_FOUND = "Agent job not found";
const DEFAULT_CREDITS = 2_500;
const TIME_MS = 600_000;
/** Clients of the API's first version expect the result in the response: work that ends sooner is returned at once. */
const WAIT_MS = 3_000;
const MODELS = ["spark-1-pro", "spark-1-mini", "spark-2"] as const;
const EVENTS = ["started", "action", "completed", "failed", "cancelled"] as const;

/** A URL, or one with `/*` at the end for the site below it. */
const SiteOrPage = z
  .string()
  .refine((url) => UrlValue.safeParse(url.replace(/\/\*$/, "/")).success, { message: "Invalid URL" });

/** Options that are accepted for compatibility and have no effect. */
const Tolerated = {
  overrideWhitelist: withoutEffect(),
  threatProtection: withoutEffect(),
  auditMetadata: withoutEffect(),
  effort: withoutEffect(),
  exchange: withoutEffect(),
};
const TOLERATED = Object.keys(Tolerated) as (keyof typeof Tolerated)[];

const AgentBody = z
  .strictObject({
    prompt: z.string().min(1).max(10_000).describe("Task of the agent, 1 to 10,000 characters."),
    urls: z
      .array(SiteOrPage)
      .max(50)
      .optional()
      .describe(
        "Pages to start from, at most 50. A trailing `/*` includes the site below the URL. Default: the web search.",
      ),
    schema: JsonSchemaOption.optional().describe(
      "JSON Schema of the result. Default: an object with `result` and `sources`.",
    ),
    maxCredits: z.number().positive().optional().describe("Maximum number of credits to spend. Default: 2,500."),
    strictConstrainToURLs: z
      .boolean()
      .optional()
      .describe(
        "Reads only `urls` and the sites below them. Without `urls` it has no effect, and `warning` says so. Default: false.",
      ),
    model: z
      .enum(MODELS)
      .optional()
      .describe("Accepted for compatibility. The configured language model is used, and `warning` says so."),
    webhook: webhookValue(EVENTS)
      .optional()
      .describe("URL, or object with a URL, that receives the events of the agent."),
    ...Tolerated,
    threadId: z
      .uuid()
      .optional()
      .describe("Accepted for compatibility. Agents do not remember earlier prompts; `warning` says so."),
    mode: z
      .unknown()
      .optional()
      .describe("Accepted for compatibility. Values other than `extract` have no effect; `warning` says so."),
    ...CallerFields,
  })
  .openapi("AgentRequest", { example: { prompt: "Which ferries run on Sundays?", urls: ["https://example.com/*"] } });
type AgentBody = z.infer<typeof AgentBody>;

const StatusFields = {
  status: z.enum(["processing", "completed", "failed", "cancelled"]).describe("State of the agent."),
  error: z.string().optional().describe("Why the agent failed."),
  /** In the schema's shape, or `{ result, sources }`. */
  data: z.unknown().optional().describe("Result by the schema, or an object with `result` and `sources`."),
  sources: z.array(z.string()).optional().describe("URLs of the pages that the result is based on."),
  evidence: z.array(Evidence).optional().describe("Where the values of the result come from."),
  model: z.string().describe("Language model that answered, or `rules`."),
  expiresAt: z.string().describe("Time at which the resource expires."),
  creditsUsed: z.number().describe("Credits charged so far."),
  warning: z
    .string()
    .optional()
    .describe("What could not be done as requested. Absent when there is nothing to report."),
};
const AgentStarted = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    ...z.object(StatusFields).partial().shape,
    receipt: ReceiptField,
  })
  .openapi("AgentStarted", { example: { success: true, id: EXAMPLE_ID } });
const AgentResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    ...StatusFields,
  })
  .openapi("Agent", {
    example: {
      success: true,
      id: EXAMPLE_ID,
      status: "completed",
      data: { result: "Ferries run at 9, 12 and 17 o'clock on Sundays.", sources: ["https://example.com/ferries"] },
      sources: ["https://example.com/ferries"],
      model: "rules",
      expiresAt: EXAMPLE_EXPIRY,
      creditsUsed: 3,
    },
  });

const startRoute = createRoute({
  method: "post",
  path: "/v2/agent",
  "x-key-scope": "agent",
  tags: ["Agent"],
  summary: "Start an agent",
  security: BEARER,
  request: jsonBody(AgentBody),
  responses: {
    200: json(AgentStarted, "The agent has started. The result is included if it was ready within 3 seconds."),
    ...failures("BAD_REQUEST", "IDEMPOTENCY_KEY_USED", "CONCURRENCY_LIMITED", ...COMMON_FAILURES),
  },
});

export const startAgent = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { deps } = c.var;
    const id = await start(c, body);
    const view = await awaitStepJob(deps, id, WAIT_MS);
    const warning = unsupportedOptions(body).join(" ");
    const noted = warning === "" ? {} : { warning };
    if (view.progress.status === "scraping")
      return c.json({ success: true as const, id, ...noted, receipt: receiptOf(c) }, 200);
    const fields = present(view);
    const words = [fields.warning, warning].filter(Boolean).join(" ");
    const warned = words === "" ? {} : { warning: words };
    return c.json({ success: true as const, id, ...fields, ...warned, receipt: receiptOf(c) }, 200);
  },
});

async function start(c: Context<AppEnv>, body: AgentBody): Promise<string> {
  assertPublicWebhook(c.var.deps, body.webhook);
  const leastCredits = estimateCredits({ options: {}, zeroDataRetention: false });
  const schema = body.schema !== undefined && Object.keys(body.schema).length > 0 ? body.schema : undefined;
  // Pages are read as markdown; data by a schema is a separate output.
  const options = {
    formats: [MARKDOWN, ...(schema === undefined ? [] : [{ type: "json" as const }])],
  };
  await admitJob(c, { endpoint: "agent", target: body.urls?.[0] ?? null, options, leastCredits, mode: "extract" });
  const input: AgentInput = {
    prompt: body.prompt,
    urls: body.urls ?? [],
    schema,
    strictConstrainToURLs: body.strictConstrainToURLs ?? false,
  };
  const maxCredits = body.maxCredits ?? DEFAULT_CREDITS;
  const id = await startStepJob<AgentInput>(c.var.deps, c.var.caller, {
    kind: "agent",
    apiVersion: "v2",
    scrapeDefaults: V2_DEFAULTS,
    zeroDataRetention: false,
    publicOrigin: publicOrigin(c.req.raw),
    ...readWebhook(body.webhook, EVENTS),
    input,
    maxCredits,
    target: body.urls?.[0] ?? body.prompt.slice(0, 200),
    options: {
      ...input,
      maxCredits,
      model: modelName(c.var.deps),
      origin: body.origin,
      integration: body.integration ?? undefined,
    },
    timeMs: TIME_MS,
    idempotency: await idempotencyOf(c),
  });
  nameWork(c, { id });
  return id;
}

/** Returns the name of the model: one for all agents, or `rules`. */
function modelName({ llm }: Pick<Deps, "llm">): string {
  return llm?.names.large ?? "rules";
}

/** Returns the options that are accepted for compatibility and have no effect. */
function unsupportedOptions(body: AgentBody): string[] {
  const notices: [boolean, string][] = [
    [body.model !== undefined, "model: this service answers with the model that it is configured with."],
    [body.threadId !== undefined, "threadId: agents of this service do not remember earlier prompts."],
    [body.mode !== undefined && body.mode !== "extract", "mode: it has no effect on this service."],
    [
      body.strictConstrainToURLs === true && (body.urls ?? []).length === 0,
      "strictConstrainToURLs: it has no effect without urls.",
    ],
  ];
  const ineffective = notices.flatMap(([applies, words]) => (applies ? [words] : []));
  return [...ineffective, ...warningsWithoutEffect(body, TOLERATED)];
}

function present({ progress, result }: StepJobView) {
  const { status, error, creditsUsed, expiresAtMs } = progress;
  // Only the job's kind writes it, in this shape: hence the cast.
  const { data, sources, evidence, model = "rules", warning } = (result ?? {}) as Partial<AgentResult>;
  return {
    status: stepStatus(status),
    ...(error === undefined ? {} : { error }),
    ...(data === undefined ? {} : { data }),
    ...(sources === undefined ? {} : { sources }),
    ...(evidence === undefined ? {} : { evidence }),
    ...(warning === undefined ? {} : { warning }),
    model,
    expiresAt: new Date(expiresAtMs).toISOString(),
    creditsUsed,
  };
}

const NOT_THERE = failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES);

const statusRoute = createRoute({
  method: "get",
  path: "/v2/agent/{id}",
  "x-key-scope": "agent",
  tags: ["Agent"],
  summary: "Get the status and result of an agent",
  security: BEARER,
  request: { params: IdParam },
  responses: { 200: json(AgentResponse, "The agent"), ...NOT_THERE },
});

export const agentStatus = defineOpenAPIRoute<typeof statusRoute, AppEnv>({
  route: statusRoute,
  handler: async (c) => {
    const { id } = await findStepJob(c, { id: c.req.valid("param").id, kind: "agent", notFound: NOT_FOUND });
    return c.json({ success: true as const, id, ...present(await awaitStepJob(c.var.deps, id, 0)) }, 200);
  },
});

const AgentCancelled = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
  })
  .openapi("AgentCancelled", { example: { success: true } });

const cancelRoute = createRoute({
  method: "delete",
  path: "/v2/agent/{id}",
  "x-key-scope": "agent",
  tags: ["Agent"],
  summary: "Cancel an agent",
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(AgentCancelled, "The agent is cancelled"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", "JOB_ENDED", ...COMMON_FAILURES),
  },
});

export const cancelAgent = defineOpenAPIRoute<typeof cancelRoute, AppEnv>({
  route: cancelRoute,
  handler: async (c) => {
    const job = await findStepJob(c, { id: c.req.valid("param").id, kind: "agent", notFound: NOT_FOUND });
    const credits = await cancelStepJob(c.var.deps, job);
    return c.json({ success: true as const, ...stepsInFlight(credits) }, 200);
  },
});
