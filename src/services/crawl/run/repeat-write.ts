import { ERRORS, isAppError } from "../../../core/errors.ts";
import type { WorkerRunContext } from "./worker-run-context.ts";

/** Waits before a failed write is repeated; together less than a lease. */
const WAITS_MS = [200, 1_000, 4_000];

/**
 * Writes documents or results of a worker run, and repeats a write that failed: otherwise every page that the run holds
 * would have to be loaded again. The write may have had its effect, and must be one that can be repeated.
 * @throws the error of the last try, or of the first one that a repetition cannot help.
 */
export async function repeatWrite<Result>(
  { deps, specification }: Pick<WorkerRunContext, "deps" | "specification">,
  write: () => Promise<Result>,
): Promise<Result> {
  for (const waitMs of WAITS_MS) {
    try {
      return await write();
    } catch (error) {
      if (isAppError(error) && !ERRORS[error.code].retryable) throw error;
      deps.log({ event: "job_write_failed", jobId: specification.id, message: String(error) });
      await deps.sleep(waitMs);
    }
  }
  return await write();
}
