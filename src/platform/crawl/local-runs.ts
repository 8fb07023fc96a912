/**
 * Runs that one process works on at a time, beyond the first one of each job. Under `npm start` the objects of all jobs are in
 * one process and start their runs themselves: dozens of jobs with seven runs each would be busy with the heartbeats of runs.
 */
const MAX_RUNS = 32;

/**
 * A run that has not ended by then was lost: the promises of an object that is reset never settle. A page without a result
 * fails after a quarter of an hour.
 */
const LOST_MS = 20 * 60_000;

/** Runs with the times at which they were started, the earliest first. */
const running = new Map<Promise<void>, number>();

/** Returns the number of further runs that the process has room for; on the platform, which spreads them, no limit. */
export function roomForRuns({ EGRESS }: { EGRESS?: unknown }): number {
  if (EGRESS === undefined) return Infinity;
  const lostMs = Date.now() - LOST_MS;
  for (const [run, startedMs] of running) if (startedMs < lostMs) running.delete(run);
  return Math.max(0, MAX_RUNS - running.size);
}

/** Counts a run of this process until it ends. */
export function countRun(run: Promise<void>): Promise<void> {
  running.set(run, Date.now());
  return run.finally(() => running.delete(run));
}
