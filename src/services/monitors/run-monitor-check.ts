import { AppError, ERRORS, isAppError } from "../../core/errors.ts";
import { NO_PAGES, NO_PLAN, type CheckPlan } from "../../core/monitors/monitor.ts";
import { checkPage, keepFailure, type CheckWork } from "./check-page.ts";
import type { Deps } from "../deps.ts";
import { failureWords } from "../scrape/failure-words.ts";
import { estimateCheck, partId, recordListing } from "./monitor-credits.ts";
import { monitorDeps } from "./monitor-deps.ts";
import { completedEvent, sendMonitorEvents } from "./monitor-events.ts";
import { monitorKey } from "./monitor-key.ts";
import { planTarget } from "./plan-check.ts";
import { readCredits } from "../account/read-credits.ts";
import { isKeyOver } from "../account/stop-key-work.ts";

/** A run without a heartbeat for this long was interrupted, and is taken over. */
const LEASE_MS = 12_000;
const HEARTBEAT_MS = 4_000;
/** Duration after which a run hands over to the next. */
const TURN_MS = 240_000;
/** A check is given up after this many runs in a row without progress. */
const MAX_IDLE_TURNS = 5;
const KEY_OVER = "The monitor's API key is no longer valid";

/**
 * Works on a check for a limited time: lists its pages, reads those that no run has read yet, and ends it. Each result
 * is stored at once, so that an interrupted run loses at most one page. May be delivered twice.
 * @throws any error that does not end the check; the check is then free for the next run.
 */
export async function runMonitorCheck(deps: Deps, checkId: string): Promise<void> {
  const nowMs = deps.clock.now();
  if (!(await deps.monitors.leaseCheck(checkId, nowMs, nowMs + LEASE_MS))) return await forgetEnded(deps, checkId);
  let work: Omit<CheckWork, "caller"> | undefined;
  try {
    work = await findWork(deps, checkId);
    if (work !== undefined) await withHeartbeat(deps, checkId, runWorker(deps, work, nowMs + TURN_MS));
    else await deps.checkAlarms.forget(checkId);
  } catch (error) {
    const isLast = work !== undefined && (isFinal(error) || work.check.idleRuns >= MAX_IDLE_TURNS);
    deps.log({ event: "monitor_turn_failed", checkId, isLast, message: String(error) });
    if (isLast && work !== undefined) return await end(deps, work, { status: "failed", error: failureWords(error) });
    await deps.monitors.releaseCheck(checkId, deps.clock.now());
    throw error;
  }
}

/** Removes the alarm of a check that has ended, or was never started. */
async function forgetEnded({ monitors, checkAlarms }: Deps, checkId: string): Promise<void> {
  const check = await monitors.findCheck(checkId);
  if (check?.status !== "queued" && check?.status !== "running") await checkAlarms.forget(checkId);
}

/** Renews the lease while a run works. */
async function withHeartbeat(deps: Deps, checkId: string, work: Promise<void>): Promise<void> {
  const over = new AbortController();
  const beat = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await deps.sleep(HEARTBEAT_MS);
      if (!over.signal.aborted) await deps.monitors.renewCheck(checkId, deps.clock.now() + LEASE_MS);
    }
  };
  // Ends with the run's invocation, which does not wait for it.
  beat().catch((error: unknown) => deps.log({ event: "check_heartbeat_failed", checkId, message: String(error) }));
  try {
    await work;
  } finally {
    over.abort();
  }
}

/** @returns undefined when the monitor was deleted meanwhile. */
async function findWork(deps: Deps, checkId: string): Promise<Omit<CheckWork, "caller"> | undefined> {
  const check = await deps.monitors.findCheck(checkId);
  const monitor = check && (await deps.monitors.find(check.monitorId));
  return check && monitor && { check, monitor };
}

/** Reports whether a retry would fail with the same error. */
function isFinal(error: unknown): boolean {
  return isAppError(error) && !ERRORS[error.code].retryable;
}

async function runWorker(deps: Deps, { monitor, check }: Omit<CheckWork, "caller">, untilMs: number): Promise<void> {
  if (check.idleRuns > MAX_IDLE_TURNS) {
    const error = `The check was cut off ${MAX_IDLE_TURNS} times without getting on`;
    return await end(deps, { monitor, check }, { status: "failed", error });
  }
  const key = await monitorKey(deps, monitor);
  if (key === undefined) {
    return await end(deps, { monitor, check }, { status: "failed", error: KEY_OVER });
  }
  const work: CheckWork = { monitor, check, caller: { key } };
  const lack = check.plan === undefined ? await lackOfCredits(deps, work) : undefined;
  if (lack !== undefined) return await end(deps, work, { status: "skipped_no_credits", error: lack });
  const isDone = await workThrough(monitorDeps(deps, monitor), work, untilMs);
  if (isDone) return await end(deps, work);
  await deps.monitors.releaseCheck(check.id, deps.clock.now());
  await deps.tasks.send({ type: "check_monitor", checkId: check.id });
}

/**
 * Compares the key's credits with the estimate. Nothing is reserved for the check: if the credits run out later, the
 * pages report it.
 * @returns an error message when the key has fewer credits than the check is expected to take.
 */
async function lackOfCredits(deps: Deps, { monitor, caller }: CheckWork): Promise<string | undefined> {
  const { remaining } = await readCredits(deps, caller);
  const estimate = estimateCheck(monitor.config.targets);
  if (remaining >= estimate) return undefined;
  const words = `The check is expected to take ${estimate} credits, and its key has ${remaining} left`;
  return failureWords(new AppError("INSUFFICIENT_CREDITS", words));
}

/** @returns false when the time is over before the work is done. */
async function workThrough(deps: Deps, work: CheckWork, untilMs: number): Promise<boolean> {
  const plan = await completePlan(deps, work, untilMs);
  if (plan === undefined) return false;
  const seen = await deps.monitors.seen(work.check.id);
  for (const page of plan.pages) {
    if (seen.has(`${page.targetId} ${page.url}`)) continue;
    if (deps.clock.now() > untilMs) return false;
    if (await isKeyOver(deps, work.caller.key)) throw new AppError("TOKEN_INVALID", KEY_OVER);
    if (!(await checkPage(deps, work, page))) return true;
  }
  for (const page of plan.failed) {
    if (!seen.has(`${page.targetId} ${page.url}`)) await keepFailure(deps, work, page);
  }
  return true;
}

/** Lists the remaining targets one by one. @returns undefined when the time is over before all are listed. */
async function completePlan(deps: Deps, work: CheckWork, untilMs: number): Promise<CheckPlan | undefined> {
  const { check, monitor } = work;
  let plan = check.plan ?? NO_PLAN;
  const unlisted = monitor.config.targets.filter(({ id }) => !plan.listed.includes(id));
  if (unlisted.length === 0) return plan;
  for (const target of unlisted) {
    const startedAtMs = deps.clock.now();
    if (startedAtMs > untilMs) return undefined;
    const failures = plan.failed.length;
    plan = await planTarget(deps, work, { plan, target });
    // Listing the given URLs of a target again costs nothing.
    if (target.type === "scrape") continue;
    const hasFailed = plan.failed.length > failures;
    const holdId = await partId(work.check, [target.id]);
    const credits = await recordListing(deps, work, { holdId, target, hasFailed, startedAtMs });
    await deps.monitors.keepPlan(check.id, plan, credits);
  }
  await deps.monitors.keepPlan(check.id, plan, 0);
  return plan;
}

/** Ends a check. Without a given status, the pages determine it: all failed, some, or none. */
async function end(
  deps: Deps,
  { monitor, check }: Omit<CheckWork, "caller">,
  given?: { status: "failed" | "skipped_no_credits"; error: string },
): Promise<void> {
  const summary = given?.status === "skipped_no_credits" ? NO_PAGES : await deps.monitors.summary(check.id);
  const isFailed = summary.error > 0 && summary.error === summary.totalPages;
  const status = given?.status ?? (isFailed ? "failed" : summary.error > 0 ? "partial" : "completed");
  const error = given?.error ?? (isFailed ? "No page could be read" : undefined);
  const event = completedEvent(monitor, check, { status, summary });
  await deps.monitors.finishCheck(check, { status, summary, error, event, nowMs: deps.clock.now() });
  await deps.checkAlarms.forget(check.id);
  await sendMonitorEvents(deps, check.id);
}
