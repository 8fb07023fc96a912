import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../../core/errors.ts";
import { readReplaceable } from "../../../core/stored-state.ts";
import { EFFORTS } from "../../../jobs/agent/effort.ts";
import { deleteThread, readThread, type Thread, type ThreadRun } from "../../../services/research/agent-threads.ts";
import { listThreads } from "../../../services/research/list-agents.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import type { AppEnv } from "../../context.ts";
import { EXAMPLE_ID } from "../../docs/examples.ts";
import { publicOrigin } from "../../public-origin.ts";
import { BEARER, COMMON_FAILURES, Done, failures, json } from "../../route.ts";

const RUN_STATUSES = ["processing", "succeeded", "failed", "cancelled", "credit_limit_reached"] as const;

const ThreadRunField = z.object({
  id: z.string().describe("ID of the run."),
  turn: z.number().describe("Position of the run in the thread, from 1."),
  mode: z.enum(["extract", "chat"]).describe("Mode of the run."),
  prompt: z.string().describe("Task of the run."),
  urls: z.array(z.string()).optional().describe("Pages that the run started from."),
  schema: z.unknown().optional().describe("JSON Schema of the result."),
  effort: z.enum(EFFORTS).optional().describe("Effort of the run. Absent when the request set none."),
  status: z.enum(RUN_STATUSES).describe("State of the run."),
  createdAt: z.string().describe("Time of creation."),
  finishedAt: z.string().nullable().describe("Time of the end; null while the run is in progress."),
  creditsUsed: z.number().nullable().describe("Credits charged so far."),
  message: z.string().nullable().describe("Answer of mode `chat`; null in other runs."),
  data: z.unknown().optional().describe("Result of the run. Present only with `includeData=true`."),
  suggestions: z
    .array(z.object({ label: z.string().describe("Text to show."), prompt: z.string().describe("Prompt to send.") }))
    .optional()
    .describe("Follow-up questions. Absent when there are none."),
  warning: z.string().optional().describe("Names unverified values and incomplete parts. Absent without a warning."),
});

const ThreadField = z.object({
  id: z.string().describe("ID of the thread: the ID of its first run."),
  createdAt: z.string().describe("Time of creation."),
  updatedAt: z.string().describe("Start or end of the last run."),
  status: z.enum(["idle", "running"]).describe("`running` while a run is in progress."),
  runs: z.array(ThreadRunField).describe("Runs that are still stored, in order."),
});

const EXAMPLE_RUN = {
  id: EXAMPLE_ID,
  turn: 1,
  mode: "chat" as const,
  prompt: "Which ferries run on Sundays?",
  status: "succeeded" as const,
  createdAt: "2026-11-21T12:00:00.000Z",
  finishedAt: "2026-11-21T12:00:04.000Z",
  creditsUsed: 3,
  message: "The ferries at 9, 12 and 17 o'clock.",
};

const ThreadParam = z.object({
  threadId: z.string().openapi({
    description: "ID of the thread, as returned by its runs.",
    param: { name: "threadId", in: "path" },
    format: "uuid",
  }),
});
const THREAD_FAILURES = failures("thread_not_found", "thread_expired", ...COMMON_FAILURES);

const readRoute = createRoute({
  method: "get",
  path: "/v2/agent/threads/{threadId}",
  "x-key-scope": "agent",
  tags: ["Agent"],
  summary: "Get a thread of agents",
  security: BEARER,
  request: {
    params: ThreadParam,
    query: z.object({
      includeData: z.string().optional().openapi({ description: "`true` adds the `data` of each run." }),
    }),
  },
  responses: {
    200: json(
      z
        .object({
          success: z.literal(true).describe("Always true in a successful response."),
          thread: ThreadField.describe("The thread with its runs."),
        })
        .openapi("AgentThread", {
          example: {
            success: true,
            thread: {
              id: EXAMPLE_ID,
              createdAt: EXAMPLE_RUN.createdAt,
              updatedAt: EXAMPLE_RUN.finishedAt,
              status: "idle",
              runs: [EXAMPLE_RUN],
            },
          },
        }),
      "The thread",
    ),
    ...THREAD_FAILURES,
  },
});

export const agentThread = defineOpenAPIRoute<typeof readRoute, AppEnv>({
  route: readRoute,
  handler: async (c) => {
    await admit(c, { mode: "extractStatus", credits: 0 });
    const { threadId } = c.req.valid("param");
    const hasData = c.req.valid("query").includeData === "true";
    const thread = await readThread(c.var.deps, c.var.caller, { threadId, hasData });
    return c.json({ success: true as const, thread: presentThread(thread) }, 200);
  },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/v2/agent/threads/{threadId}",
  "x-key-scope": "agent",
  tags: ["Agent"],
  summary: "Delete a thread of agents",
  security: BEARER,
  request: { params: ThreadParam },
  responses: { 200: json(Done, "The thread and the results of its runs are deleted"), ...THREAD_FAILURES },
});

export const deleteAgentThread = defineOpenAPIRoute<typeof deleteRoute, AppEnv>({
  route: deleteRoute,
  handler: async (c) => {
    await admit(c, { mode: "extractStatus", credits: 0 });
    await deleteThread(c.var.deps, c.var.caller, c.req.valid("param").threadId);
    return c.json({ success: true as const }, 200);
  },
});

const ThreadItem = z.object({
  id: z.string().describe("ID of the thread."),
  createdAt: z.string().describe("Time of creation."),
  prompt: z.string().describe("Task of the first run."),
});

const listRoute = createRoute({
  method: "get",
  path: "/v2/agent/threads",
  "x-key-scope": "agent",
  tags: ["Agent"],
  summary: "List threads of agents",
  security: BEARER,
  request: {
    query: z.object({
      before: z.string().optional().openapi({
        description:
          "Returns only threads that started before this time, in milliseconds since the epoch. Default: now.",
        example: "1795262400000",
      }),
    }),
  },
  responses: {
    200: json(
      z
        .object({
          success: z.literal(true).describe("Always true in a successful response."),
          threads: z.array(ThreadItem).describe("Threads, newest first."),
          next: z.string().optional().describe("URL of the next page. Absent when there is none."),
        })
        .openapi("AgentThreads", {
          example: {
            success: true,
            threads: [{ id: EXAMPLE_ID, createdAt: EXAMPLE_RUN.createdAt, prompt: EXAMPLE_RUN.prompt }],
          },
        }),
      "The threads",
    ),
    ...failures("BAD_REQUEST", ...COMMON_FAILURES),
  },
});

export const agentThreads = defineOpenAPIRoute<typeof listRoute, AppEnv>({
  route: listRoute,
  handler: async (c) => {
    const { before = "" } = c.req.valid("query");
    if (!/^\d{0,15}$/.test(before)) {
      throw new AppError("BAD_REQUEST", "before must be a time in milliseconds since 1970.");
    }
    await admit(c, { mode: "extractStatus", credits: 0 });
    const beforeMs = before === "" ? Number.MAX_SAFE_INTEGER : Number(before);
    const { agents, nextBeforeMs } = await listThreads(c.var.deps, c.var.caller, beforeMs);
    const threads = agents.map(({ id, createdAtMs, target, optionsJson }) => ({
      id,
      createdAt: new Date(createdAtMs).toISOString(),
      prompt: readReplaceable(RunOptions, optionsJson)?.prompt ?? target,
    }));
    const next =
      nextBeforeMs === undefined ? {} : { next: `${publicOrigin(c.req.raw)}/v2/agent/threads?before=${nextBeforeMs}` };
    return c.json({ success: true as const, threads, ...next }, 200);
  },
});

/** Options of a run; very long ones are left out. */
const RunOptions = z
  .object({
    prompt: z.string(),
    urls: z.array(z.string()),
    schema: z.unknown(),
    mode: z.enum(["extract", "chat"]),
    effort: z.enum(EFFORTS),
  })
  .partial();

function presentThread({ id, runs, updatedAtMs }: Thread): z.infer<typeof ThreadField> {
  return {
    id,
    createdAt: new Date(runs[0]?.job.createdAtMs ?? updatedAtMs).toISOString(),
    updatedAt: new Date(updatedAtMs).toISOString(),
    status: runs.some(({ progress }) => progress.status === "scraping") ? "running" : "idle",
    runs: runs.map(presentRun),
  };
}

function presentRun({ turn, job, progress, result }: ThreadRun) {
  const { prompt = job.target, urls = [], schema, mode = "extract", effort } = readReplaceable(RunOptions, job.optionsJson) ?? {}; // prettier-ignore
  const { message, data, suggestions, stopReason, warning } = result;
  return {
    id: job.id,
    turn,
    mode,
    prompt,
    ...(urls.length === 0 ? {} : { urls }),
    ...(schema === undefined ? {} : { schema }),
    ...(effort === undefined ? {} : { effort }),
    status: runStatus(progress.status, stopReason),
    createdAt: new Date(job.createdAtMs).toISOString(),
    finishedAt: progress.endedAtMs === undefined ? null : new Date(progress.endedAtMs).toISOString(),
    creditsUsed: progress.creditsUsed,
    message: message ?? null,
    ...(data !== undefined ? { data } : {}),
    ...(suggestions === undefined ? {} : { suggestions }),
    ...(warning === undefined ? {} : { warning }),
  };
}

function runStatus(status: string, stopReason: string | undefined): (typeof RUN_STATUSES)[number] {
  if (status === "failed" || status === "cancelled") return status;
  if (status !== "completed") return "processing";
  return stopReason === "max_credits" ? "credit_limit_reached" : "succeeded";
}
