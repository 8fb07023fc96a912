import { z } from "zod";
import { defineFormat } from "./format.ts";
import { quotesOf } from "./highlights.ts";
import { answerOf } from "./question.ts";

/** The older form of `question` and `highlights`: an answer in words, or in the page's own words. */
export const query = defineFormat({
  type: "query",
  request: z.strictObject({
    type: z.literal("query"),
    prompt: z.string().min(1).max(10_000),
    mode: z.enum(["freeform", "directQuote"]).default("freeform"),
  }),
  needs: [],
  credits: 4,
  derive: async (page, { prompt, mode }, context) => ({
    answer: await (mode === "freeform" ? answerOf : quotesOf)(page, prompt, { format: "query", context }),
  }),
});
