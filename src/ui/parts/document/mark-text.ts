import type { Piece } from "./cut-text.ts";

/** A passage of a text to highlight: offsets in UTF-16 units. */
export interface TextMark {
  /** Number of the mark, below `MAX_MARKS`. Passages with the same place share one. */
  id: number;
  start: number;
  end: number;
}

/** Characters of a private use area that mark passages while Markdown is rendered. */
const FIRST_ID = 0xe100;
export const MAX_MARKS = 0x1000;
const END = "\uE001";
const PRIVATE = /[\uE000-\uF8FF]/g;

/** Returns the Markdown of a piece with its marked passages between private characters. */
export function markPiece({ text, start, before, after }: Piece, marks: readonly TextMark[]): string {
  const inside = marks
    .filter((mark) => mark.start >= start && mark.end <= start + text.length && mark.end > mark.start)
    .filter(({ id }) => id < MAX_MARKS)
    .toSorted((one, other) => one.start - other.start);
  if (inside.length === 0) return `${before}${text}${after}`;
  const plain = text.replaceAll(PRIVATE, "\uFFFD");
  let marked = "";
  let at = 0;
  for (const mark of inside) {
    const from = mark.start - start;
    // Of overlapping passages the first one is marked.
    if (from < at) continue;
    const to = mark.end - start;
    marked += `${plain.slice(at, from)}${String.fromCodePoint(FIRST_ID + mark.id)}${plain.slice(from, to)}${END}`;
    at = to;
  }
  return `${before}${marked}${plain.slice(at)}${after}`;
}

/** Returns the index of the piece that contains an offset. */
export function pieceAt(pieces: readonly Piece[], offset: number): number {
  const at = pieces.findIndex(({ start, text }) => offset < start + text.length);
  return at === -1 ? Math.max(0, pieces.length - 1) : at;
}

const MARKER = /[\uE001\uE100-\uF0FF]/;

/** A part of a text: marked with an ID, or not. */
export interface MarkedPart {
  text: string;
  id: number | undefined;
}

/** Splits a text at its marks. @param open The mark that is open before the text. */
export function splitMarked(text: string, open: number | undefined): { parts: MarkedPart[]; open: number | undefined } {
  const parts: MarkedPart[] = [];
  let id = open;
  for (let rest = text; rest !== "";) {
    const at = rest.search(MARKER);
    const piece = at === -1 ? rest : rest.slice(0, at);
    if (piece !== "") parts.push({ text: piece, id });
    if (at === -1) break;
    const code = rest.charCodeAt(at);
    id = code === END.charCodeAt(0) ? undefined : code - FIRST_ID;
    rest = rest.slice(at + 1);
  }
  return { parts, open: id };
}
