import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { BREAKDOWNS } from "../../../core/account/usage-breakdown.ts";
import { readBreakdown } from "../../../services/account/read-breakdown.ts";
import { readBudgets } from "../../../services/account/read-budgets.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { readDays, UsageDays } from "../../account/usage-days.ts";
import { OTHER_ID } from "../../docs/examples.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../../route.ts";

const BreakdownResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    by: z.enum(BREAKDOWNS).describe("Property that the sums are by."),
    from: z.string().describe("First day of the report."),
    to: z.string().describe("Last day of the report."),
    data: z
      .array(
        z.object({
          name: z
            .string()
            .describe(
              "Hour in UTC (`2026-11-21T10`), host, engine or error code; `other` for the rest of a day's names.",
            ),
          requests: z.int().describe("Number of requests."),
          errors: z.int().describe("Number of requests that failed and of jobs that could not start."),
          credits: z.number().describe("Credits charged. Those of a job count for the host and the hour of its start."),
        }),
      )
      .describe("Sums by name: hours in order, others by number of requests."),
    warning: z.string().optional().describe("What is not counted. Absent when the report is complete."),
  })
  .openapi("UsageBreakdown", {
    example: {
      success: true,
      by: "host",
      from: "2026-11-21",
      to: "2026-11-21",
      data: [{ name: "example.com", requests: 12, errors: 1, credits: 11 }],
    },
  });

const breakdownRoute = createRoute({
  method: "get",
  path: "/v2/team/usage/breakdown",
  "x-key-scope": "account",
  tags: ["Team"],
  summary: "Get usage by hour, host, engine or reason of failure",
  description:
    "Counts requests, errors and credits of the team since this version of the service was installed. At most 300 names of each key and day are counted on their own.",
  security: BEARER,
  request: {
    query: z.object({
      by: z.enum(BREAKDOWNS).openapi({ description: "Breakdown of the report.", example: "host" }),
      ...UsageDays,
    }),
  },
  responses: { 200: json(BreakdownResponse, "The sums"), ...failures("BAD_REQUEST", ...COMMON_FAILURES) },
});

export const usageBreakdown = defineOpenAPIRoute<typeof breakdownRoute, AppEnv>({
  route: breakdownRoute,
  handler: async (c) => {
    await admit(c, { mode: "account", credits: 0 });
    const { deps, caller } = c.var;
    const { by, ...days } = c.req.valid("query");
    const { from, to } = readDays(days, deps.clock.now());
    const { lines: data, ...whole } = await readBreakdown(deps, caller, { by, fromDay: from, toDay: to });
    return c.json({ success: true as const, by, from, to, data, ...whole }, 200);
  },
});

const BudgetsResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .array(
        z.object({
          key: z
            .object({
              id: z.string().describe("ID of the key."),
              name: z.string().describe("Name of the key."),
              prefix: z.string().describe("First characters of the key."),
            })
            .describe("Key that the budget belongs to."),
          creditsUsed: z.number().describe("Credits used in this calendar month (UTC)."),
          monthlyCredits: z.number().nullable().describe("Credits per month, or null for no limit."),
          periodEnd: z.string().describe("Time at which the budget starts anew."),
        }),
      )
      .describe("Budgets of the keys that are not revoked."),
  })
  .openapi("Budgets", {
    example: {
      success: true,
      data: [
        {
          key: { id: OTHER_ID, name: "first key", prefix: "fc-1a2b3c" },
          creditsUsed: 412,
          monthlyCredits: 10_000,
          periodEnd: "2026-12-01T00:00:00.000Z",
        },
      ],
    },
  });

const budgetsRoute = createRoute({
  method: "get",
  path: "/v2/team/budgets",
  "x-key-scope": "account",
  tags: ["Team"],
  summary: "List the monthly budgets of the keys and their use",
  security: BEARER,
  responses: { 200: json(BudgetsResponse, "The budgets"), ...failures(...COMMON_FAILURES) },
});

export const teamBudgets = defineOpenAPIRoute<typeof budgetsRoute, AppEnv>({
  route: budgetsRoute,
  handler: async (c) => {
    await admit(c, { mode: "account", credits: 0 });
    const budgets = await readBudgets(c.var.deps, c.var.caller);
    const data = budgets.map(({ monthlyCredits = null, periodEndMs, ...budget }) => ({
      ...budget,
      monthlyCredits,
      periodEnd: new Date(periodEndMs).toISOString(),
    }));
    return c.json({ success: true as const, data }, 200);
  },
});
