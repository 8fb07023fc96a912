import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../core/errors.ts";
import type { JobRecord } from "../../core/job.ts";
import { listAgents as listAgentsOf } from "../../services/list-agents.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../key-scope.ts";
import { publicOrigin } from "../public-origin.ts";
import { admit } from "../rate-limit.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../route.ts";
import { stepStatus } from "../step-answer.ts";

const HINT_CHARS = 200;

const AgentItem = z.object({
  id: z.string(),
  createdAt: z.string(),
  targetHint: z.string().openapi({ description: "The first address, or the beginning of the prompt" }),
  origin: z.string(),
  integration: z.string().optional(),
  settings: z.object({ hidden: z.boolean(), starred: z.boolean() }),
  status: z.enum(["processing", "completed", "failed", "cancelled"]),
  options: z
    .object({
      prompt: z.string(),
      urls: z.array(z.string()).optional(),
      schema: z.unknown().optional(),
      model: z.string(),
    })
    .optional(),
});

const AgentListAnswer = z
  .object({
    success: z.literal(true),
    agents: z.array(AgentItem),
    next: z.string().optional().openapi({ description: "Where the list goes on; absent when it ends here" }),
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
  responses: { 200: json(AgentListAnswer, "The agents"), ...failures("BAD_REQUEST", ...COMMON_FAILURES) },
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
  throw new AppError("BAD_REQUEST", "before must be a moment in milliseconds since 1970.");
}

/** Kept by the start of an agent, in these shapes; of a very long one nothing is kept. */
interface KeptOptions {
  prompt?: string;
  urls?: string[];
  schema?: unknown;
  model?: string;
  origin?: string;
  integration?: string;
}

function toItem({ id, status, target, optionsJson, createdAtMs }: JobRecord): z.infer<typeof AgentItem> {
  const { prompt, urls = [], schema, model = "rules", ...caller } = JSON.parse(optionsJson) as KeptOptions;
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
          },
        }),
  };
}
