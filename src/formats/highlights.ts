import { z } from "zod";
import type { PageView } from "../content/page-view.ts";
import { defineFormat, type FormatContext } from "./format.ts";
import { chooseQuotes, joinQuotes } from "./model/answer-question.ts";
import { pageTextOf } from "./model/page-text.ts";
import { withFallback } from "./model/with-fallback.ts";

/** Credits of a format that quotes one page. Rules that find nothing refund them. */
const HIGHLIGHT_CREDITS = 4;

/** Returns the passages of the page that fit a query best, verbatim. */
export const highlights = defineFormat({
  type: "highlights",
  request: z.strictObject({
    type: z
      .literal("highlights")
      .describe("Returns the passages of the page that match the query best in `highlights`."),
    query: z.string().min(1).max(10_000).describe("What the passages should be about, 1 to 10,000 characters."),
  }),
  needs: [],
  credits: HIGHLIGHT_CREDITS,
  derive: async (page, { query }, context) => ({
    highlights: await quotesOf(page, query, { format: "highlights", context }),
  }),
});

/** Returns passages that a model selected, or that rank first; always verbatim. */
export async function quotesOf(
  page: PageView,
  asked: string,
  { format, context }: { format: string; context: FormatContext },
): Promise<string> {
  const text = pageTextOf(page, context);
  const quotes = await withFallback(
    context,
    { format, byRules: "the passages were chosen by the words of the query" },
    {
      model: (llm) => chooseQuotes(llm, text, { question: asked, ...context }),
      rules: async () => {
        const { title, text: markdown } = text;
        const passages = await context.task("highlights", { title, text: markdown, query: asked }, page.budget);
        if (passages.length === 0) context.refund(HIGHLIGHT_CREDITS);
        return passages;
      },
    },
  );
  if (quotes.length === 0) context.warn(`${format}: no passage of the page fits the query.`);
  return joinQuotes(quotes);
}
