import type { ErrorCode } from "../errors.ts";

/** What a step of a job uses, and with what: a tool's name, and addresses, queries and numbers. No page content. */
export interface StepNote {
  tool: string;
  input: Record<string, unknown>;
}

/** What came of it: counts, addresses and states of what was found, or why there is nothing. */
export type StepEnd =
  | { kind: "done"; facts: Record<string, unknown> }
  | { kind: "failed"; code: ErrorCode; message: string };

/** A step as the job's trace shows it. */
export interface TracedStep extends StepNote {
  /** Counted in the order in which steps were begun. */
  number: number;
  begunAtMs: number;
  /** Undefined while it is under way. */
  endedAtMs: number | undefined;
  /** Set aside for it while it is under way, then what it has cost. */
  credits: number;
  end: StepEnd | undefined;
}
