import { RE2JS } from "re2js";
import { AppError } from "../errors.ts";

/** Matching time is proportional to these two limits, which bound it: the worst pattern costs 0.1 s per URL. */
const MAX_INSTRUCTIONS = 2_000;
const MAX_PATTERN_CHARACTERS = 1_000;

/** A caller's regular expressions; a text matches when one of them is found in it. */
export interface SafePatterns {
  findIn(text: string): boolean;
  /** Number of instructions of the compiled patterns; matching time is linear in it. */
  size: number;
}

/**
 * Compiles regular expressions in RE2's syntax, which match in linear time: no look-around, no back-references.
 * @param field names the option in the error.
 * @throws AppError BAD_REQUEST with the engine's message for a pattern that is invalid or too large.
 */
export function compilePatterns(patterns: readonly string[], field: string): SafePatterns {
  const compiled = patterns.map((pattern, index) => compile(pattern, [field, index]));
  const size = compiled.reduce((sum, pattern) => sum + pattern.programSize(), 0);
  if (size > MAX_INSTRUCTIONS) {
    throw badPattern([field], `${field} is too large: ${size} steps of at most ${MAX_INSTRUCTIONS}`);
  }
  return { findIn: (text) => compiled.some((pattern) => pattern.test(text)), size };
}

function compile(pattern: string, path: [string, number]): RE2JS {
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    throw badPattern(path, `A regular expression has at most ${MAX_PATTERN_CHARACTERS} characters`);
  }
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badPattern(path, `Invalid regular expression in ${path[0]}: ${reason}`);
  }
}

function badPattern(path: (string | number)[], message: string): AppError {
  return new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path, message }] });
}
