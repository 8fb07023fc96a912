import type { PdfOptions } from "../../document-content.ts";
import { partToMarkdown } from "../../html/html-to-markdown.ts";
import { escapeHtml } from "../../html/html-text.ts";
import { toPageHtml } from "../../vision/vision-text.ts";
import type { Block } from "../block.ts";
import { type BlockWriters, blocksToHtml, mergedTable } from "./blocks-to-html.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { Aside, PageText } from "../text-run.ts";

type Table = Extract<Block, { type: "table" }>;

/** Delimits a placeholder for Markdown in HTML that is converted to Markdown: a private-use character, which text does not contain here. */
const PIECE_MARK = "\uE0FF";
const MARKED_PIECE = /\uE0FF(\d+)\uE0FF/g;

/** Characters of HTML that are converted at once, at least. */
const PART_LENGTH = 100_000;

/** Pages that are written as one text, or one page that a vision model wrote. */
export class WrittenStretch {
  readonly #words: Vocabulary;
  readonly #url: string;
  readonly #tables: PdfOptions["tables"];
  /** Markdown of the pages before those of `#marked`. */
  readonly #markdown: string[] = [];
  /** HTML of the last pages with marks for the pieces that stand in the Markdown as they are. */
  #marked: string[] = [];
  #markedLength = 0;
  #endsWithList = false;
  /** HTML of each page without marks. */
  readonly #html: string[] = [];
  readonly #pieces: string[] = [];
  #written: string | undefined;

  constructor({ words, url, tables }: { words: Vocabulary; url: string; tables: PdfOptions["tables"] }) {
    this.#words = words;
    this.#url = url;
    this.#tables = tables;
  }

  add(page: PageText, blocks: readonly Block[]): void {
    if (page.written !== undefined) {
      this.#written = page.written;
      return;
    }
    const isApart = !this.#endsWithList || (blocks[0] !== undefined && blocks[0].type !== "list");
    if (this.#markedLength > PART_LENGTH && isApart) this.#endPart();
    const write = (writers: BlockWriters): string =>
      blocksToHtml(blocks, this.#words, writers) + asidesToHtml(page.asides);
    const keep = (piece: string): string => `<p>${PIECE_MARK}${this.#pieces.push(piece) - 1}${PIECE_MARK}</p>`;
    const merged = (cells: Table["cells"]): string => mergedTable(cells, this.#words);
    const isHtml = this.#tables === "html";
    const before = this.#pieces.length;
    const marked = write({
      ...(isHtml ? { table: (cells) => keep(merged(cells)) } : {}),
      formula: (latex) => keep(`$$${latex}$$`),
    });
    this.#marked.push(marked);
    this.#markedLength += marked.length;
    // A page without text parts no lists.
    if (marked.trim() !== "") this.#endsWithList = marked.endsWith("</ul>") || marked.endsWith("</ol>");
    // Without pieces both are the same.
    this.#html.push(this.#pieces.length === before ? marked : write(isHtml ? { table: merged } : {}));
  }

  /** Returns the text of all pages that were added. */
  end(): { markdown: string; html: string } {
    if (this.#written !== undefined) return { markdown: this.#written, html: toPageHtml(this.#written, this.#url) };
    this.#endPart();
    const markdown = this.#markdown.join("\n\n").trim();
    return {
      markdown: markdown.replace(MARKED_PIECE, (_, at: string) => this.#pieces[Number(at)] ?? ""),
      html: this.#html.join("\n"),
    };
  }

  /** Converts the HTML since the last part, so that the tree of a long document is not in memory as a whole. */
  #endPart(): void {
    const markdown = partToMarkdown(this.#marked.join("\n"), this.#url);
    if (markdown !== "") this.#markdown.push(markdown);
    this.#marked = [];
    this.#markedLength = 0;
  }
}

function asidesToHtml(asides: readonly Aside[]): string {
  const text = asides
    .map((aside) => aside.text)
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
  return text === "" ? "" : `\n<p>${escapeHtml(text)}</p>`;
}
