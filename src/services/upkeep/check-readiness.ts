import type { Probe, ReadinessReport } from "../../ports/readiness.ts";
import type { Clock } from "../../ports/system.ts";
import type { Deps } from "../deps.ts";

export type { ReadinessReport } from "../../ports/readiness.ts";

const TIME_LIMIT_MS = 3_000;
/** Age up to which a report is returned again, so that frequent requests do not load the database. */
const FRESH_MS = 5_000;

/**
 * The last report of this isolate. Results are stored and never promises, which belong to the request that created
 * them.
 */
export interface ReadinessMemory {
  last?: { atMs: number; report: ReadinessReport };
}

interface Uses extends Pick<Deps, "log" | "sleep"> {
  clock: Clock;
  probes: readonly Probe[];
  memory: ReadinessMemory;
}

/** Checks whether the service's dependencies answer, within 3 s and at most every 5 s. */
export async function checkReadiness({ clock, probes, memory, sleep, log }: Uses): Promise<ReadinessReport> {
  const nowMs = clock.now();
  if (memory.last !== undefined && nowMs - memory.last.atMs < FRESH_MS) return memory.last.report;
  const results = await Promise.all(
    probes.map(async ({ name, isRequired, run }) => {
      const { reason, warning } = await outcomeOf(run, sleep);
      if (reason !== undefined) log({ event: "probe_failed", probe: name, reason });
      if (warning !== undefined) log({ event: "probe_warning", probe: name, warning });
      return { name, isRequired, isFine: reason === undefined, warning };
    }),
  );
  const failed = results.filter(({ isFine }) => !isFine);
  const warnings = results.flatMap(({ warning }) => warning ?? []);
  const report: ReadinessReport = {
    status: failed.some(({ isRequired }) => isRequired) ? "unavailable" : failed.length > 0 ? "degraded" : "ready",
    checks: Object.fromEntries(results.map(({ name, isFine }) => [name, isFine ? "ok" : "failed"])),
    ...(warnings.length === 0 ? {} : { warning: warnings.join(" ") }),
  };
  memory.last = { atMs: nowMs, report };
  return report;
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
