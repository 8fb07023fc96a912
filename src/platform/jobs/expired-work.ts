import { z } from "zod";
import { toReceipt } from "../../core/account/receipt.ts";
import type { JobRecordOfWork } from "../../core/account/usage.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import type { KeyLedgers } from "../account/job-charges.ts";
import type { StepProgress } from "../../ports/step-jobs.ts";

/** Ledgers of keys that also record the usage of jobs. */
export interface UsageLedgers {
  getByName(keyId: string): ReturnType<KeyLedgers["getByName"]> & { recordJob(job: JobRecordOfWork): Promise<void> };
}

/** Fields of a job's specification that its record of usage has. */
const Specified = z.object({
  kind: z.string(),
  createdAtMs: z.number(),
  record: z.object({ target: z.string() }).optional(),
});

/** Returns the record of a job that has expired before its end; undefined when its specification cannot be read. */
export function expiredWork(
  specification: string | undefined,
  { costs, creditsUsed, status }: StepProgress,
): Omit<JobRecordOfWork, "jobId"> | undefined {
  const specified = specification === undefined ? undefined : readReplaceable(Specified, specification);
  if (specified === undefined) return undefined;
  const { kind, createdAtMs, record } = specified;
  return {
    endpoint: kind,
    createdAtMs,
    pages: costs.pages,
    hasFailed: status !== "completed",
    receipt: toReceipt({ ...costs, credits: creditsUsed }),
    ...(record === undefined || record.target === "" ? {} : { target: record.target }),
  };
}
