import { validate as isUuid } from "uuid";
import { dayKey } from "../../core/account/day-key.ts";
import { AppError } from "../../core/errors.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import { AgentMemory, type AgentSettings } from "../../jobs/agent/memory.ts";
import type { AgentResult } from "../../jobs/agent/outcome.ts";
import type { AgentTurn } from "../../ports/storage/agent-turns.ts";
import { checkJobFormats } from "../account/check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { repeatedJobId, type Idempotency } from "../idempotency.ts";
import { readStepJob, type StepJobView, type StepProgress } from "./read-step-job.ts";

type Uses = Pick<Deps, "jobs" | "agentTurns" | "stepJobs" | "blobs" | "clock" | "webhookDeliveries">;
type StoredTurn = Pick<AgentTurn, "turn" | "runId" | "createdAtMs">;

/** A run of a thread. */
export interface ThreadRun {
  turn: number;
  job: JobRecord;
  progress: Pick<StepProgress, "status" | "creditsUsed" | "createdAtMs" | "endedAtMs">;
  result: RunResult;
}

/** The part of a result that a thread shows: with the memories of 50 runs it takes too much memory. */
type RunResult = Partial<Pick<AgentResult, "message" | "data" | "suggestions" | "stopReason" | "warning">>;

export interface Thread {
  id: string;
  /** Runs that are still stored, in order. */
  runs: ThreadRun[];
  updatedAtMs: number;
}

/** Place of a new run in a thread. */
export interface NewTurn {
  threadId: string;
  turn: number;
  /** Latest run with a result, and the options that the new run takes over. */
  earlierRunId: string | undefined;
  settings: AgentSettings | undefined;
}

const MAX_TURNS = 50;
/** Characters of the options of all runs, beyond which those of a run lack what its record lacks. */
const MAX_OPTIONS_CHARS = 2_000_000;
/** Time after which a claimed turn without a job is a start that was lost. */
const START_MS = 30_000;
/** Expiry of a run whose thread was deleted. */
const DELETED = 0;
/** Time for which a deleted thread is closed: longer than any request for a follow-up that has found it takes. */
const CLOSED_MS = 86_400_000;

/**
 * Finds the place of a follow-up in a thread. A repeat of a request with its idempotency key has the place of the run
 * that the first one started, whether or not that run has ended.
 * @throws AppError `thread_not_found`, `thread_expired`, `thread_busy` with the id of the run in progress, or
 * `BAD_REQUEST` when the thread has 50 turns.
 */
export async function nextTurn(
  deps: Uses & Pick<Deps, "idempotencyKeys" | "settings">,
  caller: Caller,
  { threadId, idempotency }: { threadId: string; idempotency: Idempotency | undefined },
): Promise<NewTurn> {
  const turns = await turnsOf(deps, caller, threadId);
  // Read after the turns: a turn is claimed by a run whose id is stored under its key.
  const repeatedId = await repeatedJobId(deps, caller, idempotency);
  const own = turns.find(({ runId }) => runId === repeatedId);
  const turn = own?.turn ?? (await freeTurn(deps, turns));
  const place = { threadId: threadId.toLowerCase(), turn };
  for (const { runId } of turns.filter((each) => each.turn < turn).toReversed()) {
    const memory = await memoryOf(deps, runId);
    if (memory !== undefined) return { ...place, earlierRunId: runId, settings: memory.settings };
  }
  return { ...place, earlierRunId: undefined, settings: undefined };
}

/** Returns the number of the turn after the last one, which has ended. */
async function freeTurn(deps: Uses, turns: readonly StoredTurn[]): Promise<number> {
  const last = turns.at(-1);
  if (last === undefined) throw new AppError("thread_not_found");
  if (last.turn >= MAX_TURNS) {
    throw new AppError("BAD_REQUEST", `This thread has ${MAX_TURNS} turns. Start a new one without threadId.`);
  }
  const progress = await deps.stepJobs.progress(last.runId);
  const nowMs = deps.clock.now();
  const isStarting = progress === undefined && last.turn > 1 && nowMs - last.createdAtMs < START_MS;
  if (isStarting || progress?.status === "scraping") {
    throw new AppError("thread_busy", undefined, { details: { runId: last.runId } });
  }
  return last.turn + 1;
}

/** Claims a turn for a run. @throws AppError `thread_busy` when another run has claimed it, `thread_not_found` for a deleted thread. */
export async function claimTurn(
  deps: Pick<Deps, "agentTurns" | "clock" | "settings">,
  { key }: Caller,
  { threadId, turn, runId }: { threadId: string; turn: number; runId: string },
): Promise<void> {
  const nowMs = deps.clock.now();
  const claimed = { threadId, turn, runId, teamId: key.teamId, createdAtMs: nowMs };
  if (await deps.agentTurns.claim({ ...claimed, expiresAtMs: nowMs + deps.settings.resultRetentionMs })) return;
  if (await deps.agentTurns.isClosed(threadId)) throw new AppError("thread_not_found");
  const other = (await deps.agentTurns.list(threadId)).find((each) => each.turn === turn);
  throw new AppError("thread_busy", undefined, { details: { runId: other?.runId ?? "" } });
}

/**
 * Discards a run that has started if its thread was deleted meanwhile: the deletion finds those that had started before.
 * @throws AppError `thread_not_found` then.
 */
export async function assertThread(
  deps: Uses,
  { threadId, runId }: { threadId: string; runId: string },
): Promise<void> {
  if (!(await deps.agentTurns.isClosed(threadId))) return;
  const createdAtMs = deps.clock.now();
  await discardRun(deps, { runId, createdAtMs });
  await deps.agentTurns.release(threadId, runId);
  throw new AppError("thread_not_found");
}

/**
 * Returns a thread with its runs, with their data if requested.
 * @throws AppError `thread_not_found`, `thread_expired` when no run is stored any more, or `FORMAT_RESTRICTED` when the
 * key may not read the runs of others.
 */
export async function readThread(
  deps: Uses,
  caller: Caller,
  { threadId, hasData }: { threadId: string; hasData: boolean },
): Promise<Thread> {
  const runs: ThreadRun[] = [];
  let optionsChars = 0;
  for (const { turn, job } of await readableJobs(deps, caller, threadId)) {
    const view = await viewOf(deps, job.id);
    if (view === undefined) continue;
    const { status, creditsUsed, createdAtMs, endedAtMs } = view.progress;
    const progress = { status, creditsUsed, createdAtMs, endedAtMs };
    const whole = optionsChars < MAX_OPTIONS_CHARS ? await deps.jobs.wholeOptions(job) : undefined;
    const optionsJson = whole ?? job.optionsJson;
    optionsChars += optionsJson.length;
    runs.push({ turn, job: { ...job, optionsJson }, progress, result: shownParts(view.result, hasData) });
  }
  const times = runs.map(({ progress }) => progress.endedAtMs ?? progress.createdAtMs);
  if (runs.length === 0) throw new AppError("thread_expired");
  return { id: threadId.toLowerCase(), runs, updatedAtMs: Math.max(...times) };
}

/** Returns the stored jobs of a thread. @throws AppError `FORMAT_RESTRICTED` when the key may not read one of them. */
async function readableJobs(deps: Uses, caller: Caller, threadId: string): Promise<Pick<ThreadRun, "turn" | "job">[]> {
  const found: Pick<ThreadRun, "turn" | "job">[] = [];
  for (const { turn, runId } of await turnsOf(deps, caller, threadId)) {
    const job = await deps.jobs.find(runId);
    if (job === undefined) continue;
    await checkJobFormats(deps, caller.key, job);
    found.push({ turn, job });
  }
  return found;
}

function shownParts(stored: unknown, hasData: boolean): RunResult {
  // Only the job's kind writes it, in this shape: hence the cast.
  const { message, data, suggestions, stopReason, warning } = (stored ?? {}) as Partial<AgentResult>;
  return {
    ...(message === undefined ? {} : { message }),
    ...(hasData && data !== undefined ? { data } : {}),
    ...(suggestions === undefined ? {} : { suggestions }),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(warning === undefined ? {} : { warning }),
  };
}

/**
 * Deletes a thread with the results of its runs and the bodies of their webhook deliveries. A running run is cancelled.
 * @throws AppError as `readThread` does.
 */
export async function deleteThread(deps: Uses, caller: Caller, threadId: string): Promise<void> {
  const progresses = (await readableJobs(deps, caller, threadId)).map(({ job }) => deps.stepJobs.progress(job.id));
  if ((await Promise.all(progresses)).every((progress) => progress === undefined)) throw new AppError("thread_expired");
  const [id, nowMs] = [threadId.toLowerCase(), deps.clock.now()];
  const turns = await turnsOf(deps, caller, threadId);
  const { teamId } = caller.key;
  await deps.agentTurns.close({ threadId: id, teamId, createdAtMs: nowMs, expiresAtMs: nowMs + CLOSED_MS });
  // Among the follow-ups may be one that has started meanwhile; none starts from now on.
  const followUps = await deps.agentTurns.list(id);
  const start = turns.filter(({ turn }) => turn === 1);
  for (const run of [...start, ...followUps]) {
    // Before the record expires: a repeat after a crash does not find the run then.
    await deps.webhookDeliveries.emptyBodies(teamId, run.runId);
    await discardRun(deps, run);
  }
  await deps.agentTurns.delete(id);
}

/** Cancels a run, and deletes its results. */
async function discardRun(
  deps: Uses,
  { runId, createdAtMs }: Pick<StoredTurn, "runId" | "createdAtMs">,
): Promise<void> {
  const progress = await deps.stepJobs.progress(runId);
  if (progress !== undefined && (await deps.stepJobs.cancel(runId)) === "scraping") {
    await deps.jobs.setStatus(runId, "cancelled", deps.clock.now());
  }
  const job = await deps.jobs.find(runId);
  while (await deps.blobs.deletePrefix(`results/${dayKey(job?.createdAtMs ?? createdAtMs)}/${runId}/`));
  await deps.jobs.expire(runId, DELETED);
  // An object that runs an older version does not wait until its run has reported its costs; its record then expires.
  if (progress !== undefined && (progress.isClosed !== undefined || isPaid(progress)))
    await deps.stepJobs.forget(runId);
}

function isPaid({ status, creditsUsed, charged }: StepProgress): boolean {
  return status !== "scraping" && charged === creditsUsed;
}

/** Returns the turns of a thread of the caller's team, the first run included. */
async function turnsOf({ jobs, agentTurns, clock }: Uses, { key }: Caller, threadId: string): Promise<StoredTurn[]> {
  if (!isUuid(threadId)) throw new AppError("thread_not_found");
  const id = threadId.toLowerCase();
  const nowMs = clock.now();
  const followUps = await agentTurns.list(id);
  const first = await jobs.find(id);
  const isAgent = first?.teamId === key.teamId && first.kind === "agent" && first.expiresAtMs !== DELETED;
  const isOwn = isAgent && (await agentTurns.ofRun(id)) === undefined;
  const isKnown = isOwn || followUps.some(({ teamId }) => teamId === key.teamId);
  if (!isKnown) throw new AppError("thread_not_found");
  const live = followUps.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  const start = isOwn && first.expiresAtMs > nowMs ? [{ turn: 1, runId: id, createdAtMs: first.createdAtMs }] : [];
  if (start.length + live.length === 0) throw new AppError("thread_expired");
  return [...start, ...live];
}

async function viewOf(deps: Uses, runId: string): Promise<StepJobView | undefined> {
  try {
    return await readStepJob(deps, runId);
  } catch (error) {
    if (error instanceof AppError && error.code === "JOB_NOT_FOUND") return undefined;
    throw error;
  }
}

async function memoryOf(deps: Uses, runId: string): Promise<AgentMemory | undefined> {
  const view = await viewOf(deps, runId);
  const { memory } = (view?.result ?? {}) as { memory?: unknown };
  return AgentMemory.safeParse(memory).data;
}
