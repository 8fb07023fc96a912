import { RE2JS } from "re2js";
import { AppError } from "../errors.ts";

/** Matching takes time in proportion to these two, so together they bound it: the worst pattern costs 0.1 s a URL. */
const MAX_INSTRUCTIONS = 2_000;
const MAX_PATTERN_CHARACTERS = 1_000;

/** Regular expressions of a caller, of which one must be found somewhere in a text. */
export interface SafePatterns {
  findIn(text: string): boolean;
  /** Instructions of the compiled patterns, which matching is linear in. */
  size: number;
}

/**
 * Compiles regular expressions in RE2's syntax, which match in linear time whatever they are: no look-around, no
 * back-references.
 * @param field names the option in the error.
 * @throws AppError BAD_REQUEST with the engine's own words for a pattern that is none or is too large.
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
