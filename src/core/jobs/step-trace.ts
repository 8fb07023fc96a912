import { z } from "zod";
import { ERRORS, type ErrorCode } from "../errors.ts";

/** A step's tool and input: URLs, queries and numbers. No page content. */
export const StepNote = z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) });
export type StepNote = z.infer<typeof StepNote>;

const isErrorCode = (value: unknown): boolean => typeof value === "string" && value in ERRORS;

/** Outcome of a step: counts, URLs and states of its results, or the reason that there are none. */
export const StepEnd = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), facts: z.record(z.string(), z.unknown()) }),
  z.object({
    kind: z.literal("failed"),
    // A code that this version does not know comes from another one.
    code: z.custom<ErrorCode>(isErrorCode).catch("UNKNOWN_ERROR"),
    message: z.string(),
  }),
]);
export type StepEnd = z.infer<typeof StepEnd>;

/** A step in the job's trace. */
export interface TracedStep extends StepNote {
  /** Position in the order in which steps began. */
  number: number;
  begunAtMs: number;
  /** Undefined while the step runs. */
  endedAtMs: number | undefined;
  /** Credits reserved while the step runs; afterwards its cost. */
  credits: number;
  end: StepEnd | undefined;
}
