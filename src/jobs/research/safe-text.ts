import { withoutPromptInjection } from "../../content/text/prompt-injection.ts";
import { nextTurn } from "../../core/in-turns.ts";
import type { ReadPage } from "./read-page.ts";

/** A text is searched in pieces of whole lines that are little longer than this: some 10 ms each. */
const PIECE_CHARS = 50_000;

interface SafeText {
  text: string;
  /** Number of passages that were left out. */
  removed: number;
}

const TEXTS = new WeakMap<Pick<ReadPage, "markdown">, SafeText>();

/** Returns the markdown of a page without passages that address the reading program. */
export async function safeText(page: Pick<ReadPage, "markdown">): Promise<string> {
  return (await searchedText(page)).text;
}

/**
 * Returns the markdown of a page without passages that address the reading program. A run asks for it after each round
 * of pages; each page is searched for them once, and other requests run meanwhile.
 */
export async function searchedText(page: Pick<ReadPage, "markdown">): Promise<SafeText> {
  const known = TEXTS.get(page);
  if (known !== undefined) return known;
  const { markdown } = page;
  const pieces: string[] = [];
  let removed = 0;
  let start = 0;
  while (start <= markdown.length) {
    const line = markdown.indexOf("\n", start + PIECE_CHARS);
    const end = line < 0 ? markdown.length : line;
    const piece = withoutPromptInjection(markdown.slice(start, end));
    pieces.push(piece.text);
    removed += piece.removed;
    start = end + 1;
    await nextTurn();
  }
  // The same text is not kept a second time.
  const safe = { text: removed === 0 ? markdown : pieces.join("\n"), removed };
  TEXTS.set(page, safe);
  return safe;
}
