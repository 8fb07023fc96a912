import type { JobStatus } from "../crawl/frontier.ts";
import type { TracedStep } from "./step-trace.ts";
import { withoutPrototype } from "../without-prototype.ts";

/** A run as recorded in its trace. */
export interface TracedRun {
  id: string;
  status: JobStatus;
  error: string | undefined;
  createdAtMs: number;
  endedAtMs: number | undefined;
  steps: readonly TracedStep[];
  /** True when the run has an answer. */
  hasResult: boolean;
}

/** Kinds of content that a step leaves, by its tool. */
const ARTIFACT_KINDS: Partial<Record<string, "markdown" | "json">> = withoutPrototype({
  scrape: "markdown",
  search: "json",
  map: "json",
});
/** Name of the snapshot of a run's answer. */
export const RESULT_SNAPSHOT = "result";

/** One event of a trace, in the shape that the clients' types describe (`AgentTraceEvent`, schema version 1). */
export interface TraceEvent {
  schemaVersion: 1;
  eventId: string;
  runId: string;
  occurredAt: string;
  producerSequence: number;
  agent: { id: string; role: "orchestrator"; name: string };
  type: string;
  [field: string]: unknown;
}

interface Moment {
  atMs: number;
  type: string;
  fields: Record<string, unknown>;
}

/** Returns a run's events in order of time: its start, each tool call with its outcome, and its end. */
export function toTraceEvents(run: TracedRun): TraceEvent[] {
  const { id, createdAtMs, steps } = run;
  const calls = steps.flatMap((step) => callMoments(id, step)).toSorted((one, other) => one.atMs - other.atMs);
  const moments = [{ atMs: createdAtMs, type: "run.started", fields: {} }, ...calls, ...endMoments(run)];
  return moments.map(({ atMs, type, fields }, index) => ({
    schemaVersion: 1,
    eventId: `${id}:${index + 1}`,
    runId: id,
    occurredAt: new Date(atMs).toISOString(),
    producerSequence: index + 1,
    agent: { id, role: "orchestrator", name: "agent" },
    type,
    ...fields,
  }));
}

function callMoments(runId: string, { number, tool, input, begunAtMs, endedAtMs, credits, end }: TracedStep): Moment[] {
  const call = { toolCallId: `${runId}:call-${number}`, toolName: tool };
  const started = { atMs: begunAtMs, type: "tool_call.started", fields: { ...call, parameters: input } };
  if (endedAtMs === undefined || end === undefined) return [started];
  const came = end.kind === "done" ? end.facts : { error: { code: end.code, message: end.message } };
  const result = { outcome: end.kind, creditsUsed: credits, durationMs: endedAtMs - begunAtMs, ...came };
  const finished = { atMs: endedAtMs, type: "tool_call.finished", fields: { ...call, result } };
  const kind = ARTIFACT_KINDS[tool];
  if (end.kind === "failed" || kind === undefined) return [started, finished];
  const found = Array.isArray(end.facts["urls"]) ? end.facts["urls"].length : end.facts["found"];
  const artifact = {
    kind,
    artifactId: `${runId}:artifact-${number}`,
    ...(typeof input["url"] === "string" ? { path: input["url"] } : {}),
    snapshotId: `step-${number}`,
    change: "init",
    ...(typeof found === "number" ? { itemCount: found } : {}),
    sourceToolCallId: call.toolCallId,
  };
  return [started, finished, { atMs: endedAtMs, type: "artifact.updated", fields: { artifact } }];
}

/** Returns the number of the step whose content a snapshot is; undefined for a name of no step. */
export function stepOfSnapshot(snapshotId: string): number | undefined {
  const [, number] = /^step-([1-9]\d{0,8})$/.exec(snapshotId) ?? [];
  return number === undefined ? undefined : Number(number);
}

function endMoments({ id, status, error, endedAtMs, steps, hasResult }: TracedRun): Moment[] {
  if (status === "scraping" || endedAtMs === undefined) return [];
  const artifact = {
    kind: "json",
    artifactId: `${id}:${RESULT_SNAPSHOT}`,
    snapshotId: RESULT_SNAPSHOT,
    change: "init",
  };
  const answer = hasResult ? [{ atMs: endedAtMs, type: "artifact.updated", fields: { artifact } }] : [];
  const finished = (outcome: string): Moment => ({
    atMs: endedAtMs,
    type: "run.finished",
    fields: { outcome, error: error === undefined ? null : failure(error) },
  });
  if (status === "cancelled") {
    return [
      ...answer,
      { atMs: endedAtMs, type: "run.cancel_requested", fields: { reason: "user" } },
      finished("cancelled"),
    ];
  }
  if (status === "failed") return [...answer, finished("failed")];
  const isPoor = steps.some(({ end }) => end?.kind === "failed" && end.code === "INSUFFICIENT_CREDITS");
  return [...answer, finished(isPoor ? "credit_limit_reached" : "succeeded")];
}

function failure(message: string) {
  return { code: "internal", source: "system", retryable: false, message };
}
