import type { ElementNode } from "../html/tree/tree.ts";
import { relaxSigns } from "./inline/lone-signs.ts";
import type { MarkdownPage } from "./page.ts";

/** A piece of markdown between blank lines. */
export interface Block {
  kind: "text" | "heading" | "list" | "quote" | "code" | "table" | "rule" | "formula";
  text: string;
}

/** The part of the flow that rules of blocks write to. */
export interface BlockWriter {
  readonly page: MarkdownPage;
  /** Number of lists and quotes around. */
  readonly nesting: number;
  /** Returns the blocks of an element's content. */
  blocksOf(element: ElementNode, nesting: number): Block[];
}

/** Lists and quotes deeper than this are placed side by side: every level adds white space to each of its lines. */
export const MAX_NESTING = 8;

export function joinBlocks(blocks: readonly Block[]): string {
  return blocks.map(finishedText).join("\n\n");
}

/** Returns a block's text when nothing more will be added to it. */
export function finishedText({ kind, text }: Block): string {
  return kind === "text" || kind === "heading" ? relaxSigns(text) : text;
}
