import { z } from "zod";
import { cutOutput, failedOutcome, type ExecutionOutcome } from "./sessions/execution.ts";

const output = z.string().catch("").transform(cutOutput);

/** Outcome that a program reports for a caller's code. Untrusted: that code can have changed all of it. */
const Outcome = z.object({
  stdout: output,
  stderr: output,
  result: z.string().transform(cutOutput).optional().catch(undefined),
  exitCode: z.int().catch(1),
  killed: z.boolean().catch(false),
});

/** Parses the outcome that a program reports, and cuts its texts. */
export function readOutcome(value: unknown): ExecutionOutcome {
  const { data } = Outcome.safeParse(value);
  if (data === undefined) return failedOutcome("The code ended without an answer\n");
  return { ...data, result: data.result };
}
