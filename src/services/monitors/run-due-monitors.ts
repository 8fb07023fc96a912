import type { Deps } from "../deps.ts";
import { sendMonitorEvents } from "./monitor-events.ts";
import { startCheckJob } from "./check-job.ts";
import { startScheduledCheck } from "./start-monitor-check.ts";

const AT_A_TIME = 100;
/** A check without a result for this long may have no step job: it is started, unless it exists. */
const LOST_AFTER_MS = 240_000;

/**
 * Runs every five minutes from the cron: resumes lost checks, starts due ones, and sends events again. A failure does
 * not block the rest.
 * @throws the first failure, when everything else is done.
 */
export async function runDueMonitors(deps: Deps): Promise<void> {
  const nowMs = deps.clock.now();
  const failures: unknown[] = [];
  const forEach = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> => {
    for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  };
  const stale = await deps.monitors.staleChecks(nowMs - LOST_AFTER_MS);
  await forEach(stale, async ({ id: checkId, monitorId }) => {
    const monitor = await deps.monitors.find(monitorId);
    if (monitor !== undefined) await startCheckJob(deps, monitor, { checkId });
  });
  for (let isMore = true; isMore;) {
    const due = await deps.monitors.due(nowMs, AT_A_TIME);
    await forEach(due, (monitor) => startScheduledCheck(deps, monitor));
    // Monitors whose check could not be started are still due.
    isMore = due.length === AT_A_TIME && failures.length === 0;
  }
  const waiting = await deps.monitors.checksWithEvents(nowMs, AT_A_TIME);
  await forEach(waiting, (checkId) => sendMonitorEvents(deps, checkId));
  if (failures.length > 0) throw failures[0];
}
