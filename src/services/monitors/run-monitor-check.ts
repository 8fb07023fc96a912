import { AppError, ERRORS, isAppError } from "../../core/errors.ts";
import { ownerOf, type Owner } from "../../core/fair-order.ts";
import { NO_PAGES, NO_PLAN, type CheckPlan, type PlannedPage } from "../../core/monitors/monitor.ts";
import { MAX_CHECKS_BYTES } from "../../core/monitors/monitor-limits.ts";
import { checkPage, keepFailure, type CheckWork } from "./check-page.ts";
import { NO_COUNTS } from "../../core/account/meter.ts";
import type { OpenedJob } from "../../ports/step-jobs.ts";
import type { Deps } from "../deps.ts";
import { withHeartbeat } from "../jobs/with-heartbeat.ts";
import { failureWords } from "../scrape/failure-words.ts";
import { startEventJob } from "./check-job.ts";
import { estimateCheck, partId, recordListing } from "./monitor-credits.ts";
import { forgetPages } from "./forget-pages.ts";
import { monitorDeps } from "./monitor-deps.ts";
import { completedEvent, sendMonitorEvents } from "./monitor-events.ts";
import { monitorKey } from "./monitor-key.ts";
import { planTarget } from "./plan-check.ts";
import { optionsOfTarget } from "./target-options.ts";
import { readCredits } from "../account/read-credits.ts";
import { isKeyOver } from "../account/is-key-over.ts";

/** Duration after which a run hands over to the next. */
const RUN_MS = 240_000;
/**
 * Parts of a check after which a run hands over: its pages, and the sites and searches that it lists. Each takes up to nine
 * of the 1,000 queries of an invocation.
 */
const MAX_PARTS = 90;
/** Parts of a run that leave queries enough to send events. */
const FEW_PARTS = 20;
/** A check is given up after this many runs in a row without progress. */
const MAX_IDLE_RUNS = 5;
const STUCK = "The check was interrupted repeatedly without progress (JOB_INTERRUPTED)";
const KEY_OVER = "The monitor's API key is no longer valid";

/** A worker run of a check's step job. */
export interface CheckRun extends Pick<OpenedJob, "status" | "idleRuns"> {
  checkId: string;
  runId: string;
}

type FoundWork = Omit<CheckWork, "caller">;

/** End of a check that its pages do not determine. */
interface Ending {
  status?: "failed" | "skipped_no_credits";
  error?: string;
}

/**
 * Works on a check for a limited time: lists its pages, reads those that no run has read yet, and ends it. Each result
 * is stored at once, so that an interrupted run loses at most one page. The check's step job holds the lease and starts
 * the next run.
 * @throws any error that does not end the check; the step job then tries again.
 */
export async function runMonitorCheck(deps: Deps, run: CheckRun): Promise<void> {
  const { checkId, runId } = run;
  const work = await findWork(deps, checkId);
  if (work === undefined) return await deps.stepJobs.forget(checkId);
  // The step job has been given up.
  if (run.status !== "scraping") return await end(deps, work, { status: "failed", error: STUCK });
  const limits = new RunLimits(deps, run);
  const beat = (): Promise<void> => limits.report();
  try {
    const isFinished = await withHeartbeat(deps, beat, async () => {
      const ending = await runWorker(deps, work, limits);
      if (ending === undefined) return false;
      await deps.checks.run(ownerOfCheck(work), () => finish(deps, work, ending));
      return true;
    });
    if (isFinished) await settle(deps, work, limits);
    else await deps.stepJobs.leave(checkId, runId, { isClosed: false });
  } catch (error) {
    const isLast = isFinal(error) || run.idleRuns >= MAX_IDLE_RUNS;
    deps.log({ event: "monitor_run_failed", checkId, isLast, message: String(error) });
    if (!isLast) throw error;
    await end(deps, work, { status: "failed", error: failureWords(error) }, limits);
  }
}

/** The time and the parts of a worker run, and its reports to the check's step job. */
class RunLimits {
  readonly #deps: Deps;
  readonly #run: CheckRun;
  readonly #untilMs: number;
  #isLost = false;
  #hasProgress = false;
  #parts = 0;

  constructor(deps: Deps, run: CheckRun) {
    this.#deps = deps;
    this.#run = run;
    this.#untilMs = deps.clock.now() + RUN_MS;
  }

  /** Reports whether the run must stop, because its time or its queries are used up, or another run has taken over. */
  isOver(): boolean {
    return this.#isLost || this.#parts >= MAX_PARTS || this.#deps.clock.now() > this.#untilMs;
  }

  /** Reports whether the run has made so many queries that it is to leave the events to another invocation. */
  get hasManyParts(): boolean {
    return this.#parts > FEW_PARTS;
  }

  notePart(): void {
    this.#parts++;
  }

  /** Renews the lease. The costs of a check are recorded with each of its parts. */
  async report(hasProgress = false): Promise<void> {
    const { checkId, runId } = this.#run;
    const status = await this.#deps.stepJobs.report(checkId, runId, { costs: NO_COUNTS, hasProgress });
    if (status !== "scraping") this.#isLost = true;
  }

  /** Records, once a run, that the run has stored something. */
  async noteProgress(): Promise<void> {
    if (this.#hasProgress) return;
    this.#hasProgress = true;
    await this.report(true);
  }
}

/** @returns undefined when the check has ended, was never recorded, or was deleted with its monitor. */
async function findWork(deps: Deps, checkId: string): Promise<FoundWork | undefined> {
  const check = await deps.monitors.findCheck(checkId);
  if (check === undefined || !["queued", "running"].includes(check.status)) return undefined;
  const monitor = await deps.monitors.find(check.monitorId);
  return monitor && { check, monitor };
}

/** Reports whether a retry would fail with the same error. */
function isFinal(error: unknown): boolean {
  return isAppError(error) && !ERRORS[error.code].retryable;
}

/** @returns how the check ends; undefined when the next run continues it. */
async function runWorker(deps: Deps, found: FoundWork, limits: RunLimits): Promise<Ending | undefined> {
  const begun = await deps.checks.run(ownerOfCheck(found), () => begin(deps, found, limits));
  if (begun === undefined || !("work" in begun)) return begun;
  const isDone = await readPages(monitorDeps(deps, found.monitor), begun.work, { plan: begun.plan, limits });
  return isDone ? {} : undefined;
}

/** @returns the plan of the check, or how it ends without one; undefined when the run is over before all targets are listed */
async function begin(
  deps: Deps,
  { monitor, check }: FoundWork,
  limits: RunLimits,
): Promise<{ work: CheckWork; plan: CheckPlan } | Ending | undefined> {
  await deps.monitors.beginCheck(check.id, deps.clock.now());
  const key = await monitorKey(deps, monitor);
  if (key === undefined) return { status: "failed", error: KEY_OVER };
  // Throws for options that this version does not accept: the check ends before anything is paid.
  for (const target of monitor.config.targets) if (target.type !== "search") optionsOfTarget(target);
  const work: CheckWork = { monitor, check, caller: { key } };
  const lack = check.plan === undefined ? await creditShortage(deps, work) : undefined;
  if (lack !== undefined) return { status: "skipped_no_credits", error: lack };
  const plan = await completePlan(monitorDeps(deps, monitor), work, limits);
  return plan && { work, plan };
}

/**
 * Compares the key's credits with the estimate. Nothing is reserved for the check: if the credits run out later, the
 * pages report it.
 * @returns an error message when the key has fewer credits than the check is expected to take.
 */
async function creditShortage(deps: Deps, { monitor, caller }: CheckWork): Promise<string | undefined> {
  const { remaining } = await readCredits(deps, caller);
  const estimate = estimateCheck(monitor.config.targets);
  if (remaining >= estimate) return undefined;
  const words = `The check is expected to take ${estimate} credits, and its key has ${remaining} left`;
  return failureWords(new AppError("INSUFFICIENT_CREDITS", words));
}

/** @returns false when the run is over before the work is done. */
async function readPages(
  deps: Deps,
  work: CheckWork,
  { plan, limits }: { plan: CheckPlan; limits: RunLimits },
): Promise<boolean> {
  const owner = ownerOf(work.caller.key);
  const seen = await deps.monitors.seen(work.check.id);
  // Targets that were removed, or whose rules were changed, since the check has listed them have no more results.
  const targets = currentTargets(work, plan);
  const isLeft = ({ targetId, url }: PlannedPage): boolean => targets.has(targetId) && !seen.has(`${targetId} ${url}`);
  for (const page of plan.pages) {
    if (!isLeft(page)) continue;
    if (limits.isOver()) return false;
    if (await isKeyOver(deps, work.caller.key)) throw new AppError("TOKEN_INVALID", KEY_OVER);
    const outcome = await deps.checks.run(owner, () => checkPage(deps, work, page));
    if (outcome === "check_deleted") return true;
    if (outcome === "target_changed") targets.delete(page.targetId);
    limits.notePart();
    await limits.noteProgress();
  }
  for (const page of plan.failed) {
    if (!isLeft(page)) continue;
    if (limits.isOver()) return false;
    if ((await keepFailure(deps, work, page)) === "target_changed") targets.delete(page.targetId);
    limits.notePart();
    await limits.noteProgress();
  }
  return true;
}

/** Returns the ids of the targets that are as the plan has listed them. */
function currentTargets({ monitor: { config } }: CheckWork, plan: CheckPlan): Set<string> {
  const isCurrent = (id: string): boolean => config.revisions?.[id] === plan.revisions?.[id];
  return new Set(config.targets.map(({ id }) => id).filter(isCurrent));
}

/** Lists the remaining targets one by one. @returns undefined when the run is over before all are listed. */
async function completePlan(deps: Deps, work: CheckWork, limits: RunLimits): Promise<CheckPlan | undefined> {
  const { check, monitor } = work;
  let plan = check.plan ?? NO_PLAN;
  const unlisted = monitor.config.targets.filter(({ id }) => !plan.listed.includes(id));
  if (unlisted.length === 0) return plan;
  for (const target of unlisted) {
    const startedAtMs = deps.clock.now();
    if (limits.isOver()) return undefined;
    const failures = plan.failed.length;
    plan = await planTarget(deps, work, { plan, target });
    // Listing the given URLs of a target again costs nothing.
    if (target.type === "scrape") continue;
    limits.notePart();
    const hasFailed = plan.failed.length > failures;
    const holdId = await partId(work.check, [target.id]);
    const credits = await recordListing(deps, work, { holdId, target, hasFailed, startedAtMs });
    await deps.monitors.keepPlan(check.id, plan, credits);
  }
  await deps.monitors.keepPlan(check.id, plan, 0);
  await limits.noteProgress();
  return plan;
}

/** Returns the owner of a check, also when its key is no longer valid. */
function ownerOfCheck({ monitor: { keyId, teamId } }: FoundWork): Owner {
  return ownerOf({ id: keyId, teamId });
}

async function end(deps: Deps, work: FoundWork, given: Ending, limits?: RunLimits): Promise<void> {
  await finish(deps, work, given);
  await settle(deps, work, limits);
}

/** Stores the end of a check. Without a given status, the pages determine it: all failed, some, or none. */
async function finish(deps: Deps, { monitor, check }: FoundWork, given: Ending): Promise<void> {
  const summary = given.status === "skipped_no_credits" ? NO_PAGES : await deps.monitors.summary(check.id);
  const isFailed = summary.error > 0 && summary.error === summary.totalPages;
  const status = given.status ?? (isFailed ? "failed" : summary.error > 0 ? "partial" : "completed");
  const error = given.error ?? (isFailed ? "No page could be read" : undefined);
  if (given.status === undefined) await forgetPages(deps, { monitor, check });
  const event = completedEvent(monitor, check, { status, summary });
  await deps.monitors.finishCheck(check, { status, summary, error, event, nowMs: deps.clock.now() });
  // The daily upkeep does the same.
  if (await deps.monitors.exceeds(monitor.teamId, MAX_CHECKS_BYTES))
    await deps.tasks.send({ type: "purge_expired", part: "largest_monitors" });
}

/**
 * Deletes the step job of a check that has ended, and sends its events: in another invocation, after a run that has made
 * many queries.
 */
async function settle(deps: Deps, { check }: FoundWork, limits?: RunLimits): Promise<void> {
  await deps.stepJobs.forget(check.id);
  await (limits?.hasManyParts === true ? startEventJob(deps, check.id) : sendMonitorEvents(deps, check.id));
}
