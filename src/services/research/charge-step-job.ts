import type { StepSpecification } from "../../jobs/step-kind.ts";
import type { StepTotals } from "../../ports/step-jobs.ts";
import type { Deps } from "../deps.ts";

/**
 * Reports the costs and the reservation of a running step job to the credit ledger. Both are totals that the job stores,
 * so that a repeated report, also after a crash, charges nothing twice. A job that has ended is charged by `payStepJob`
 * alone, after which the ledger no longer knows it.
 * @param known the totals, when the running job has just returned them.
 * @returns false when the key has fewer credits left than the job has reserved, or the job has ended.
 */
export async function chargeStepJob(
  { stepJobs, keyLedger, settings }: Pick<Deps, "stepJobs" | "keyLedger" | "settings">,
  { id, key }: Pick<StepSpecification, "id" | "key">,
  known?: StepTotals,
): Promise<boolean> {
  const totals = known ?? (await runningTotals(stepJobs, id));
  if (totals === undefined) return false;
  const { creditsUsed, creditsHeld, charged } = totals;
  const reserved = await keyLedger.chargeJob(key.id, {
    jobId: id,
    settled: creditsUsed,
    reserve: creditsHeld,
    unit: undefined,
    charged,
    monthlyCredits: key.monthlyCredits ?? settings.creditsPerMonth,
  });
  return reserved >= creditsHeld;
}

async function runningTotals(stepJobs: Deps["stepJobs"], id: string): Promise<StepTotals | undefined> {
  const progress = await stepJobs.progress(id);
  return progress?.status === "scraping" ? progress : undefined;
}

/**
 * Charges the costs of a settled job, and releases the rest of its reservation. May be repeated after a crash.
 */
export async function payStepJob(
  { stepJobs, keyLedger, settings }: Pick<Deps, "stepJobs" | "keyLedger" | "settings">,
  { id, key }: Pick<StepSpecification, "id" | "key">,
  { creditsUsed, charged }: { creditsUsed: number; charged: number },
): Promise<void> {
  await keyLedger.chargeJob(key.id, {
    jobId: id,
    settled: creditsUsed,
    reserve: 0,
    unit: undefined,
    charged,
    monthlyCredits: key.monthlyCredits ?? settings.creditsPerMonth,
  });
  if (charged !== creditsUsed) await stepJobs.noteCharged(id, creditsUsed);
}
