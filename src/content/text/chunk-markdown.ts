import { hash53 } from "../../core/text/hash.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { splitMarkdown, type Passage, type SplitOptions } from "./split-markdown.ts";

/** A passage with a name that depends on the page, the headings above it and its text. */
export interface NamedPassage extends Passage {
  id: string;
}

interface ChunkOptions extends SplitOptions {
  /** URL of the page. */
  url: string;
  /** Passages that are returned at most. */
  maxChunks: number;
}

/** Returns the first passages of a page's Markdown, and the number of all of them. */
export function chunkMarkdown(
  markdown: string,
  { url, maxChunks, ...options }: ChunkOptions,
  budget: WorkBudget,
): { passages: NamedPassage[]; count: number } {
  const all = splitMarkdown(markdown, options, budget);
  const ids = new ChunkIds(url);
  const passages = all.slice(0, maxChunks).map((passage) => {
    return { ...passage, id: ids.idOf(passage.headings, markdown.slice(passage.start, passage.end)) };
  });
  return { passages, count: all.length };
}

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
