import { z } from "@hono/zod-openapi";
import type { ExecutionOutcome } from "../core/execution.ts";
import { AppError } from "../core/errors.ts";

export const LANGUAGES = ["node", "python", "bash"] as const;

/** What both ways of running code answer about it. */
export const EXECUTION_FIELDS = {
  stdout: z.string(),
  result: z.string().optional().openapi({ description: "The value of the last expression, when there is one" }),
  stderr: z.string(),
  exitCode: z.number(),
  killed: z.boolean().openapi({ description: "Stopped because its time was over" }),
  error: z.string().optional().openapi({ description: "Why the code failed; absent when it did not" }),
};
const ExecutionFields = z.object(EXECUTION_FIELDS);

/** Clients take any `error` for a failure, and an empty `result` for the only output: both are left out. */
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
    ...(hasFailed ? { error: stderr.trim() === "" ? why : stderr.trim() } : {}),
  };
}

/** Languages that are run here, of those that clients know. */
export const EXECUTION_LANGUAGES = LANGUAGES.filter((language) => language !== "python");

/** @throws AppError BAD_REQUEST for a language that no isolate of this platform runs */
export function checkLanguage(language: (typeof LANGUAGES)[number]): "node" | "bash" {
  if (language !== "python") return language;
  throw new AppError(
    "BAD_REQUEST",
    "Python cannot be run on this deployment. Use language node (Playwright for JavaScript) or bash (agent-browser), " +
      "or connect Playwright for Python to the session's cdpUrl.",
  );
}
