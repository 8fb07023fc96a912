import type { Deps } from "./deps.ts";
import { sendMonitorEvents } from "./monitor-events.ts";
import { startScheduledCheck } from "./start-monitor-check.ts";

const AT_A_TIME = 100;
/** A task that has not come by then was lost. */
const LOST_AFTER_MS = 240_000;

/** What the cron does every five minutes: begins due checks, takes up lost ones, and sends events again. */
export async function runDueMonitors(deps: Deps): Promise<void> {
  const nowMs = deps.clock.now();
  const stale = await deps.monitors.staleChecks(nowMs, nowMs - LOST_AFTER_MS);
  for (const checkId of stale) await deps.tasks.send({ type: "check_monitor", checkId });
  for (;;) {
    const due = await deps.monitors.due(nowMs, AT_A_TIME);
    for (const monitor of due) await startScheduledCheck(deps, monitor);
    if (due.length < AT_A_TIME) break;
  }
  const waiting = await deps.monitors.checksWithEvents(nowMs, AT_A_TIME);
  for (const checkId of waiting) await sendMonitorEvents(deps, checkId);
}
