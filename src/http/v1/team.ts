import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Allowance } from "../../services/account/read-credits.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../route.ts";
import { activityRoute, answerActivity } from "../v2/team/team-activity.ts";
import {
  answerCreditHistory,
  answerTokenHistory,
  askCredits,
  askTokens,
  creditHistoryRoute,
  tokenHistoryRoute,
} from "../v2/team/team-credits.ts";
import { answerConcurrency, answerQueue, concurrencyRoute, queueRoute } from "../v2/team/team-queue.ts";

const TAGS = ["Version 1"];
const PERIOD = { billing_period_start: "2026-11-01T00:00:00.000Z", billing_period_end: "2026-12-01T00:00:00.000Z" };
const Period = {
  billing_period_start: z.string().nullable().describe("Start of the billing period, or null."),
  billing_period_end: z.string().nullable().describe("End of the billing period, or null."),
};

const V1CreditUsage = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .object({
        remaining_credits: z.number().describe("Credits that remain this month."),
        plan_credits: z.number().describe("Credits per month."),
        ...Period,
      })
      .describe("Credits of the key."),
  })
  .openapi("V1CreditUsage", {
    example: { success: true, data: { remaining_credits: 9_588, plan_credits: 10_000, ...PERIOD } },
  });

const V1TokenUsage = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .object({
        remaining_tokens: z.number().describe("Tokens that remain this month."),
        plan_tokens: z.number().describe("Tokens per month."),
        ...Period,
      })
      .describe("Language model tokens of the key."),
  })
  .openapi("V1TokenUsage", {
    example: { success: true, data: { remaining_tokens: 999_999_995_120, plan_tokens: 1_000_000_000_000, ...PERIOD } },
  });

const creditRoute = createRoute({
  method: "get",
  path: "/v1/team/credit-usage",
  "x-key-scope": "key",
  tags: TAGS,
  summary: "Get the remaining credits of this month",
  security: BEARER,
  responses: {
    200: json(V1CreditUsage, "Credits of the current calendar month (UTC)"),
    ...failures(...COMMON_FAILURES),
  },
});

export const creditUsage = defineOpenAPIRoute<typeof creditRoute, AppEnv>({
  route: creditRoute,
  handler: async (c) => {
    const allowance = await askCredits(c);
    const data = { remaining_credits: allowance.remaining, plan_credits: allowance.plan, ...periodOf(allowance) };
    return c.json({ success: true as const, data }, 200);
  },
});

const tokenRoute = createRoute({
  method: "get",
  path: "/v1/team/token-usage",
  "x-key-scope": "key",
  tags: TAGS,
  summary: "Get the language model tokens used this month",
  security: BEARER,
  responses: { 200: json(V1TokenUsage, "Tokens of the current calendar month (UTC)"), ...failures(...COMMON_FAILURES) },
});

export const tokenUsage = defineOpenAPIRoute<typeof tokenRoute, AppEnv>({
  route: tokenRoute,
  handler: async (c) => {
    const allowance = await askTokens(c);
    const data = { remaining_tokens: allowance.remaining, plan_tokens: allowance.plan, ...periodOf(allowance) };
    return c.json({ success: true as const, data }, 200);
  },
});

const v1CreditHistory = createRoute({ ...creditHistoryRoute, path: "/v1/team/credit-usage/historical", tags: TAGS });
export const creditHistory = defineOpenAPIRoute<typeof v1CreditHistory, AppEnv>({
  route: v1CreditHistory,
  handler: async (c) => c.json(await answerCreditHistory(c, c.req.valid("query")), 200),
});

const v1TokenHistory = createRoute({ ...tokenHistoryRoute, path: "/v1/team/token-usage/historical", tags: TAGS });
export const tokenHistory = defineOpenAPIRoute<typeof v1TokenHistory, AppEnv>({
  route: v1TokenHistory,
  handler: async (c) => c.json(await answerTokenHistory(c, c.req.valid("query")), 200),
});

const v1Queue = createRoute({ ...queueRoute, path: "/v1/team/queue-status", tags: TAGS });
export const queueStatus = defineOpenAPIRoute<typeof v1Queue, AppEnv>({
  route: v1Queue,
  handler: async (c) => c.json(await answerQueue(c), 200),
});

const v1Concurrency = createRoute({ ...concurrencyRoute, path: "/v1/concurrency-check", tags: TAGS });
export const concurrencyCheck = defineOpenAPIRoute<typeof v1Concurrency, AppEnv>({
  route: v1Concurrency,
  handler: async (c) => c.json(await answerConcurrency(c), 200),
});

const v1Activity = createRoute({ ...activityRoute, path: "/v1/team/activity", tags: TAGS });
export const teamActivity = defineOpenAPIRoute<typeof v1Activity, AppEnv>({
  route: v1Activity,
  handler: async (c) => c.json(await answerActivity(c, c.req.valid("query")), 200),
});

function periodOf({ periodStartMs, periodEndMs }: Allowance) {
  return {
    billing_period_start: new Date(periodStartMs).toISOString(),
    billing_period_end: new Date(periodEndMs).toISOString(),
  };
}
