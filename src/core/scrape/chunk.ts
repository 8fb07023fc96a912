import { z } from "zod";

/** A passage of a page for retrieval, by the format `chunks`. */
export const Chunk = z.object({
  id: z
    .string()
    .describe(
      "ID of the chunk: the same for the same text under the same headings of the same URL, whenever it is scraped.",
    ),
  index: z.int().describe("Position among the chunks of the page, from 0."),
  text: z.string().describe("Text of the chunk: `markdown` from `start` to `end`."),
  headings: z.array(z.string()).describe("Headings above the text, the outermost first."),
  start: z.int().describe("First character of the chunk in the Markdown, in UTF-16 code units."),
  end: z.int().describe("Character after the last one of the chunk in the Markdown."),
  tokens: z.int().describe("Tokens of the text, as `tokenizer` counts them."),
  url: z.string().describe("URL of the page after redirects."),
  fingerprint: z.string().describe("SHA-256 of the Markdown of the whole page; it changes when the page does."),
});
export type Chunk = z.infer<typeof Chunk>;
