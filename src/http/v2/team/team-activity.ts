import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Attempt } from "../../../core/scrape/attempt.ts";
import { ACTIVITY_ENDPOINTS, listActivity } from "../../../services/account/list-activity.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../../route.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** A limit that is not a number means the default, so the schema accepts any text. */
const ActivityQuery = z.object({
  endpoint: z
    .string()
    .optional()
    .openapi({
      description: `Returns only entries of this endpoint: ${ACTIVITY_ENDPOINTS.join(", ")}. Default: all endpoints.`,
      example: "scrape",
    }),
  outcome: z
    .enum(["succeeded", "failed"])
    .optional()
    .openapi({ description: "Returns only entries with this outcome. Default: all.", example: "failed" }),
  limit: z
    .string()
    .optional()
    .openapi({
      description: `Maximum number of entries, 1 to ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}.`,
      example: "50",
    }),
  cursor: z
    .string()
    .optional()
    .openapi({ description: "Cursor of the previous response. Default: the newest entries." }),
});

const ActivityResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .array(
        z.object({
          id: z.string().describe("ID of the job or result."),
          endpoint: z.string().describe("Endpoint of the entry."),
          api_version: z.enum(["v1", "v2"]).describe("API version of the request."),
          created_at: z.string().describe("Time of the request."),
          target: z.string().nullable().describe("URL or query of the request, or null where there is none."),
          succeeded: z.boolean().describe("Whether the request succeeded."),
          duration_ms: z.int().describe("Duration of the request in milliseconds."),
          credits_used: z.number().describe("Credits charged for the request."),
          user_agent: z
            .string()
            .nullable()
            .describe(
              "First 100 characters of the request's user agent, or null. It begins with `mcp` for tools of MCP.",
            ),
          engine: z.string().optional().describe("Engine that loaded the page."),
          code: z.string().optional().describe("Error code of a failed request."),
          error: z.string().optional().describe("Error message of a failed request. Absent with zero data retention."),
          attempts: z
            .array(Attempt)
            .optional()
            .describe("Engines that were tried in vain, in order, of a page that did not load."),
          timing: z
            .array(
              z.object({
                step: z.string().describe("Name of the step."),
                ms: z.number().describe("Duration in milliseconds."),
              }),
            )
            .optional()
            .describe("Durations of the steps of the request, in the order in which they began."),
          cost: z
            .object({
              dollars: z.number().describe("Estimated cost in dollars at list prices."),
              cpuMs: z.number().describe("CPU time in milliseconds."),
              browserMs: z.number().describe("Browser time in milliseconds."),
              bytes: z.number().describe("Number of bytes fetched."),
            })
            .optional()
            .describe("The receipt of the request in short."),
        }),
      )
      .describe("Entries of the last 24 hours, newest first."),
    cursor: z.string().nullable().describe("Cursor of the next page, or null."),
    has_more: z.boolean().describe("Whether there are more entries."),
  })
  .openapi("ActivityResponse", {
    example: {
      success: true,
      data: [
        {
          id: "019a9f6e-2b1c-7c55-9e0d-3f1f6f0a2c11",
          endpoint: "scrape",
          api_version: "v2",
          created_at: "2026-11-21T12:00:00.000Z",
          target: "https://example.com",
          succeeded: true,
          duration_ms: 412,
          credits_used: 1,
          user_agent: "python-requests/2.32.3",
        },
      ],
      cursor: null,
      has_more: false,
    },
  });

export const activityRoute = createRoute({
  method: "get",
  path: "/v2/team/activity",
  "x-key-scope": "key",
  tags: ["Team"],
  summary: "List the activity of the last 24 hours",
  security: BEARER,
  request: { query: ActivityQuery },
  responses: { 200: json(ActivityResponse, "The activity"), ...failures("BAD_REQUEST", ...COMMON_FAILURES) },
});

export const teamActivity = defineOpenAPIRoute<typeof activityRoute, AppEnv>({
  route: activityRoute,
  handler: async (c) => c.json(await answerActivity(c, c.req.valid("query")), 200),
});

/** Answers with the activity, for v1 and v2. */
export async function answerActivity(
  c: Context<AppEnv>,
  { endpoint, outcome, limit, cursor }: z.infer<typeof ActivityQuery>,
): Promise<z.infer<typeof ActivityResponse>> {
  await admit(c, { mode: "account", credits: 0 });
  const page = await listActivity(c.var.deps, c.var.caller, { endpoint, outcome, limit: readLimit(limit), cursor });
  return {
    success: true,
    data: page.entries.map((entry) => ({
      id: entry.id,
      endpoint: entry.endpoint,
      api_version: entry.apiVersion,
      created_at: new Date(entry.atMs).toISOString(),
      target: entry.target,
      succeeded: !entry.hasFailed,
      duration_ms: entry.ms,
      credits_used: entry.credits,
      user_agent: entry.client ?? null,
      ...(entry.engine === undefined ? {} : { engine: entry.engine }),
      ...(entry.code === undefined ? {} : { code: entry.code }),
      ...(entry.error === undefined ? {} : { error: entry.error }),
      ...(entry.attempts === undefined ? {} : { attempts: entry.attempts }),
      ...(entry.timing === undefined ? {} : { timing: readSteps(entry.timing) }),
      ...(entry.cost === undefined ? {} : { cost: entry.cost }),
    })),
    cursor: page.cursor ?? null,
    has_more: page.cursor !== undefined,
  };
}

/** Reads the steps of a `Server-Timing` header. The last one can be cut off. */
function readSteps(header: string): { step: string; ms: number }[] {
  return header.split(", ").flatMap((part) => {
    const [, step, ms] = /^([\w-]+);dur=([\d.]+)$/.exec(part) ?? [];
    return step === undefined ? [] : [{ step, ms: Number(ms) }];
  });
}

function readLimit(text: string | undefined): number {
  const limit = Number.parseInt(text ?? "", 10);
  return Number.isNaN(limit) ? DEFAULT_LIMIT : Math.min(MAX_LIMIT, Math.max(1, limit));
}
