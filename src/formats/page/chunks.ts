import { z } from "zod";
import type { Chunk } from "../../core/scrape/chunk.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { defineFormat } from "../format.ts";

const MAX_CHUNKS = 10_000;

/** Returns the content of the page as passages for retrieval, each with the headings above it. */
export const chunks = defineFormat({
  type: "chunks",
  request: z
    .strictObject({
      type: z.literal("chunks").describe("Returns the Markdown of the page in passages for retrieval, in `chunks`."),
      maxTokens: z.int().min(20).max(8_000).default(400).describe("Most tokens of a chunk, 20 to 8,000. Default: 400."),
      overlapTokens: z
        .int()
        .min(0)
        .max(2_000)
        .default(0)
        .describe(
          "Tokens from the end of a chunk that the next chunk of the same section repeats, in whole paragraphs, at most. At most half of `maxTokens`. Default: 0.",
        ),
      tokenizer: z
        .enum(["estimate", "characters", "bytes"])
        .default("estimate")
        .describe(
          "How tokens are counted: `estimate` is within about 10 % of the tokenizer o200k_base, `characters` counts UTF-16 code units, `bytes` counts UTF-8 bytes. Default: estimate.",
        ),
    })
    .refine(({ maxTokens, overlapTokens }) => overlapTokens <= maxTokens / 2, {
      path: ["overlapTokens"],
      message: "overlapTokens must be at most half of maxTokens",
    }),
  needs: [],
  credits: 0,
  async derive(page, { maxTokens, overlapTokens, tokenizer }, { removeBase64Images, task, warn }) {
    const markdown = page.markdown({ removeBase64Images });
    const { url } = page.loaded;
    const fingerprint = await sha256Hex(markdown);
    const asked = { text: markdown, url, maxTokens, overlapTokens, tokenizer, maxChunks: MAX_CHUNKS };
    const { passages, count } = await task("chunks", asked, page.budget);
    if (count > passages.length) {
      const cut = passages.at(-1)?.end ?? 0;
      warn(
        `chunks: the page has ${count} chunks, of which the first ${MAX_CHUNKS} are returned, up to character ${cut} of the Markdown. A larger maxTokens makes fewer.`,
      );
    }
    return {
      chunks: passages.map(({ id, start, end, headings, tokens }, index): Chunk => {
        return { id, index, text: markdown.slice(start, end), headings, start, end, tokens, url, fingerprint };
      }),
    };
  },
});
