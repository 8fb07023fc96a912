import type { Forgetting, FrontierState } from "../../core/crawl/frontier.ts";
import type { Task } from "../../core/jobs/task.ts";
import type { Frontier } from "../../storage/crawl/frontier.ts";
import { nextEventMs } from "../../storage/webhooks/outbox.ts";

/** Time after which the deletion is asked for again, when the message was lost. */
const AGAIN_MS = 300_000;

/**
 * Returns when the deletion of a closed job is due (Unix time in ms); undefined for a job that is retained, and while an event
 * waits for its delivery.
 */
export function forgetTime(
  { closed, forgetting }: Pick<FrontierState, "closed" | "forgetting">,
  eventMs: number | undefined,
): number | undefined {
  return closed && eventMs === undefined ? forgetting?.atMs : undefined;
}

/**
 * Returns whether a job may be deleted now: it is closed, or does not exist. While an event waits for its delivery, the
 * deletion is noted instead, for the time when the last event is delivered or given up.
 * @param asked.endedAtMs end of the job to which the deletion belongs: a batch may have ended again since, whose documents
 * can be read for as long as those of the first end
 */
export function mayForget(
  frontier: Frontier,
  { createdAtMs, endedAtMs = Infinity }: { createdAtMs: number | undefined; endedAtMs?: number | undefined },
): boolean {
  const state = frontier.state();
  if (state === undefined) return true;
  if (!state.closed || (state.endedAtMs ?? 0) > endedAtMs) return false;
  if (nextEventMs(frontier.sql) === undefined) return true;
  const nowMs = Date.now();
  // A Worker of an earlier version does not pass the time of creation.
  const forgetting: Forgetting = {
    atMs: nowMs,
    createdAtMs: createdAtMs ?? state.forgetting?.createdAtMs ?? state.createdAtMs,
  };
  frontier.forgetLater(forgetting, nowMs);
  return false;
}

/** Sends the message that deletes a job with its documents, when that is due. It is sent until the object is deleted. */
export async function askToForget(
  { frontier, jobId, send }: { frontier: Frontier; jobId: string; send: (task: Task) => Promise<unknown> },
  nowMs: number,
): Promise<void> {
  const state = frontier.state();
  if (state?.forgetting === undefined) return;
  const dueMs = forgetTime(state, nextEventMs(frontier.sql));
  if (dueMs === undefined || dueMs > nowMs) return;
  const { createdAtMs } = state.forgetting;
  const { endedAtMs } = state;
  await send({ type: "forget_job", jobId, createdAtMs, ...(endedAtMs === undefined ? {} : { endedAtMs }) });
  frontier.forgetLater({ atMs: nowMs + AGAIN_MS, createdAtMs }, nowMs);
}
