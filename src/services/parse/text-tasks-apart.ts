import { z } from "zod";
import type { TaskInput } from "../../content/text-tasks/read-task-input.ts";
import {
  runTextTaskHere,
  weightOf,
  type RunTextTask,
  type TextTask,
  type TextTaskInput,
  type TextTaskOutput,
} from "../../content/text-tasks/text-tasks.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { WaitLimit } from "../../core/waits/wait-for-grant.ts";
import { AppError, isAppError, type ErrorCode } from "../../core/errors.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { SMALL_LENGTH, Spent } from "./read-page-apart.ts";
import { inFairOrder, isErrorCode, READING_MS, runApart, stopError, type ReadApartTools } from "./run-apart.ts";

/** Response of `sandbox/page-reader.ts`. The process has read untrusted data, so its response is checked. */
const TaskOutput = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), value: z.unknown(), spent: Spent }),
  z.object({ kind: z.literal("failed"), code: z.custom<ErrorCode>(isErrorCode), message: z.string(), spent: Spent }),
]);
type TaskOutput = z.infer<typeof TaskOutput>;

const Texts = z.array(z.string());
const Passages = z.array(z.object({ text: z.string(), score: z.number(), start: z.number(), end: z.number() }));
const OUTPUTS: Record<TextTask, z.ZodType> = {
  redact: Texts,
  compare: z.looseObject({ isSame: z.boolean(), isCut: z.boolean() }),
  diff: z.object({ diff: z.looseObject({ text: z.string() }), isCut: z.boolean() }),
  passages: Passages,
  plainPassages: Passages,
  distinctPassages: Passages,
  centralPassages: Passages,
  highlights: Passages,
  evidence: z.array(z.looseObject({ field: z.string(), url: z.string() })),
  answer: z.object({ text: z.string(), isFound: z.boolean() }),
  chunks: z.object({ passages: z.custom(isListOfPassages), count: z.number() }),
  menu: z.looseObject({ isMenu: z.boolean(), confidence: z.number(), sections: z.array(z.unknown()) }),
  promptInjection: Texts,
  links: z.object({ title: z.string(), description: z.string(), links: z.custom(isListOfPages) }),
  sitemap: z.object({
    urls: z.custom(isListOfPages),
    sitemaps: Texts,
    problems: Texts,
    bytesRead: z.number(),
  }),
};

/** Tens of thousands of entries, for which a schema takes a tenth of a second. */
function isListOfPages(value: unknown): boolean {
  const isPage = (entry: unknown): boolean =>
    typeof entry === "object" && entry !== null && "url" in entry && typeof entry.url === "string";
  return Array.isArray(value) && value.every(isPage);
}

function isListOfPassages(value: unknown): boolean {
  const isPassage = (entry: unknown): boolean =>
    typeof entry === "object" && entry !== null && "start" in entry && "end" in entry && "headings" in entry;
  return Array.isArray(value) && value.every(isPassage);
}

/**
 * Returns a function that runs tasks on large texts in a runner, in the order of the pages that are read there, and
 * tasks on small texts here. The function throws SCRAPE_TIMEOUT when the limit is reached.
 */
export function textTasksApart(tools: ReadApartTools, owner: Owner, limit?: WaitLimit): RunTextTask {
  return async <Name extends TextTask>(
    name: Name,
    input: TextTaskInput<Name>,
    budget = new WorkBudget(),
  ): Promise<TextTaskOutput<Name>> => {
    if (weightOf(name, input, SMALL_LENGTH) < SMALL_LENGTH) return await runTextTaskHere(name, input, budget);
    return await inFairOrder(tools, { owner, limit }, () =>
      runTask(tools, { name, input }, { budget, deadlineMs: limit?.deadlineMs }),
    );
  };
}

async function runTask<Name extends TextTask>(
  tools: ReadApartTools,
  { name, input }: { name: Name; input: TextTaskInput<Name> },
  { budget, deadlineMs }: { budget: WorkBudget; deadlineMs: number | undefined },
): Promise<TextTaskOutput<Name>> {
  const fail = (error: unknown): never => {
    if (isAppError(error)) throw error;
    tools.log({ event: "text_task_failed", task: name, message: String(error) });
    throw new AppError("SERVICE_UNAVAILABLE", "This text could not be read; try again in a moment", { cause: error });
  };
  const asked: TaskInput<Name> = { name, input, limits: { ...budget.left, timeMs: READING_MS } };
  const ended = await runApart(tools, { method: "task", input: asked, deadlineMs }).catch(fail);
  if (ended.kind === "stopped") throw stopError("text", ended.reason);
  const { success, data } = TaskOutput.safeParse(ended.value);
  if (!success) return fail(new Error("The page reader returned an unknown response"));
  budget.take(data.spent.steps);
  budget.takeBytes(data.spent.bytes);
  for (const part of data.spent.cut) budget.cut(part);
  if (data.kind === "failed") throw new AppError(data.code, data.message);
  if (!OUTPUTS[name].safeParse(data.value).success) return fail(new Error(`The result of ${name} has an unknown form`));
  return data.value as TextTaskOutput<Name>;
}
