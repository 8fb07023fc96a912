import { AppError } from "../errors.ts";
import { utf8Length } from "../text/utf8.ts";

/** A value of the platform's databases has 2 MB at most; the rest is for what the service adds to a specification. */
const MAX_OPTIONS_BYTES = 1_500_000;

/**
 * Checks that the options of a job can be stored, before anything is.
 * @param options everything of a request that the job's specification holds
 * @throws AppError PAYLOAD_TOO_LARGE
 */
export function assertStorableJob(options: readonly unknown[]): void {
  const bytes = utf8Length(JSON.stringify(options));
  if (bytes <= MAX_OPTIONS_BYTES) return;
  const message = `The options of a job take at most ${MAX_OPTIONS_BYTES} bytes as the service stores them; these take ${bytes}.`;
  throw new AppError("PAYLOAD_TOO_LARGE", message);
}
