/**
 * Runs that one process works on at a time, beyond the first one of each job. Under `npm start` the objects of all jobs are in
 * one process and start their runs themselves: dozens of jobs with seven runs each would be busy with the heartbeats of runs.
 */
const MAX_RUNS = 32;

let running = 0;

/** Returns the number of further runs that the process has room for; on the platform, which spreads them, no limit. */
export function roomForRuns({ EGRESS }: { EGRESS?: unknown }): number {
  return EGRESS === undefined ? Infinity : Math.max(0, MAX_RUNS - running);
}

/** Counts a run of this process until it ends. */
export function countRun(run: Promise<void>): Promise<void> {
  running++;
  return run.finally(() => running--);
}
