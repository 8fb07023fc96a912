import { readReplaceable } from "../../../core/stored-state.ts";
import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../../core/errors.ts";
import type { JobRecord } from "../../../core/jobs/job.ts";
import { EFFORTS } from "../../../jobs/agent/effort.ts";
import { listAgents as listAgentsOf } from "../../../services/research/list-agents.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { publicOrigin } from "../../public-origin.ts";
import { admit } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../../route.ts";
import { stepStatus } from "../../research/step-response.ts";

const HINT_CHARS = 200;

const AgentItem = z.object({
  id: z.string().describe("ID of the resource."),
  createdAt: z.string().describe("Time of creation."),
  targetHint: z.string().openapi({ description: "First URL, or the beginning of the prompt." }),
  origin: z.string().describe("Name of the calling program."),
  integration: z.string().optional().describe("Name of the calling integration."),
  settings: z
    .object({
      hidden: z.boolean().describe("Always false, for compatibility."),
      starred: z.boolean().describe("Always false, for compatibility."),
    })
    .describe("Settings for display, for compatibility."),
  status: z.enum(["processing", "completed", "failed", "cancelled"]).describe("State of the agent."),
  options: z
    .object({
      prompt: z.string().describe("Task of the agent."),
      urls: z.array(z.string()).optional().describe("Pages to start from."),
      schema: z.unknown().optional().describe("JSON Schema of the result."),
      model: z.string().describe("Language model that answers, or `rules`."),
      effort: z.enum(EFFORTS).optional().describe("Effort of the run. Absent when the request set none."),
    })
    .optional()
    .describe("Options of the agent, without the longest where they have more than 16 kB."),
});

const AgentListResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    agents: z.array(AgentItem).describe("Agents, newest first."),
    next: z.string().optional().openapi({ description: "URL of the next page. Absent when there is none." }),
  })
  .openapi("AgentList", {
    example: {
      success: true,
      agents: [
        {
          id: "019a9f6e-2b1c-7c55-9e0d-3f1f6f0a2c11",
          createdAt: "2026-11-21T12:00:00.000Z",
          targetHint: "https://example.com",
          origin: "api",
          settings: { hidden: false, starred: false },
          status: "completed",
          options: { prompt: "Which ferries run on Sundays?", urls: ["https://example.com"], model: "rules" },
        },
      ],
    },
  });

const listRoute = createRoute({
  method: "get",
  path: "/v2/agent",
  "x-key-scope": "agent",
  tags: ["Agent"],
  summary: "List agents",
  security: BEARER,
  request: {
    query: z.object({
      before: z.string().optional().openapi({
        description:
          "Returns only agents that started before this time, in milliseconds since the epoch. Default: now.",
        example: "1795262400000",
      }),
    }),
  },
  responses: { 200: json(AgentListResponse, "The agents"), ...failures("BAD_REQUEST", ...COMMON_FAILURES) },
});

export const listAgents = defineOpenAPIRoute<typeof listRoute, AppEnv>({
  route: listRoute,
  handler: async (c) => {
    const beforeMs = readMoment(c.req.valid("query").before);
    await admit(c, { mode: "extractStatus", credits: 0 });
    const { agents, nextBeforeMs } = await listAgentsOf(c.var.deps, c.var.caller, beforeMs);
    const next =
      nextBeforeMs === undefined ? {} : { next: `${publicOrigin(c.req.raw)}/v2/agent?before=${nextBeforeMs}` };
    return c.json({ success: true as const, agents: agents.map(toItem), ...next }, 200);
  },
});

function readMoment(text: string | undefined): number {
  if (text === undefined || text === "") return Number.MAX_SAFE_INTEGER;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError("BAD_REQUEST", "before must be a time in milliseconds since 1970.");
}

/** Stored by the start of an agent, in this shape; the longest fields are left out of more than 16 kB. */
const KeptOptions = z
  .object({
    prompt: z.string(),
    urls: z.array(z.string()),
    schema: z.unknown(),
    model: z.string(),
    effort: z.enum(EFFORTS),
    origin: z.string(),
    integration: z.string(),
  })
  .partial();

function toItem({ id, status, target, optionsJson, createdAtMs }: JobRecord): z.infer<typeof AgentItem> {
  const {
    prompt,
    urls = [],
    schema,
    model = "rules",
    effort,
    ...caller
  } = readReplaceable(KeptOptions, optionsJson) ?? {};
  return {
    id,
    createdAt: new Date(createdAtMs).toISOString(),
    targetHint: target.slice(0, HINT_CHARS),
    origin: caller.origin ?? "api",
    ...(caller.integration === undefined ? {} : { integration: caller.integration }),
    settings: { hidden: false, starred: false },
    status: stepStatus(status),
    ...(prompt === undefined
      ? {}
      : {
          options: {
            prompt,
            ...(urls.length === 0 ? {} : { urls }),
            ...(schema === undefined ? {} : { schema }),
            model,
            ...(effort === undefined ? {} : { effort }),
          },
        }),
  };
}
