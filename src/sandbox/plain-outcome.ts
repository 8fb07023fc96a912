import { cutOutput, failedOutcome, type ExecutionOutcome } from "../core/sessions/execution.ts";

/**
 * Returns what a program reports for a caller's code, of which only texts, a number and a truth value are taken: that code can
 * have changed all of it, and a small value that has parts in common may be long as JSON.
 */
export function plainOutcome(value: unknown): ExecutionOutcome {
  if (typeof value !== "object" || value === null) return failedOutcome("The code ended without an answer\n");
  const { stdout, stderr, result, exitCode, killed }: Partial<Record<keyof ExecutionOutcome, unknown>> = value;
  return {
    stdout: textOf(stdout) ?? "",
    stderr: textOf(stderr) ?? "",
    result: textOf(result),
    exitCode: Number.isInteger(exitCode) ? Number(exitCode) : 1,
    killed: killed === true,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? cutOutput(value) : undefined;
}
