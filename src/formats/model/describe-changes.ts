import type { FormatContext } from "../format.ts";
import { extractObject } from "./extract-object.ts";
import { withFallback } from "./with-fallback.ts";

const TASK =
  "The text is a patch: lines that begin with - stood on the page before, lines that begin with + stand there now. Say which facts changed: one property for each, named after the fact, whose value is an object with previous and current.";

/** Describes a page's changes with a model when no schema defines the fields. Without a model they are left out. */
export async function describeChanges(
  { url, diff, prompt = "" }: { url: string; diff: string; prompt?: string | undefined },
  context: FormatContext,
): Promise<unknown> {
  return await withFallback<unknown>(
    context,
    { format: "changeTracking", byRules: "without a schema json was left out, git-diff shows the changes" },
    {
      rules: () => undefined,
      model: async (llm) => {
        const requested = {
          schema: undefined,
          prompt: prompt === "" ? TASK : `${TASK}\n${prompt}`,
          candidates: undefined,
          deadlineMs: context.deadlineMs,
        };
        const { value, isCut } = await extractObject(llm, { url, title: "", text: diff }, requested);
        if (isCut)
          context.warn("changeTracking: the changes are longer than what the language model was given of them.");
        return value ?? {};
      },
    },
  );
}
