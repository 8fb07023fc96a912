import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { readCredits, readTokens, type Allowance } from "../../../services/account/read-credits.ts";
import { readHistory, type UsagePeriod } from "../../../services/account/read-usage.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../../route.ts";

const PERIOD = { billingPeriodStart: "2026-11-01T00:00:00.000Z", billingPeriodEnd: "2026-12-01T00:00:00.000Z" };
const Period = {
  billingPeriodStart: z.string().nullable().describe("Start of the billing period, or null."),
  billingPeriodEnd: z.string().nullable().describe("End of the billing period, or null."),
};

const CreditUsage = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .object({
        remainingCredits: z.number().describe("Credits that remain this month."),
        planCredits: z.number().describe("Credits per month."),
        ...Period,
      })
      .describe("Credits of the key."),
  })
  .openapi("CreditUsage", {
    example: { success: true, data: { remainingCredits: 9_588, planCredits: 10_000, ...PERIOD } },
  });

const TokenUsage = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .object({
        remainingTokens: z.number().describe("Tokens that remain this month."),
        planTokens: z.number().describe("Tokens per month."),
        ...Period,
      })
      .describe("Language model tokens of the key."),
  })
  .openapi("TokenUsage", {
    example: { success: true, data: { remainingTokens: 999_999_995_120, planTokens: 1_000_000_000_000, ...PERIOD } },
  });

const PeriodFields = {
  startDate: z.string().describe("Start of the month."),
  endDate: z.string().nullable().describe("End of the month, or null for the current one."),
  apiKey: z.string().optional().describe("Key of the period, with `byApiKey`."),
};
const MONTH = { startDate: "2026-11-01T00:00:00.000Z", endDate: null };
export const HistoryQuery = z.object({
  byApiKey: z
    .string()
    .optional()
    .openapi({ description: "`true` returns a separate period for each key. Default: false.", example: "true" }),
});

export const CreditHistory = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    periods: z
      .array(
        z.object({
          ...PeriodFields,
          creditsUsed: z.number().describe("Credits used in the month."),
          totalCredits: z.number().describe("Same as `creditsUsed`, for compatibility."),
        }),
      )
      .describe("Months, oldest first."),
  })
  .openapi("CreditHistory", {
    example: { success: true, periods: [{ ...MONTH, apiKey: "first key", creditsUsed: 412, totalCredits: 412 }] },
  });

export const TokenHistory = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    periods: z
      .array(
        z.object({
          ...PeriodFields,
          tokensUsed: z.number().describe("Tokens used in the month."),
          totalTokens: z.number().describe("Same as `tokensUsed`, for compatibility."),
        }),
      )
      .describe("Months, oldest first."),
  })
  .openapi("TokenHistory", {
    example: { success: true, periods: [{ ...MONTH, tokensUsed: 4_880, totalTokens: 4_880 }] },
  });

const FAILURES = failures(...COMMON_FAILURES);

const creditRoute = createRoute({
  method: "get",
  path: "/v2/team/credit-usage",
  "x-key-scope": "key",
  tags: ["Team"],
  summary: "Get the remaining credits of this month",
  description: "A key without a budget reports a plan of 1,000,000,000,000 credits, since clients expect a number.",
  security: BEARER,
  responses: { 200: json(CreditUsage, "Credits of the current calendar month (UTC)"), ...FAILURES },
});

export const creditUsage = defineOpenAPIRoute<typeof creditRoute, AppEnv>({
  route: creditRoute,
  handler: async (c) => {
    const { remaining, plan, ...period } = await askCredits(c);
    const data = { remainingCredits: remaining, planCredits: plan, ...periodOf(period) };
    return c.json({ success: true as const, data }, 200);
  },
});

const tokenRoute = createRoute({
  method: "get",
  path: "/v2/team/token-usage",
  "x-key-scope": "key",
  tags: ["Team"],
  summary: "Get the language model tokens used this month",
  description: "Tokens have no budget: the plan is reported as 1,000,000,000,000 tokens.",
  security: BEARER,
  responses: { 200: json(TokenUsage, "Tokens of the current calendar month (UTC)"), ...FAILURES },
});

export const tokenUsage = defineOpenAPIRoute<typeof tokenRoute, AppEnv>({
  route: tokenRoute,
  handler: async (c) => {
    const { remaining, plan, ...period } = await askTokens(c);
    return c.json(
      { success: true as const, data: { remainingTokens: remaining, planTokens: plan, ...periodOf(period) } },
      200,
    );
  },
});

export const creditHistoryRoute = createRoute({
  method: "get",
  path: "/v2/team/credit-usage/historical",
  "x-key-scope": "key",
  tags: ["Team"],
  summary: "List the credits used per month",
  security: BEARER,
  request: { query: HistoryQuery },
  responses: { 200: json(CreditHistory, "Months, oldest first. The current month has no end."), ...FAILURES },
});

export const creditHistory = defineOpenAPIRoute<typeof creditHistoryRoute, AppEnv>({
  route: creditHistoryRoute,
  handler: async (c) => c.json(await answerCreditHistory(c, c.req.valid("query")), 200),
});

export const tokenHistoryRoute = createRoute({
  method: "get",
  path: "/v2/team/token-usage/historical",
  "x-key-scope": "key",
  tags: ["Team"],
  summary: "List the language model tokens used per month",
  security: BEARER,
  request: { query: HistoryQuery },
  responses: { 200: json(TokenHistory, "Months, oldest first. The current month has no end."), ...FAILURES },
});

export const tokenHistory = defineOpenAPIRoute<typeof tokenHistoryRoute, AppEnv>({
  route: tokenHistoryRoute,
  handler: async (c) => c.json(await answerTokenHistory(c, c.req.valid("query")), 200),
});

export async function askCredits(c: Context<AppEnv>): Promise<Allowance> {
  await admit(c, { mode: "account", credits: 0 });
  return await readCredits(c.var.deps, c.var.caller);
}

export async function askTokens(c: Context<AppEnv>): Promise<Allowance> {
  await admit(c, { mode: "account", credits: 0 });
  return await readTokens(c.var.deps, c.var.caller);
}

export async function answerCreditHistory(
  c: Context<AppEnv>,
  query: z.infer<typeof HistoryQuery>,
): Promise<z.infer<typeof CreditHistory>> {
  const periods = await askHistory(c, query);
  return {
    success: true,
    periods: periods.map((period) => ({
      ...monthOf(period),
      creditsUsed: period.credits,
      totalCredits: period.credits,
    })),
  };
}

export async function answerTokenHistory(
  c: Context<AppEnv>,
  query: z.infer<typeof HistoryQuery>,
): Promise<z.infer<typeof TokenHistory>> {
  const periods = await askHistory(c, query);
  return {
    success: true,
    periods: periods.map((period) => ({ ...monthOf(period), tokensUsed: period.tokens, totalTokens: period.tokens })),
  };
}

async function askHistory(c: Context<AppEnv>, { byApiKey }: z.infer<typeof HistoryQuery>): Promise<UsagePeriod[]> {
  await admit(c, { mode: "account", credits: 0 });
  return await readHistory(c.var.deps, c.var.caller, { byKey: byApiKey === "true" });
}

function monthOf({ startMs, endMs, keyName }: UsagePeriod) {
  return {
    startDate: new Date(startMs).toISOString(),
    endDate: endMs === undefined ? null : new Date(endMs).toISOString(),
    ...(keyName === undefined ? {} : { apiKey: keyName }),
  };
}

function periodOf({ periodStartMs, periodEndMs }: Pick<Allowance, "periodStartMs" | "periodEndMs">) {
  return {
    billingPeriodStart: new Date(periodStartMs).toISOString(),
    billingPeriodEnd: new Date(periodEndMs).toISOString(),
  };
}
