import { z } from "zod";
import { cutOutput, failedOutcome, type ExecutionOutcome } from "./sessions/execution.ts";

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
