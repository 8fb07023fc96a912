import { MAX_JOB_LIFE_MS, resultsExpireAtMs } from "../jobs/job-life.ts";

/** The part of a frontier's state that says how long its job lives. */
interface Life {
  status: string;
  config: { expiresAtMs: number };
  createdAtMs: number;
  restartedAtMs?: number | undefined;
  endedAtMs?: number | undefined;
  heldUntilMs?: number | undefined;
}

/** Returns the time at which the data of the job is deleted (Unix time in ms): none for a job that runs. */
export function expiryOf(state: Life): number {
  if (state.status === "scraping") return Infinity;
  return Math.max(resultsExpiryOf(state), state.heldUntilMs ?? 0);
}

/** Returns when the results of the job expire, if it has ended; else when they would after a short run (Unix time in ms). */
export function resultsExpiryOf({ config: { expiresAtMs }, createdAtMs, endedAtMs }: Omit<Life, "status">): number {
  return resultsExpireAtMs({ createdAtMs, endedAtMs, expiresAtMs });
}

/** Returns the time at which the job ends in any case (Unix time in ms). */
export function lastMomentOf({
  createdAtMs,
  restartedAtMs = createdAtMs,
}: Pick<Life, "createdAtMs" | "restartedAtMs">): number {
  return restartedAtMs + MAX_JOB_LIFE_MS;
}

/** Returns what a worker run is told: the time until which the job's results exist at least, and whether it runs again. */
export function lifeOf(state: Life, nowMs: number): { expiresAtMs: number; hasRestarted: boolean } {
  const expiresAtMs = resultsExpiryOf(state.status === "scraping" ? { ...state, endedAtMs: nowMs } : state);
  return { expiresAtMs, hasRestarted: state.restartedAtMs !== undefined };
}
