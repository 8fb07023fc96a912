import { z } from "zod";
import type { LanguageModel } from "../ports/language-model.ts";
import { defineFormat } from "./format.ts";
import { pageRequest, partsFor, type PageText } from "./model/page-question.ts";
import { pageTextOf } from "./model/page-text.ts";
import { withFallback } from "./model/with-fallback.ts";

const QUOTES = 4;
const QUOTE_CHARS = 320;
const TASK =
  "Summarise this page in at most 120 words, in the page's own language, in plain sentences without any introduction.";

/** Returns a short summary of the page. */
export const summary = defineFormat({
  type: "summary",
  request: z.strictObject({ type: z.literal("summary").describe("Returns a summary of the page in `summary`.") }),
  needs: [],
  credits: 0,
  async derive(page, _request, context) {
    const text = pageTextOf(page, context);
    const byRules = "the summary quotes the most central passages of the page";
    return {
      summary: await withFallback(
        context,
        { format: "summary", byRules },
        {
          model: (llm) => summarise(llm, text, context.deadlineMs),
          rules: async () => {
            const wanted = { text: text.text, title: text.title, count: QUOTES, maxChars: QUOTE_CHARS };
            const passages = await context.task("centralPassages", wanted, page.budget);
            return passages.map((passage) => passage.text).join("\n\n");
          },
        },
      ),
    };
  },
});

/** Summarises a long page in parts, and then the summaries. */
async function summarise(llm: LanguageModel, page: PageText, deadlineMs: number): Promise<string> {
  const { parts } = partsFor(llm, page);
  const summaries: string[] = [];
  for (const part of parts) {
    const size = parts.length > 1 ? ("small" as const) : ("large" as const);
    const { text } = await llm.generateText({ ...pageRequest(page, part, { task: TASK, deadlineMs }), size });
    summaries.push(text.trim());
  }
  if (summaries.length <= 1) return summaries[0] ?? "";
  const task = `These are summaries of the parts of one page. ${TASK}`;
  return (await llm.generateText(pageRequest(page, summaries.join("\n\n"), { task, deadlineMs }))).text.trim();
}
