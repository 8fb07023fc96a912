import { ERRORS, isAppError } from "../../core/errors.ts";

/**
 * Converts a failure to a text for the caller: its message with its code. Unknown errors are reported without details.
 */
export function failureWords(error: unknown): string {
  return isAppError(error) ? `${error.message} (${error.code})` : `${ERRORS.UNKNOWN_ERROR.message} (UNKNOWN_ERROR)`;
}
