import { LEFT_OUT, withoutPromptInjection } from "../../content/text/prompt-injection.ts";
import { nextTurn } from "../../core/in-turns.ts";
import type { ReadPage } from "./read-page.ts";

/** A text is searched in pieces of whole lines that are little longer than this: some 10 ms each. */
const PIECE_CHARS = 50_000;
/** Longer lines are cut at the end of a sentence or at a space. */
const MAX_PIECE_CHARS = 2 * PIECE_CHARS;
/** Characters on both sides of a cut that are searched together. */
const SEAM_CHARS = 1_000;
const SENTENCE_END = /[.!?](?=\s)|[。！？]/;

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
  for (let start = 0; start <= markdown.length;) {
    const end = endOfPiece(markdown, start);
    const piece = withoutPromptInjection(markdown.slice(start, end));
    pieces.push(piece.text);
    removed += piece.removed;
    start = end;
    if (isInLine(markdown, end)) {
      const isCut = piece.removed > 0 && piece.text.endsWith(LEFT_OUT);
      const isSeamSuspect = !isCut && withoutPromptInjection(seamAt(markdown, end)).removed > 0;
      if (isSeamSuspect) {
        pieces.push(LEFT_OUT);
        removed++;
      }
      // The rest of the line is left out with the passage.
      if (isCut || isSeamSuspect) start = lineEnd(markdown, end);
    }
    if (!isInLine(markdown, start)) {
      if (start < markdown.length) pieces.push("\n");
      start++;
    }
    await nextTurn();
  }
  // The same text is not kept a second time.
  const safe = { text: removed === 0 ? markdown : pieces.join(""), removed };
  TEXTS.set(page, safe);
  return safe;
}

/** Returns the end of the piece that begins at a position: that of a line, or a place in a line that is too long. */
function endOfPiece(text: string, start: number): number {
  const most = start + MAX_PIECE_CHARS;
  const near = text.slice(start + PIECE_CHARS, most);
  const line = near.indexOf("\n");
  if (line >= 0) return start + PIECE_CHARS + line;
  if (text.length <= most) return text.length;
  const sentence = SENTENCE_END.exec(near);
  const place = sentence === null ? near.indexOf(" ") : sentence.index + 1;
  return place < 0 ? most : start + PIECE_CHARS + place;
}

function isInLine(text: string, at: number): boolean {
  return at < text.length && text[at] !== "\n";
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** Returns the characters of the line around a cut, with single spaces. */
function seamAt(text: string, at: number): string {
  const [before = ""] = text
    .slice(Math.max(0, at - PIECE_CHARS), at)
    .split("\n")
    .slice(-1);
  const [after = ""] = text.slice(at, at + PIECE_CHARS).split("\n", 1);
  const one = (part: string): string => part.replace(/\s+/g, " ");
  return one(before).slice(-SEAM_CHARS) + one(after).slice(0, SEAM_CHARS);
}
