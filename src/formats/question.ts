import { z } from "zod";
import type { PageView } from "../content/page-view.ts";
import { defineFormat, type FormatContext } from "./format.ts";
import { answerQuestion, joinQuotes, quotePassages } from "./model/answer-question.ts";
import { pageTextOf } from "./model/page-text.ts";
import { withFallback } from "./model/with-fallback.ts";

/** Answers a question about the page from its text. */
export const question = defineFormat({
  type: "question",
  request: z.strictObject({
    type: z.literal("question").describe("Answers a question about the page in `answer`."),
    question: z.string().min(1).max(10_000).describe("Question to answer from the page, 1 to 10,000 characters."),
  }),
  needs: [],
  credits: 4,
  derive: async (page, { question: asked }, context) => ({
    answer: await answerOf(page, asked, { format: "question", context }),
  }),
});

/** Returns the model's answer; without a model, the passages that answer best. */
export async function answerOf(
  page: PageView,
  asked: string,
  { format, context }: { format: string; context: FormatContext },
): Promise<string> {
  const text = pageTextOf(page, context);
  const byRules = "the answer quotes the passages of the page that fit the question best";
  return await withFallback(
    context,
    { format, byRules },
    {
      model: (llm) => answerQuestion(llm, text, { question: asked, deadlineMs: context.deadlineMs }),
      rules: () => {
        const quotes = quotePassages(text, asked);
        if (quotes.length === 0) context.warn(`${format}: no passage of the page has any of the question's words.`);
        return joinQuotes(quotes);
      },
    },
  );
}
