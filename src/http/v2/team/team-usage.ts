import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../../core/errors.ts";
import { USAGE_GROUPS, readUsage, type UsageGroup } from "../../../services/account/read-usage.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { readDays, UsageDays } from "../../account/usage-days.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../../route.ts";
import { SUMS_EXAMPLE, UsageSums, toUsageSums } from "../../account/usage-schemas.ts";

const UsageQuery = z.object({
  ...UsageDays,
  groupBy: z
    .string()
    .optional()
    .openapi({
      description: `Grouping: any of ${USAGE_GROUPS.join(", ")}, separated by commas. Default: day.`,
      example: "day,key",
    }),
});

const UsageLine = UsageSums.extend({
  day: z.string().optional().describe("Day in UTC, when grouped by day."),
  endpoint: z.string().optional().describe("Name of the endpoint, when grouped by endpoint."),
  key: z
    .object({
      id: z.string().describe("ID of the key."),
      name: z.string().describe("Name of the key."),
      prefix: z.string().describe("First characters of the key."),
    })
    .optional()
    .describe("Key of the requests, when grouped by key."),
}).openapi("UsageLine", { example: { day: "2026-11-21", ...SUMS_EXAMPLE } });

const UsageResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    from: z.string().describe("First day of the report."),
    to: z.string().describe("Last day of the report."),
    data: z.array(UsageLine).describe("Sums of each group."),
    totals: UsageSums.openapi({ description: "Sum of all groups." }),
    warning: z.string().optional().describe("What is not counted. Absent when the report is complete."),
  })
  .openapi("UsageResponse", {
    example: {
      success: true,
      from: "2026-11-21",
      to: "2026-11-21",
      data: [{ day: "2026-11-21", ...SUMS_EXAMPLE }],
      totals: SUMS_EXAMPLE,
    },
  });

const route = createRoute({
  method: "get",
  path: "/v2/team/usage",
  "x-key-scope": "account",
  tags: ["Team"],
  summary: "Get usage by day, endpoint and key",
  security: BEARER,
  request: { query: UsageQuery },
  responses: {
    200: json(UsageResponse, "Sums of the receipts of all responses"),
    ...failures("BAD_REQUEST", ...COMMON_FAILURES),
  },
});

export const teamUsage = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    await admit(c, { mode: "account", credits: 0 });
    const { deps, caller } = c.var;
    const query = c.req.valid("query");
    const { from, to } = readDays(query, deps.clock.now());
    const { lines, totals, ...whole } = await readUsage(deps, caller, {
      fromDay: from,
      toDay: to,
      groupBy: readGroups(query.groupBy),
    });
    const data = lines.map(({ totals: sums, ...group }) => ({ ...group, ...toUsageSums(sums) }));
    return c.json({ success: true as const, from, to, data, totals: toUsageSums(totals), ...whole }, 200);
  },
});

function readGroups(text: string | undefined): UsageGroup[] {
  const names = (text ?? "day").split(",").map((group) => group.trim()).filter((group) => group !== ""); // prettier-ignore
  const known = (group: string): group is UsageGroup => (USAGE_GROUPS as readonly string[]).includes(group);
  if (names.every(known)) return names;
  throw new AppError("BAD_REQUEST", `groupBy must be one of ${USAGE_GROUPS.join(", ")}`);
}
