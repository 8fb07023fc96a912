import { z } from "zod";
import { defineFormat } from "./format.ts";
import { quotesOf } from "./highlights.ts";
import { ANSWER_CREDITS, answerOf } from "./question.ts";

/** The older form of `question` and `highlights`: an answer, or verbatim passages. */
export const query = defineFormat({
  type: "query",
  request: z.strictObject({
    type: z.literal("query").describe("Older form of `question` and `highlights`; the result is returned in `answer`."),
    prompt: z.string().min(1).max(10_000).describe("Question about the page, 1 to 10,000 characters."),
    mode: z
      .enum(["freeform", "directQuote"])
      .default("freeform")
      .describe("`freeform` answers in own words, `directQuote` quotes the page. Default: freeform."),
  }),
  needs: [],
  credits: ANSWER_CREDITS,
  reads: ({ mode, prompt }) => (mode === "freeform" ? [{ name: "answer", question: prompt }] : []),
  derive: async (page, { prompt, mode }, context) => ({
    answer: await (mode === "freeform" ? answerOf : quotesOf)(page, prompt, { format: "query", context }),
  }),
});
