import { z } from "zod";
import type { PageView } from "../content/page-view.ts";
import { defineFormat, type FormatContext } from "./format.ts";
import { answerQuestion } from "./model/answer-question.ts";
import { pageTextOf } from "./model/page-text.ts";
import { withFallback } from "./model/with-fallback.ts";

/** Credits of a format that answers from one page. Rules that find nothing refund them. */
export const ANSWER_CREDITS = 4;

/** Answers a question about the page from its text. */
export const question = defineFormat({
  type: "question",
  request: z.strictObject({
    type: z.literal("question").describe("Answers a question about the page in `answer`."),
    question: z.string().min(1).max(10_000).describe("Question to answer from the page, 1 to 10,000 characters."),
  }),
  needs: [],
  credits: ANSWER_CREDITS,
  reads: ({ question: asked }) => [{ name: "answer", question: asked }],
  derive: async (page, { question: asked }, context) => ({
    answer: await answerOf(page, asked, { format: "question", context }),
  }),
});

/** Returns the model's answer; without a model, the value or the passages of the page that answer, or that none does. */
export async function answerOf(
  page: PageView,
  asked: string,
  { format, context }: { format: string; context: FormatContext },
): Promise<string> {
  const text = pageTextOf(page, context);
  return await withFallback(
    context,
    { format, byRules: "the question was answered by rules from what the page states" },
    {
      model: (llm) => answerQuestion(llm, text, { question: asked, ...context }),
      rules: async () => {
        const answer = await page.answer(asked);
        if (!answer.isFound) {
          context.warn(`${format}: the page does not answer the question; the format costs no credits.`);
          context.refund(ANSWER_CREDITS);
        }
        return answer.text;
      },
    },
  );
}
