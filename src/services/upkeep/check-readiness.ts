import type { Probe, ReadinessReport } from "../../ports/readiness.ts";
import type { Clock } from "../../ports/system.ts";
import type { Deps } from "../deps.ts";

export type { ReadinessReport } from "../../ports/readiness.ts";

const TIME_LIMIT_MS = 3_000;
/** Age up to which a report is returned again, so that frequent requests do not load the database. */
const FRESH_MS = 5_000;

/** Age up to which a report is returned while another request checks again. */
const USABLE_MS = 60_000;
/** Time after which a check has ended, or its request was cancelled. */
const CHECK_MS = TIME_LIMIT_MS + 1_000;
const POLL_MS = 100;

/**
 * The last report of this isolate, and the start of the check that is under way. Results are stored and never promises,
 * which belong to the request that created them.
 */
export interface ReadinessMemory {
  last?: { atMs: number; report: ReadinessReport };
  runningSinceMs?: number | undefined;
}

interface Uses extends Pick<Deps, "log" | "sleep"> {
  clock: Clock;
  probes: readonly Probe[];
  memory: ReadinessMemory;
}

/**
 * Checks whether the service's dependencies answer, within 3 s, at most every 5 s and once at a time: requests that come
 * during a check receive the last report, or wait for the new one.
 */
export async function checkReadiness(uses: Uses): Promise<ReadinessReport> {
  const { clock, memory, sleep } = uses;
  for (;;) {
    const nowMs = clock.now();
    const { last, runningSinceMs = -Infinity } = memory;
    const isRunning = nowMs - runningSinceMs < CHECK_MS;
    if (last !== undefined && nowMs - last.atMs < (isRunning ? USABLE_MS : FRESH_MS)) return last.report;
    if (!isRunning) return await runProbes(uses, nowMs);
    await sleep(POLL_MS);
  }
}

async function runProbes({ probes, memory, sleep, log }: Uses, nowMs: number): Promise<ReadinessReport> {
  memory.runningSinceMs = nowMs;
  const results = await Promise.all(
    probes.map(async ({ name, isRequired, run }) => {
      const { reason, warning } = await outcomeOf(run, sleep);
      if (reason !== undefined) log({ event: "probe_failed", probe: name, reason });
      if (warning !== undefined) log({ event: "probe_warning", probe: name, warning });
      return { name, isRequired, isFine: reason === undefined, warning };
    }),
  );
  const report = toReport(results);
  memory.last = { atMs: nowMs, report };
  if (memory.runningSinceMs === nowMs) memory.runningSinceMs = undefined;
  return report;
}

interface ProbeResult extends Pick<Probe, "name" | "isRequired"> {
  isFine: boolean;
  warning: string | undefined;
}

function toReport(results: readonly ProbeResult[]): ReadinessReport {
  const failed = results.filter(({ isFine }) => !isFine);
  const warnings = results.flatMap(({ warning }) => warning ?? []);
  return {
    status: failed.some(({ isRequired }) => isRequired) ? "unavailable" : failed.length > 0 ? "degraded" : "ready",
    checks: Object.fromEntries(results.map(({ name, isFine }) => [name, isFine ? "ok" : "failed"])),
    ...(warnings.length === 0 ? {} : { warning: warnings.join(" ") }),
  };
}

interface Outcome {
  /** Set for a failure. */
  reason?: string;
  warning?: string;
}

async function outcomeOf(run: Probe["run"], sleep: Uses["sleep"]): Promise<Outcome> {
  const late = sleep(TIME_LIMIT_MS).then((): Outcome => ({ reason: `No answer within ${TIME_LIMIT_MS} ms` }));
  const asked = (async () => run())().then(
    (result): Outcome => (typeof result === "string" ? { warning: result } : {}),
    (error: unknown): Outcome => ({ reason: String(error) }),
  );
  return await Promise.race([asked, late]);
}
