import type { Deps } from "../deps.ts";
import { startCheckJob } from "./check-job.ts";
import { startScheduledCheck } from "./start-monitor-check.ts";

/** IDs of due monitors that are read with one query. */
const IDS_AT_A_TIME = 5_000;
/** Monitors that one message starts: each takes about six of the 1,000 queries of an invocation. */
const MONITORS_A_MESSAGE = 50;
const CHECKS_AT_A_TIME = 1_000;
/** A check without a result for this long may have no step job: it is started, unless it exists. */
const LOST_AFTER_MS = 240_000;

/**
 * Runs every five minutes from the cron: resumes lost checks, and queues messages that start the due ones and the jobs
 * that send events again. The work itself is spread over many invocations, since each has a limit of queries. A failure
 * does not block the rest.
 * @throws the first failure, when everything else is done.
 */
export async function runDueMonitors(deps: Deps): Promise<void> {
  const nowMs = deps.clock.now();
  const failures: unknown[] = [];
  const stale = await deps.monitors.staleChecks(nowMs - LOST_AFTER_MS);
  await forEach(stale, failures, async ({ id: checkId, monitorId }) => {
    const monitor = await deps.monitors.find(monitorId);
    if (monitor !== undefined) await startCheckJob(deps, monitor, { checkId });
  });
  await queueDueMonitors(deps, nowMs);
  const waiting = await deps.monitors.checksWithEvents(nowMs, CHECKS_AT_A_TIME);
  await deps.tasks.sendAll(waiting.map((checkId) => ({ type: "send_monitor_events", checkId })));
  if (failures.length > 0) throw failures[0];
}

async function queueDueMonitors({ monitors, tasks }: Deps, nowMs: number): Promise<void> {
  let after: { id: string; nextRunAtMs: number } | undefined;
  do {
    const due = await monitors.due(nowMs, { after, limit: IDS_AT_A_TIME });
    const messages = Array.from({ length: Math.ceil(due.length / MONITORS_A_MESSAGE) }, (_, at) =>
      due.slice(at * MONITORS_A_MESSAGE, (at + 1) * MONITORS_A_MESSAGE).map(({ id }) => id),
    );
    await tasks.sendAll(messages.map((ids) => ({ type: "start_monitors", ids })));
    after = due.length === IDS_AT_A_TIME ? due.at(-1) : undefined;
  } while (after !== undefined);
}

/**
 * Starts the checks of those monitors that are still due. A repeated message starts nothing twice. The monitors are read one
 * at a time, since each has up to 1.1 MB.
 * @throws the first failure, when the others are started; the message is then delivered again.
 */
export async function startDueMonitors(deps: Deps, ids: readonly string[]): Promise<void> {
  const failures: unknown[] = [];
  const nowMs = deps.clock.now();
  const due = await deps.monitors.dueAmong(ids, nowMs);
  const skipped: string[] = [];
  await forEach(due, failures, async (id) => {
    const monitor = await deps.monitors.findDue(id, nowMs);
    if (monitor === undefined) return;
    const checkId = await startScheduledCheck(deps, monitor);
    if (checkId !== undefined) skipped.push(checkId);
  });
  await deps.tasks.sendAll(skipped.map((checkId) => ({ type: "send_monitor_events", checkId })));
  if (failures.length > 0) throw failures[0];
}

async function forEach<Item>(
  items: readonly Item[],
  failures: unknown[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
}
