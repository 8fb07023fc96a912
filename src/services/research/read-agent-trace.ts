import { RESULT_SNAPSHOT, stepOfSnapshot, toTraceEvents, type TraceEvent } from "../../core/jobs/agent-trace.ts";
import { AppError } from "../../core/errors.ts";
import { parseStored } from "../../core/stored-state.ts";
import { shownResult, type AgentResult } from "../../jobs/agent/outcome.ts";
import type { StepResult } from "../../ports/step-jobs.ts";
import type { Deps } from "../deps.ts";

/**
 * Returns the steps of an agent so far.
 * @throws AppError `JOB_NOT_FOUND` when the job is not stored any more.
 */
export async function readAgentTrace(
  { stepJobs }: Pick<Deps, "stepJobs">,
  id: string,
): Promise<{ events: TraceEvent[]; creditsUsed: number }> {
  const progress = await stepJobs.progress(id);
  if (progress === undefined) throw new AppError("JOB_NOT_FOUND", "Agent job not found");
  const steps = await stepJobs.trace(id);
  const hasResult = progress.result !== undefined;
  return { events: toTraceEvents({ ...progress, id, steps, hasResult }), creditsUsed: progress.creditsUsed };
}

/**
 * Returns the content that a step of an agent left: a page as Markdown, other results as JSON; or the agent's answer.
 * @throws AppError `JOB_NOT_FOUND` when there is none, or it is not stored any more.
 */
export async function readAgentSnapshot(
  deps: Pick<Deps, "stepJobs" | "blobs">,
  id: string,
  snapshotId: string,
): Promise<string> {
  const result = await resultOf(deps, id, snapshotId);
  const text = result === undefined || "text" in result ? result?.text : await deps.blobs.text(result.object);
  const content = text === undefined ? undefined : contentOf(parseStored(text, "result of a step"), snapshotId);
  if (content === undefined) throw new AppError("JOB_NOT_FOUND", "Agent snapshot not found");
  return content;
}

async function resultOf(
  { stepJobs }: Pick<Deps, "stepJobs">,
  id: string,
  snapshotId: string,
): Promise<StepResult | undefined> {
  if (snapshotId === RESULT_SNAPSHOT) return (await stepJobs.progress(id))?.result;
  const number = stepOfSnapshot(snapshotId);
  return number === undefined ? undefined : await stepJobs.tracedResult(id, number);
}

/** Returns a stored result as text; undefined for a failure and for the turn of a model. */
function contentOf(stored: unknown, snapshotId: string): string | undefined {
  if (snapshotId === RESULT_SNAPSHOT) return JSON.stringify(shownResult(stored as Partial<AgentResult>));
  const { kind, value } = Object(stored) as { kind?: unknown; value?: unknown };
  if (kind !== "done" || value === null || typeof value !== "object") return undefined;
  if (Array.isArray(value)) return JSON.stringify(value);
  const { markdown } = value as { markdown?: unknown };
  return typeof markdown === "string" ? markdown : undefined;
}
