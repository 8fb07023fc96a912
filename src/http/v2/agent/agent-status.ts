import { z } from "@hono/zod-openapi";
import { Evidence } from "../../../core/scrape/evidence.ts";
import { parseStored, readReplaceable } from "../../../core/stored-state.ts";
import type { JobRecord } from "../../../core/jobs/job.ts";
import { EFFORTS, STOP_REASONS, type Effort, type StopReason } from "../../../jobs/agent/effort.ts";
import { shownResult, type AgentProgress, type AgentResult } from "../../../jobs/agent/outcome.ts";
import type { Deps } from "../../../services/deps.ts";
import type { StepJobView } from "../../../services/research/read-step-job.ts";
import type { ComparedEstimate } from "../../../core/account/estimate.ts";
import { toReceipt } from "../../../core/account/receipt.ts";
import { estimateOf } from "../../../services/estimate/kept-estimates.ts";
import { ComparedField } from "../../jobs/estimate-response.ts";
import { stepStatus } from "../../research/step-response.ts";
import { shownModel } from "./shown-model.ts";

/** Fields of the status of an agent. */
export const AGENT_STATUS = {
  status: z.enum(["processing", "completed", "failed", "cancelled"]).describe("State of the agent."),
  error: z.string().optional().describe("Why the agent failed."),
  /** In the schema's shape, or `{ result, sources }`. */
  data: z
    .unknown()
    .optional()
    .describe(
      "Result by the schema, or an object with `result` and `sources`. Absent in mode `chat` without a schema.",
    ),
  message: z.string().optional().describe("Answer of mode `chat`."),
  suggestions: z
    .array(
      z.object({
        label: z.string().describe("Text to show."),
        prompt: z.string().describe("Prompt to send with the `threadId`."),
      }),
    )
    .optional()
    .describe("Follow-up questions that the pages of the answer ask themselves. Absent when they ask none."),
  partial: z
    .unknown()
    .optional()
    .describe("Data found so far: while the agent runs, after it was cancelled, and when a limit stopped it."),
  partialSchemaValid: z
    .boolean()
    .optional()
    .describe("True when `partial` is valid by the schema. Absent without a schema."),
  stopReason: z.enum(STOP_REASONS).optional().describe("Why the run ended. Absent while it runs."),
  threadId: z.string().optional().describe("Thread of the run. Send it to continue the conversation."),
  threadTurn: z.number().optional().describe("Position of the run in its thread, from 1."),
  mode: z.enum(["extract", "chat"]).optional().describe("Mode of the run."),
  effort: z.enum(EFFORTS).optional().describe("Effort of the run. Absent when the request set none."),
  sources: z.array(z.string()).optional().describe("URLs of the pages that the result is based on."),
  evidence: z
    .array(Evidence)
    .optional()
    .describe("Where the values of the result come from, with `evidence` in the request."),
  model: z
    .string()
    .describe(
      "Language model that answered, or `rules`. Runs of old clients, which accept no other name, have `spark-1-pro`.",
    ),
  expiresAt: z.string().describe("Time at which the resource expires."),
  creditsUsed: z.number().describe("Credits charged so far."),
  estimate: ComparedField,
  warning: z
    .string()
    .optional()
    .describe("What could not be done as requested. Absent when there is nothing to report."),
};

/** Mode, effort and thread of a run. */
export interface AgentPlace {
  mode: "extract" | "chat";
  effort?: Effort;
  threadId: string;
  threadTurn: number;
}

/** Options of a run that its record holds; a record of an older version lacks them. */
const PlaceOptions = z
  .object({
    mode: z.enum(["extract", "chat"]),
    effort: z.enum(EFFORTS),
    threadId: z.string(),
    threadTurn: z.number(),
    prompt: z.string(),
  })
  .partial();

const CallerOptions = z.object({ origin: z.string() }).partial();

/** Returns the program that started a run, by its own word. */
export function originOf({ optionsJson }: Pick<JobRecord, "optionsJson">): string | undefined {
  return readReplaceable(CallerOptions, optionsJson)?.origin;
}

/** Returns the place of a run, from the options of its record, otherwise from the stored turns. */
export async function placeOf(
  { agentTurns }: Pick<Deps, "agentTurns">,
  { id, optionsJson }: Pick<JobRecord, "id" | "optionsJson">,
): Promise<AgentPlace> {
  const { mode = "extract", effort, prompt, ...own } = readReplaceable(PlaceOptions, optionsJson) ?? {};
  const turn = own.threadId === undefined && prompt === undefined ? await agentTurns.ofRun(id) : undefined;
  return {
    mode,
    ...(effort === undefined ? {} : { effort }),
    threadId: own.threadId ?? turn?.threadId ?? id,
    threadTurn: own.threadTurn ?? turn?.turn ?? 1,
  };
}

/** Returns the estimate that a run was started after, beside what came of it; undefined when there was none. */
export function estimateOfAgent(
  job: Pick<JobRecord, "estimateJson">,
  { progress: { costs, creditsUsed } }: StepJobView,
): ComparedEstimate | undefined {
  const { dollars, browserMs } = toReceipt(costs);
  return estimateOf(job, { pages: costs.pages, credits: creditsUsed, dollars, browserSeconds: browserMs / 1000 });
}

/** Returns the status of an agent as clients read it. @param origin the program that started the run */
export function presentAgent({ progress, result }: StepJobView, place: AgentPlace, origin: string | undefined) {
  const { status, error, progress: report, creditsUsed, expiresAtMs } = progress;
  // Only the job's kind writes them, in these shapes: hence the casts.
  const { stopReason, model = "rules", ...own } = shownResult((result ?? {}) as Partial<AgentResult>);
  const shown = result === undefined && report !== undefined ? (parseStored(report, "progress") as AgentProgress) : {};
  const ended = stopReasonOf(status, stopReason);
  return {
    status: stepStatus(status),
    ...(error === undefined ? {} : { error }),
    ...own,
    ...shown,
    ...(ended === undefined ? {} : { stopReason: ended }),
    ...place,
    model: shownModel(model, origin),
    expiresAt: new Date(expiresAtMs).toISOString(),
    creditsUsed,
  };
}

function stopReasonOf(status: string, own: StopReason | undefined): StopReason | undefined {
  if (status === "cancelled") return "cancelled";
  return status === "failed" ? "error" : own;
}
