import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { isAppError, stackOf } from "../../../core/errors.ts";
import { UrlValue } from "../../../core/url/url.ts";
import { EvidenceOption } from "../../../formats/evidence-option.ts";
import { JsonSchemaOption } from "../../../formats/json-schema-option.ts";
import { nullAsAbsent } from "../../../formats/null-as-absent.ts";
import { CallerFields } from "../../../formats/scrape-options.ts";
import { warningsWithoutEffect, withoutEffect } from "../../../formats/without-effect.ts";
import { BUDGETS, EFFORTS } from "../../../jobs/agent/effort.ts";
import type { AgentInput } from "../../../jobs/agent/input.ts";
import { assertPublicWebhook } from "../../../services/webhooks/assert-public-webhook.ts";
import { readWebhook, webhookValue } from "../../../jobs/webhook.ts";
import type { Deps } from "../../../services/deps.ts";
import { assertThread, claimTurn, nextTurn, type NewTurn } from "../../../services/research/agent-threads.ts";
import { awaitStepJob, cancelStepJob } from "../../../services/research/read-step-job.ts";
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
import { AGENT_STATUS, estimateOfAgent, placeOf, originOf, presentAgent, type AgentPlace } from "./agent-status.ts";
import { findStepJob, stepsInFlight } from "../../research/step-response.ts";
import { estimateAgent } from "../../../services/estimate/estimate-agent.ts";
import { fingerprintOf } from "../../../services/estimate/kept-estimates.ts";
import { EstimateField, EstimateResponse, respondWithEstimate } from "../../jobs/estimate-response.ts";
import { EXAMPLE_EXPIRY, EXAMPLE_ID } from "../../docs/examples.ts";

export const NOT_FOUND = "Agent job not found";
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
    schema: nullAsAbsent(JsonSchemaOption).describe(
      "JSON Schema of the result. Default: an object with `result` and `sources`.",
    ),
    maxCredits: z
      .number()
      .positive()
      .optional()
      .describe("Maximum number of credits to spend. Default: 2,500; with `effort` its limit."),
    strictConstrainToURLs: z
      .boolean()
      .optional()
      .describe(
        "Reads only `urls` and the sites below them. Without `urls` it has no effect, and `warning` says so. Default: false.",
      ),
    model: z
      .enum(MODELS)
      .optional()
      .describe(
        "Accepted for compatibility. It has no effect, and `warning` says so; the configured language model is used.",
      ),
    webhook: webhookValue("agent", EVENTS)
      .optional()
      .describe("URL, or object with a URL, that receives the events of the agent."),
    ...Tolerated,
    effort: z
      .enum(EFFORTS)
      .optional()
      .describe(
        "Limits of the run: `low` reads 4 pages in 8 steps for at most 500 credits, `medium` 12 pages in 24 steps for 2,500, `high` 30 pages in 48 steps for 5,000. Default: medium.",
      ),
    threadId: z
      .uuid()
      .optional()
      .describe(
        "Thread to continue, from an earlier response. The run sees its questions, answers and pages; `mode`, `urls`, `schema` and `strictConstrainToURLs` that are omitted carry over. Default: a new thread.",
      ),
    mode: z
      .enum(["extract", "chat"])
      .optional()
      .describe("`extract` returns `data`, `chat` a short answer in `message`. Default: extract."),
    evidence: EvidenceOption.describe(
      "Adds `evidence`: the URL, quote and place of each value of a result by a `schema`, or of the text of a language model. An answer that quotes pages by rules has none, and `warning` says so. Default: false.",
    ),
    estimate: EstimateField,
    ...CallerFields,
  })
  .openapi("AgentRequest", { example: { prompt: "Which ferries run on Sundays?", urls: ["https://example.com/*"] } });
type AgentBody = z.infer<typeof AgentBody>;

const AgentStarted = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    ...z.object(AGENT_STATUS).partial().shape,
    receipt: ReceiptField,
  })
  .openapi("AgentStarted", { example: { success: true, id: EXAMPLE_ID } });
const AgentResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    ...AGENT_STATUS,
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
    200: json(
      z.union([AgentStarted, EstimateResponse]),
      "With `estimate`, the estimate. Otherwise, the agent has started. The result is included if it was ready within 3 seconds.",
    ),
    ...failures("BAD_REQUEST", "IDEMPOTENCY_KEY_USED", "CONCURRENCY_LIMITED", ...COMMON_FAILURES),
  },
});

export const startAgent = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { deps } = c.var;
    if (body.estimate === true) return c.json(await respondWithAgentEstimate(c, body), 200);
    const { id, place } = await start(c, body);
    const view = await awaitStepJob(deps, id, WAIT_MS).catch((error: unknown) => undefinedOf(deps, error));
    const warning = unsupportedOptions(body).join(" ");
    const noted = warning === "" ? {} : { warning };
    if (view === undefined || view.progress.status === "scraping")
      return c.json({ success: true as const, id, ...place, ...noted, receipt: receiptOf(c) }, 200);
    const fields = presentAgent(view, place, body.origin);
    const words = [fields.warning, warning].filter(Boolean).join(" ");
    const warned = words === "" ? {} : { warning: words };
    return c.json({ success: true as const, id, ...fields, ...warned, receipt: receiptOf(c) }, 200);
  },
});

/** The run has started: its caller gets the ID alone when its result cannot be read, or was deleted meanwhile. */
function undefinedOf({ log }: Pick<Deps, "log">, error: unknown): undefined {
  if (!isAppError(error)) log({ event: "agent_not_awaited", message: stackOf(error) });
}

/** Answers with the estimate of a run, from its limits and earlier runs: no page is loaded, and nothing is charged. */
async function respondWithAgentEstimate(c: Context<AppEnv>, body: AgentBody) {
  const { deps, caller } = c.var;
  const { effort = "medium", mode = "extract", urls = [], maxCredits = BUDGETS[effort].credits } = body;
  return await respondWithEstimate(c, {
    endpoint: "agent",
    body,
    target: urls[0],
    options: [{ formats: [{ type: "json" }] }],
    isFree: true,
    work: () => estimateAgent(deps, caller, { effort, mode, urls: urls.length, maxCredits }),
  });
}

async function start(c: Context<AppEnv>, body: AgentBody): Promise<{ id: string; place: AgentPlace }> {
  assertPublicWebhook(c.var.deps, body.webhook);
  const { deps, caller } = c.var;
  const idempotency = await idempotencyOf(c);
  const { threadId } = body;
  const turn = threadId === undefined ? undefined : await nextTurn(deps, caller, { threadId, idempotency });
  const input = inputOf(body, turn);
  const { urls, effort = "medium", mode = "extract" } = input;
  const leastCredits = estimateCredits({ options: {}, zeroDataRetention: false });
  // The prompt or the schema chooses the data, as in an extraction.
  const options = { formats: [{ type: "json" as const }] };
  await admitJob(c, { endpoint: "agent", target: urls[0] ?? null, options, leastCredits, mode: "extract" });
  const maxCredits = body.maxCredits ?? BUDGETS[effort].credits;
  const place = { mode, ...(body.effort === undefined ? {} : { effort: body.effort }) };
  const thread = turn === undefined ? undefined : { threadId: turn.threadId, threadTurn: turn.turn };
  const id = await startStepJob<AgentInput>(deps, caller, {
    kind: "agent",
    apiVersion: "v2",
    scrapeDefaults: V2_DEFAULTS,
    zeroDataRetention: false,
    publicOrigin: publicOrigin(c.req.raw),
    ...readWebhook(body.webhook, EVENTS),
    input,
    maxCredits,
    target: urls[0] ?? body.prompt.slice(0, 200),
    options: {
      ...input,
      ...place,
      ...thread,
      maxCredits,
      model: modelName(deps),
      origin: body.origin,
      integration: body.integration ?? undefined,
    },
    timeMs: BUDGETS[effort].timeMs,
    fingerprint: await fingerprintOf("agent", body),
    idempotency,
    ...(turn === undefined
      ? {}
      : {
          claim: (runId) => claimTurn(deps, caller, { threadId: turn.threadId, turn: turn.turn, runId }),
          release: (runId) => deps.agentTurns.release(turn.threadId, runId),
        }),
  });
  if (turn !== undefined) await assertThread(deps, { threadId: turn.threadId, runId: id });
  nameWork(c, { id });
  return { id, place: { ...place, ...(thread ?? { threadId: id, threadTurn: 1 }) } };
}

/** Returns the input of a run; omitted options of a follow-up are those of its thread. */
function inputOf(body: AgentBody, turn: NewTurn | undefined): AgentInput {
  const { settings, earlierRunId } = turn ?? {};
  const schema = body.schema !== undefined && Object.keys(body.schema).length > 0 ? body.schema : undefined;
  // The restriction belongs to the addresses that it was sent with.
  const isStrict = body.urls === undefined ? settings?.strictConstrainToURLs : undefined;
  return {
    prompt: body.prompt,
    urls: body.urls ?? settings?.urls ?? [],
    schema: body.schema === undefined ? settings?.schema : schema,
    strictConstrainToURLs: body.strictConstrainToURLs ?? isStrict ?? false,
    mode: body.mode ?? settings?.mode ?? "extract",
    ...(body.effort === undefined ? {} : { effort: body.effort }),
    ...(body.evidence === undefined ? {} : { evidence: body.evidence }),
    ...(earlierRunId === undefined ? {} : { earlierRunId }),
  };
}

/** Returns the name of the model: one for all agents, or `rules`. */
function modelName({ llm }: Pick<Deps, "llm">): string {
  return llm?.names.large ?? "rules";
}

/** Returns the options that are accepted for compatibility and have no effect. */
function unsupportedOptions(body: AgentBody): string[] {
  const notices: [boolean, string][] = [
    [body.model !== undefined, "model: this service answers with the model that it is configured with."],
    [
      body.strictConstrainToURLs === true && (body.urls ?? []).length === 0 && body.threadId === undefined,
      "strictConstrainToURLs: it has no effect without urls.",
    ],
  ];
  const ineffective = notices.flatMap(([applies, words]) => (applies ? [words] : []));
  return [...ineffective, ...warningsWithoutEffect(body, TOLERATED)];
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
    const job = await findStepJob(c, { id: c.req.valid("param").id, kind: "agent", notFound: NOT_FOUND });
    const { id } = job;
    const place = await placeOf(c.var.deps, job);
    const view = await awaitStepJob(c.var.deps, id, 0);
    const estimate = estimateOfAgent(job, view);
    const progress = { ...view.progress, expiresAtMs: job.expiresAtMs };
    const status = presentAgent({ ...view, progress }, place, originOf(job));
    return c.json({ success: true as const, id, ...status, ...(estimate && { estimate }) }, 200);
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
