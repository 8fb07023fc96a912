import { keepShape } from "../../core/kept-shapes.ts";
import type { Block } from "./block.ts";
import { escapeLineStart } from "./inline/escape.ts";

/** Terms of a definition list, held until their definition is written. */
export class Terms {
  readonly #blocks: Block[];
  #lines: string[] = [];
  #start = 0;

  constructor(blocks: Block[]) {
    this.#blocks = blocks;
    keepShape(this);
  }

  add(line: string): void {
    if (line !== "") this.#lines.push(escapeLineStart(line, this.#lines.length === 0));
  }

  hold(): void {
    this.#start = this.#blocks.length;
  }

  /** Writes the terms on top of the first paragraph that was added since, or in front of other blocks added since. */
  release(): void {
    if (this.#lines.length === 0) return;
    const first = this.#blocks[this.#start];
    if (first?.kind === "text") {
      const text = escapeLineStart(first.text, false);
      this.#blocks[this.#start] = { kind: "text", text: [...this.#lines, text].join("  \n") };
    } else this.#blocks.splice(this.#start, 0, { kind: "text", text: this.#lines.join("  \n") });
    this.#lines = [];
  }
}
