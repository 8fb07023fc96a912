import { isAppError } from "../../core/errors.ts";
import type { Deps } from "../deps.ts";
import { failureWords } from "../scrape/failure-words.ts";

/**
 * Ends a job, or a check, whose stored state this version cannot read, by what is stored of it elsewhere.
 * @param end ends the job in its object, as far as the object can read it.
 * @throws the given error, when it is another one.
 */
export async function failUnreadable(
  deps: Deps,
  { jobId, error }: { jobId: string; error: unknown },
  end: (message: string) => Promise<unknown>,
): Promise<void> {
  if (!isAppError(error) || error.code !== "STORED_STATE_UNREADABLE") throw error;
  const message = failureWords(error);
  deps.log({ event: "job_unreadable", jobId, message });
  await end(message).catch((failure: unknown) => {
    deps.log({ event: "job_not_ended", jobId, message: String(failure) });
  });
  const job = await deps.jobs.find(jobId);
  if (job === undefined) return await deps.monitors.failCheck(jobId, message, deps.clock.now());
  await deps.jobs.setStatus(jobId, "failed", deps.clock.now());
  await deps.keyLedger.releaseSlot(job.keyId, jobId);
}
