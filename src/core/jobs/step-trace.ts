import type { ErrorCode } from "../errors.ts";

/** A step's tool and input: URLs, queries and numbers. No page content. */
export interface StepNote {
  tool: string;
  input: Record<string, unknown>;
}

/** Outcome of a step: counts, URLs and states of its results, or the reason that there are none. */
export type StepEnd =
  | { kind: "done"; facts: Record<string, unknown> }
  | { kind: "failed"; code: ErrorCode; message: string };

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
