import type { StepSpecification } from "../../jobs/step-kind.ts";
import type { StepTotals } from "../../ports/step-jobs.ts";
import type { Deps } from "../deps.ts";

/**
 * Tells the credit ledger what a job of steps has come to and what it has set aside. Both are totals that the job itself
 * keeps, so that telling them again, or after a crash, takes nothing twice.
 * @param known the totals, when they were told just now.
 * @returns false when the key has fewer credits left than the job has set aside.
 */
export async function chargeStepJob(
  { stepJobs, keyLedger, settings }: Pick<Deps, "stepJobs" | "keyLedger" | "settings">,
  { id, key }: Pick<StepSpecification, "id" | "key">,
  known?: StepTotals,
): Promise<boolean> {
  const totals = known ?? (await stepJobs.standing(id));
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

/** Pays what a job that has ended came to: what was set aside beyond that goes back. May be done again after a crash. */
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
