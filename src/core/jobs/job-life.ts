/** Time after which a job ends with what it has, from its start or from the last time it ran again. */
export const MAX_JOB_LIFE_MS = 30 * 86_400_000;
/** Reason of that end. */
export const OVERDUE = `The job was ended after ${MAX_JOB_LIFE_MS / 86_400_000} days, the longest time for which one runs`;
/** A job that took longer expires by its end, another one by its creation. */
export const SHORT_JOB_MS = 3_600_000;

interface Times {
  createdAtMs: number;
  endedAtMs?: number | undefined;
}

/** Returns the moment from which the results of a job are retained (Unix time in ms). */
export function retainedFromMs({ createdAtMs, endedAtMs = createdAtMs }: Times): number {
  return endedAtMs - createdAtMs > SHORT_JOB_MS ? endedAtMs : createdAtMs;
}

/**
 * Returns when the results of a job expire (Unix time in ms).
 * @param job.expiresAtMs the same for a job that ends at once, as fixed when it started
 */
export function resultsExpireAtMs({ expiresAtMs, ...times }: Times & { expiresAtMs: number }): number {
  return expiresAtMs + retainedFromMs(times) - times.createdAtMs;
}

/** Returns the moment until which the results of a running job are certain to exist, which moves ahead once the first one is near. */
export function runningExpiryMs({ expiresAtMs, nowMs }: { expiresAtMs: number; nowMs: number }): number {
  return Math.max(expiresAtMs, nowMs + SHORT_JOB_MS);
}
