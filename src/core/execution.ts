import { z } from "zod";

/** Code for a session's browser. */
export interface ExecutionRequest {
  language: "node" | "bash";
  code: string;
  timeoutMs: number;
}

/** How it went, as texts. */
export interface ExecutionOutcome {
  stdout: string;
  stderr: string;
  /** The value of the last expression; undefined when there is none. */
  result: string | undefined;
  exitCode: number;
  /** Stopped because its time was over. */
  killed: boolean;
}

/** What one stream of a run keeps of its output, in UTF-16 units. */
export const MAX_OUTPUT_CHARS = 1_000_000;
export const OUTPUT_NOTE = "\n[output cut: more than 1 MB]\n";
/** Conventional exit code of a command that ran out of time (GNU coreutils' `timeout`). */
export const TIMEOUT_EXIT_CODE = 124;

const output = z.string().catch("").transform(cutOutput);

/** Reads what a program that ran somebody's code says of it; that code can have changed every word of it. */
const Outcome = z.object({
  stdout: output,
  stderr: output,
  result: z.string().transform(cutOutput).optional().catch(undefined),
  exitCode: z.int().catch(1),
  killed: z.boolean().catch(false),
});

/** The outcome as a program tells it, with its texts cut. */
export function readOutcome(value: unknown): ExecutionOutcome {
  const { data } = Outcome.safeParse(value);
  if (data === undefined) return failedOutcome("The code ended without an answer\n");
  return { ...data, result: data.result };
}

/** The outcome of code that did not run to its end. */
export function failedOutcome(stderr: string, exitCode = 1): ExecutionOutcome {
  const killed = exitCode === TIMEOUT_EXIT_CODE;
  return { stdout: "", stderr: cutOutput(stderr), result: undefined, exitCode, killed };
}

/** A text of at most the kept length, with a note when it was longer. */
export function cutOutput(text: string): string {
  return text.length <= MAX_OUTPUT_CHARS ? text : text.slice(0, MAX_OUTPUT_CHARS) + OUTPUT_NOTE;
}
