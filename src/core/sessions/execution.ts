/** Code to run with a session's browser. */
export interface ExecutionRequest {
  language: "node" | "bash";
  code: string;
  timeoutMs: number;
}

/** Result of a run. */
export interface ExecutionOutcome {
  stdout: string;
  stderr: string;
  /** The value of the last expression; undefined when there is none. */
  result: string | undefined;
  exitCode: number;
  /** True when stopped at the time limit. */
  killed: boolean;
}

/** Maximum length of a run's output stream, in UTF-16 units. */
export const MAX_OUTPUT_CHARS = 1_000_000;
export const OUTPUT_NOTE = "\n[output cut: more than 1 MB]\n";
/** Conventional exit code of a command that timed out (GNU coreutils' `timeout`). */
export const TIMEOUT_EXIT_CODE = 124;

/** Returns the outcome of code that did not complete. */
export function failedOutcome(stderr: string, exitCode = 1): ExecutionOutcome {
  const killed = exitCode === TIMEOUT_EXIT_CODE;
  return { stdout: "", stderr: cutOutput(stderr), result: undefined, exitCode, killed };
}

/** Reports whether a stream or the result of a run was cut: only then are they longer than `MAX_OUTPUT_CHARS`. */
export function isOutputCut({ stdout, stderr, result = "" }: ExecutionOutcome): boolean {
  return [stdout, stderr, result].some((text) => text.length > MAX_OUTPUT_CHARS);
}

/** Cuts a text to `MAX_OUTPUT_CHARS`, with a note when it was longer. */
export function cutOutput(text: string): string {
  return text.length <= MAX_OUTPUT_CHARS ? text : text.slice(0, MAX_OUTPUT_CHARS) + OUTPUT_NOTE;
}
