import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { readAgentSnapshot, readAgentTrace } from "../../../services/research/read-agent-trace.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { EXAMPLE_ID, EXAMPLE_START } from "../../docs/examples.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json } from "../../route.ts";
import { findStepJob } from "../../research/step-response.ts";
import { NOT_FOUND } from "./agent.ts";

/** Other fields depend on the event's type: the tool, its parameters, its result, the run's outcome. */
const TraceEvent = z.looseObject({
  schemaVersion: z.literal(1).describe("Version of the event format."),
  eventId: z.string().describe("ID of the event."),
  runId: z.string().describe("ID of the agent."),
  occurredAt: z.string().describe("Time of the event."),
  producerSequence: z.int().describe("Number of the event within the trace."),
  agent: z
    .object({
      id: z.string().describe("ID of the agent within the run."),
      role: z.string().describe("Role of the agent."),
      name: z.string().describe("Name of the agent."),
    })
    .describe("Agent that produced the event."),
  type: z.string().openapi({
    description:
      "Type of the event: run.started, tool_call.started, tool_call.finished, artifact.updated, run.cancel_requested or run.finished.",
  }),
});

const TraceResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    events: z.array(TraceEvent).describe("Events in order."),
    creditsUsed: z.number().describe("Credits charged so far."),
    activeBrowserSessions: z
      .array(z.unknown())
      .optional()
      .openapi({ description: "Always empty: agents open no sessions." }),
  })
  .openapi("AgentTrace", {
    example: {
      success: true,
      id: EXAMPLE_ID,
      events: [
        {
          schemaVersion: 1,
          eventId: `${EXAMPLE_ID}-1`,
          runId: EXAMPLE_ID,
          occurredAt: EXAMPLE_START,
          producerSequence: 1,
          agent: { id: "main", role: "main", name: "agent" },
          type: "run.started",
        },
      ],
      creditsUsed: 1,
    },
  });

const traceRoute = createRoute({
  method: "get",
  path: "/v2/agent/{id}/trace",
  "x-key-scope": "agent",
  tags: ["Agent"],
  summary: "Get the trace of an agent",
  security: BEARER,
  request: {
    params: IdParam,
    query: z.object({
      liveView: z.string().optional().openapi({
        description: "`true` adds `activeBrowserSessions`, which is always empty: agents open no sessions.",
      }),
    }),
  },
  responses: {
    200: json(TraceResponse, "The trace"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const agentTrace = defineOpenAPIRoute<typeof traceRoute, AppEnv>({
  route: traceRoute,
  handler: async (c) => {
    const { id } = await findStepJob(c, { id: c.req.valid("param").id, kind: "agent", notFound: NOT_FOUND });
    const trace = await readAgentTrace(c.var.deps, id);
    const sessions = c.req.valid("query").liveView === "true" ? { activeBrowserSessions: [] } : {};
    return c.json({ success: true as const, id, ...trace, ...sessions }, 200);
  },
});

const SnapshotResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    snapshotId: z.string().describe("ID of the snapshot, from an `artifact.updated` event of the trace."),
    snapshot: z.string().describe("Content: Markdown of a page; JSON text of search results, addresses or the answer."),
  })
  .openapi("AgentSnapshot", {
    example: { success: true, id: EXAMPLE_ID, snapshotId: "step-1", snapshot: "# Ferry\n\nOn Sundays at ten." },
  });

const snapshotRoute = createRoute({
  method: "get",
  path: "/v2/agent/{id}/snapshots/{snapshotId}",
  "x-key-scope": "agent",
  tags: ["Agent"],
  summary: "Get the content that a step of an agent left",
  security: BEARER,
  request: {
    params: IdParam.extend({
      snapshotId: z.string().min(1).max(100).openapi({
        description: "`snapshotId` of an `artifact.updated` event in the agent's trace.",
        example: "step-1",
      }),
    }),
  },
  responses: {
    200: json(SnapshotResponse, "The content"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const agentSnapshot = defineOpenAPIRoute<typeof snapshotRoute, AppEnv>({
  route: snapshotRoute,
  handler: async (c) => {
    const { id: asked, snapshotId } = c.req.valid("param");
    const { id } = await findStepJob(c, { id: asked, kind: "agent", notFound: NOT_FOUND });
    const snapshot = await readAgentSnapshot(c.var.deps, id, snapshotId);
    return c.json({ success: true as const, id, snapshotId, snapshot }, 200);
  },
});
