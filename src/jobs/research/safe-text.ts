import { withoutPromptInjection } from "../../content/text/prompt-injection.ts";
import { nextTurn } from "../../core/in-turns.ts";
import type { ReadPage } from "./read-page.ts";

/** A text is searched in pieces of whole lines that are little longer than this: some 10 ms each. */
const PIECE_CHARS = 50_000;

const TEXTS = new WeakMap<Pick<ReadPage, "markdown">, string>();

/**
 * Returns the markdown of a page without passages that address the reading program. A run asks for it after each round
 * of pages; each page is searched for them once, and other requests run meanwhile.
 */
export async function safeText(page: Pick<ReadPage, "markdown">): Promise<string> {
  const known = TEXTS.get(page);
  if (known !== undefined) return known;
  const { markdown } = page;
  const pieces: string[] = [];
  let start = 0;
  while (start <= markdown.length) {
    const line = markdown.indexOf("\n", start + PIECE_CHARS);
    const end = line < 0 ? markdown.length : line;
    pieces.push(withoutPromptInjection(markdown.slice(start, end)).text);
    start = end + 1;
    await nextTurn();
  }
  const text = pieces.join("\n");
  TEXTS.set(page, text);
  return text;
}
