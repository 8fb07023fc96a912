import type { ElementNode } from "../html/tree/tree.ts";
import { relaxSigns } from "./inline/lone-signs.ts";
import type { MarkdownPage } from "./page.ts";

/** A piece of markdown that stands between blank lines. */
export interface Block {
  kind: "text" | "heading" | "list" | "quote" | "code" | "table" | "rule" | "formula";
  text: string;
}

/** What rules of blocks use of the flow that they write into. */
export interface BlockWriter {
  readonly page: MarkdownPage;
  /** How many lists and quotes are around. */
  readonly nesting: number;
  /** Blocks of what an element holds. */
  blocksOf(element: ElementNode, nesting: number): Block[];
}

/** Lists and quotes deeper than this are laid side by side: every level costs each of its lines more white space. */
export const MAX_NESTING = 8;

export function joinBlocks(blocks: readonly Block[]): string {
  return blocks.map(finishedText).join("\n\n");
}

/** A block's text, now that nothing will be added to it. */
export function finishedText({ kind, text }: Block): string {
  return kind === "text" || kind === "heading" ? relaxSigns(text) : text;
}
