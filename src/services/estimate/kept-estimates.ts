import { compareEstimate, Estimate, type ComparedEstimate, type FigureName } from "../../core/account/estimate.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { readStored } from "../../core/stored-state.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import type { MonitorCheck, MonitorConfig } from "../../core/monitors/monitor.ts";
import type { Caller, Deps } from "../deps.ts";

/** Time for which a job with the same request is compared with its estimate. */
const LIFE_MS = 3_600_000;
/** Fields of a request that change neither its result nor its cost. */
const LEFT_OUT: ReadonlySet<string> = new Set(["estimate", "origin", "integration", "webhook", "maxConcurrency"]);

/** Returns the fingerprint of a request: the same for the estimate and for the job that is started after it. */
export async function fingerprintOf(endpoint: string, body: object): Promise<string> {
  const fields = Object.entries(body)
    .filter(([name, value]) => value !== undefined && !LEFT_OUT.has(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return await sha256Hex(JSON.stringify([endpoint, fields]));
}

/** Stores an estimate for an hour. A failure is logged: the estimate itself is in the response. */
export async function keepEstimate(
  { estimates, clock, log }: Pick<Deps, "estimates" | "clock" | "log">,
  { key }: Caller,
  { fingerprint, estimate }: { fingerprint: string; estimate: Estimate },
): Promise<void> {
  const kept = { json: JSON.stringify(estimate), expiresAtMs: clock.now() + LIFE_MS };
  await estimates
    .put(key.teamId, fingerprint, kept)
    .catch((error: unknown) => log({ event: "estimate_not_kept", message: String(error) }));
}

/** Returns the estimate that a job was started after, beside what came of it; undefined when there was none. */
export function estimateOf(
  { estimateJson }: Pick<JobRecord, "estimateJson">,
  outcome: Partial<Record<FigureName, number>>,
): ComparedEstimate | undefined {
  if (estimateJson === undefined) return undefined;
  return compareEstimate(readStored(Estimate, estimateJson, "estimate of a job"), outcome);
}

/** Returns the field of a new monitor's configuration: the estimate that it is created after. */
export async function estimateOfMonitor(
  { estimates, clock }: Pick<Deps, "estimates" | "clock">,
  { key }: Caller,
  fingerprint: string | undefined,
): Promise<Pick<MonitorConfig, "estimate">> {
  if (fingerprint === undefined) return {};
  const json = await estimates.find(key.teamId, fingerprint, clock.now());
  return json === undefined ? {} : { estimate: readStored(Estimate, json, "estimate of a monitor") };
}

/** Returns the estimate of a monitor beside the outcome of one of its checks, of which pages and credits are known. */
export function estimateOfCheck(
  { estimate }: MonitorConfig,
  { summary, actualCredits }: Pick<MonitorCheck, "summary" | "actualCredits">,
): ComparedEstimate | undefined {
  if (estimate === undefined || estimate === null) return undefined;
  return compareEstimate(estimate, {
    ...(summary === undefined ? {} : { pages: summary.totalPages }),
    credits: actualCredits,
  });
}
