import { ERRORS, isAppError } from "../../core/errors.ts";

/** A failure as whoever watches is told of it: its message with its code. What we do not know is told without details. */
export function failureWords(error: unknown): string {
  return isAppError(error) ? `${error.message} (${error.code})` : `${ERRORS.UNKNOWN_ERROR.message} (UNKNOWN_ERROR)`;
}
