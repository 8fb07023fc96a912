import { v7 as uuidv7 } from "uuid";
import { NO_PAGES, type Monitor, type MonitorCheck } from "../../core/monitors/monitor.ts";
import type { Deps } from "../deps.ts";
import { nextRun } from "./monitor-schedule.ts";
import { completedEvent } from "./monitor-events.ts";

type Uses = Pick<Deps, "monitors" | "checkAlarms" | "tasks" | "clock">;

/** Starts a check on request. @returns undefined when one is running already, or the monitor is paused. */
export async function startManualCheck(deps: Uses, monitor: Monitor): Promise<MonitorCheck | undefined> {
  const checkId = uuidv7();
  await deps.checkAlarms.watch(checkId);
  const status = await deps.monitors.startCheck({ monitor, checkId, trigger: "manual", nowMs: deps.clock.now() });
  if (status === undefined) {
    await deps.checkAlarms.forget(checkId);
    return undefined;
  }
  await deps.tasks.send({ type: "check_monitor", checkId });
  return await deps.monitors.findCheck(checkId);
}

/**
 * Starts the check of a monitor that is due. The call that advances the monitor's next run starts the check: repeated
 * or concurrent calls start it once. Missed runs are made up for by one check.
 */
export async function startScheduledCheck(deps: Uses, monitor: Monitor): Promise<void> {
  const nowMs = deps.clock.now();
  const { nextRunAtMs: scheduledForMs } = monitor;
  const nextRunAtMs = nextRun(monitor.config.schedule, nowMs);
  if (scheduledForMs === undefined) return;
  const checkId = uuidv7();
  await deps.checkAlarms.watch(checkId);
  const status = await deps.monitors.startCheck({
    monitor,
    checkId,
    trigger: "scheduled",
    scheduledForMs,
    ...(nextRunAtMs === undefined ? {} : { nextRunAtMs }),
    skippedEvent: completedEvent(monitor, { id: checkId }, { status: "skipped_overlap", summary: NO_PAGES }),
    nowMs,
  });
  if (status === "queued") await deps.tasks.send({ type: "check_monitor", checkId });
  else await deps.checkAlarms.forget(checkId);
}
