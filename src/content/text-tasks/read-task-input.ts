import { isAppError, type ErrorCode } from "../../core/errors.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { runTextTaskHere, type TextTask, type TextTaskInput } from "./text-tasks.ts";

/** A task on texts that comes from another isolate. */
export interface TaskInput<Name extends TextTask = TextTask> {
  name: Name;
  input: TextTaskInput<Name>;
  /** The remainder of the request's work budget, and the time after which the task ends with what it has. */
  limits: { steps: number; bytes: number; timeMs: number };
}

/** The result. Errors are values, since error codes are lost when an exception crosses isolates. */
export type TaskOutput = ({ kind: "done"; value: unknown } | { kind: "failed"; code: ErrorCode; message: string }) & {
  spent: { steps: number; bytes: number; cut: string[] };
};

/** Runs a task within its limits. */
export async function readTaskInput({ name, input, limits }: TaskInput): Promise<TaskOutput> {
  const { steps, bytes, timeMs } = limits;
  const now = (): number => Date.now();
  const budget = new WorkBudget({ steps, bytes, deadline: { atMs: now() + timeMs, now } });
  const spent = () => ({ steps: budget.steps, bytes: budget.bytes, cut: budget.cutParts });
  try {
    return { kind: "done", value: await runTextTaskHere(name, input, budget), spent: spent() };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { kind: "failed", code: error.code, message: error.message, spent: spent() };
  }
}
