import { RichBlocks } from "./rich-blocks.ts";

/** Tables within tables that are told apart; the cells of deeper ones are cells of the last. */
const MAX_TABLE_DEPTH = 8;

/** Blocks of a text and of the tables within its tables. */
export class NestedBlocks {
  readonly #levels = [new RichBlocks()];

  /**
   * Returns the blocks of a depth of tables: 0 outside of them, 1 in a table, more in tables within its cells. Deeper tables end, and become
   * content of the cell that holds them.
   */
  at(depth: number): RichBlocks {
    const wanted = Math.min(MAX_TABLE_DEPTH, Math.max(1, depth));
    while (this.#levels.length < wanted) this.#levels.push(new RichBlocks(true));
    while (this.#levels.length > wanted) {
      const inner = this.#levels.pop();
      this.#levels.at(-1)?.addBlock(inner?.toHtml() ?? "", true);
    }
    return this.#levels.at(-1) ?? new RichBlocks();
  }

  /** Returns the blocks of the deepest table within another one. */
  innermost(): RichBlocks {
    return this.at(Math.max(2, this.#levels.length));
  }

  toHtml(): string {
    return this.at(0).toHtml();
  }
}

/** Returns blocks that are a single paragraph without its element, for a place within a line. */
export function withoutParagraph(html: string): string {
  return html.replace(/^<p>((?:(?!<p>).)*)<\/p>$/s, "$1");
}
