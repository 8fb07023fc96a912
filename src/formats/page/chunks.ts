import { z } from "zod";
import { splitMarkdown } from "../../content/text/split-markdown.ts";
import type { Chunk } from "../../core/scrape/chunk.ts";
import { hash53, sha256Hex } from "../../core/text/hash.ts";
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
  async derive(page, { maxTokens, overlapTokens, tokenizer }, { removeBase64Images, warn }) {
    const markdown = page.markdown({ removeBase64Images });
    const { url } = page.loaded;
    const fingerprint = await sha256Hex(markdown);
    const all = splitMarkdown(markdown, { maxTokens, overlapTokens, tokenizer });
    const passages = all.slice(0, MAX_CHUNKS);
    if (all.length > passages.length) {
      const cut = passages.at(-1)?.end ?? 0;
      warn(
        `chunks: the page has ${all.length} chunks, of which the first ${MAX_CHUNKS} are returned, up to character ${cut} of the Markdown. A larger maxTokens makes fewer.`,
      );
    }
    const ids = new ChunkIds(url);
    return {
      chunks: passages.map(({ start, end, headings, tokens }, index): Chunk => {
        const text = markdown.slice(start, end);
        return { id: ids.idOf(headings, text), index, text, headings, start, end, tokens, url, fingerprint };
      }),
    };
  },
});

/** Names chunks by what they hold: chunks before them do not change their ids. */
class ChunkIds {
  readonly #page: string;
  readonly #seen = new Map<string, number>();

  constructor(url: string) {
    this.#page = url;
  }

  idOf(headings: readonly string[], text: string): string {
    const content = text.replace(/\s+/g, " ");
    const place = `${this.#page}\n${headings.join("\n")}\n`;
    const name = `${hash53(place + content).toString(36)}${hash53(`${content}\n${place}`).toString(36)}`;
    const count = (this.#seen.get(name) ?? 0) + 1;
    this.#seen.set(name, count);
    return count === 1 ? name : `${name}-${count}`;
  }
}
