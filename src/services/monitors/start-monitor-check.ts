import { v7 as uuidv7 } from "uuid";
import { NO_PAGES, type Monitor, type MonitorCheck } from "../../core/monitors/monitor.ts";
import type { Deps } from "../deps.ts";
import { startCheckJob } from "./check-job.ts";
import { nextRun } from "./monitor-schedule.ts";
import { completedEvent } from "./monitor-events.ts";

/** Time in which a check is recorded after its step job was started. A crash in between delays the check by it. */
const RECORD_MS = 13_000;

type StartDeps = Pick<Deps, "monitors" | "stepJobs" | "clock">;

/**
 * Starts a check on request. With the `id` of one that a lost request has started, that one is returned.
 * @returns undefined when one is running already, or the monitor is paused.
 */
export async function startManualCheck(
  deps: StartDeps,
  monitor: Monitor,
  id?: string,
): Promise<MonitorCheck | undefined> {
  const known = id === undefined ? undefined : await deps.monitors.findCheck(id);
  if (known !== undefined) return known;
  const checkId = await announceCheck(deps, monitor, id);
  const status = await deps.monitors.startCheck({ monitor, checkId, trigger: "manual", nowMs: deps.clock.now() });
  if (status === undefined) {
    await deps.stepJobs.forget(checkId);
    // A repeat of the request may have recorded the check meanwhile, whose job is then started again.
    if ((await deps.monitors.findCheck(checkId)) === undefined) return undefined;
  }
  await startCheckJob(deps, monitor, { checkId });
  return await deps.monitors.findCheck(checkId);
}

/**
 * Starts the check of a monitor that is due. The call that advances the monitor's next run starts the check: repeated
 * or concurrent calls start it once. Missed runs are made up for by one check.
 * @returns the id of a check that was skipped, whose event is due; undefined otherwise
 */
export async function startScheduledCheck(deps: StartDeps, monitor: Monitor): Promise<string | undefined> {
  const nowMs = deps.clock.now();
  const { nextRunAtMs: scheduledForMs } = monitor;
  const nextRunAtMs = nextRun(monitor.config.schedule, nowMs);
  if (scheduledForMs === undefined) return undefined;
  const checkId = await announceCheck(deps, monitor);
  const status = await deps.monitors.startCheck({
    monitor,
    checkId,
    trigger: "scheduled",
    scheduledForMs,
    ...(nextRunAtMs === undefined ? {} : { nextRunAtMs }),
    skippedEvent: completedEvent(monitor, { id: checkId }, { status: "skipped_overlap", summary: NO_PAGES }),
    nowMs,
  });
  if (status === "queued") await startCheckJob(deps, monitor, { checkId });
  else await deps.stepJobs.forget(checkId);
  return status === "skipped_overlap" ? checkId : undefined;
}

/** Starts the step job of a check before the check is recorded, so that a recorded check always runs. */
async function announceCheck(deps: StartDeps, monitor: Monitor, checkId = uuidv7()): Promise<string> {
  await startCheckJob(deps, monitor, { checkId, firstRunAtMs: deps.clock.now() + RECORD_MS });
  return checkId;
}
