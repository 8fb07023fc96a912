import { z } from "@hono/zod-openapi";
import { isOutputCut, type ExecutionOutcome } from "../../core/sessions/execution.ts";
import { AppError } from "../../core/errors.ts";

export const LANGUAGES = ["node", "python", "bash"] as const;

/** Response fields of both ways of running code. */
export const EXECUTION_FIELDS = {
  stdout: z.string().describe("Standard output of the code."),
  result: z.string().optional().openapi({ description: "Value of the last expression as text. Absent when empty." }),
  stderr: z.string().describe("Standard error of the code."),
  exitCode: z.number().describe("Exit code of the code; 0 means success."),
  killed: z.boolean().openapi({ description: "Whether the code was stopped at its time limit." }),
  truncated: z.boolean().openapi({
    description: "Whether `stdout`, `stderr` or `result` was cut, since it had more than 1,000,000 characters.",
  }),
  error: z.string().optional().openapi({ description: "Why the code failed. Absent when it succeeded." }),
};
const ExecutionFields = z.object(EXECUTION_FIELDS);

/** Leaves out `error` on success and an empty `result`: clients read them as a failure and as the only output. */
export function executionFields(outcome: ExecutionOutcome): z.infer<typeof ExecutionFields> {
  const { stdout, stderr, result, exitCode, killed } = outcome;
  const hasFailed = exitCode !== 0 || killed;
  const why = killed ? "The code ran out of time" : `The code ended with exit code ${exitCode}`;
  return {
    stdout,
    ...(result === undefined || result === "" ? {} : { result }),
    stderr,
    exitCode,
    killed,
    truncated: isOutputCut(outcome),
    ...(hasFailed ? { error: stderr.trim() === "" ? why : stderr.trim() } : {}),
  };
}

/** The languages that are run here, of those that clients know. */
export const EXECUTION_LANGUAGES = LANGUAGES.filter((language) => language !== "python");

/** @throws AppError BAD_REQUEST for a language that the platform's isolates cannot run */
export function checkLanguage(language: (typeof LANGUAGES)[number]): "node" | "bash" {
  if (language !== "python") return language;
  throw new AppError(
    "BAD_REQUEST",
    "Python cannot be run on this deployment. Use language node (Playwright for JavaScript) or bash (agent-browser), " +
      "or connect Playwright for Python to the session's cdpUrl.",
  );
}
