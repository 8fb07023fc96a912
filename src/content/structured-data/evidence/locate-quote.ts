import { atOnce, type Turns } from "../../../core/in-turns.ts";
import { foldText } from "../../../core/search/words.ts";

/** A stretch of a text in UTF-16 units. */
export interface Stretch {
  start: number;
  end: number;
}

/** Marks of markdown and differences of spacing or quotation marks, which are invisible to a reader. */
const UNSEEN = /[\s\u00a0\u200b\\*_`#>|[\]]/;
const SAME: Record<string, string> = { "“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "−": "-" };
const MIN_CHARS = 1;
/** A longer quote is the same wherever it stands. */
const MAX_CHECKED_CHARS = 12;
/** Places within words and numbers that are passed over. */
const MAX_TRIES = 1_000;
/** Characters of a long quote that are searched for; the rest is compared where they stand. */
const SEARCHED_CHARS = 200;
/** Places at which the rest of a long quote is compared: a text that repeats itself may have any number of them. */
export const MAX_COMPARED_PLACES = 100;
/** In longer texts quotes are only found verbatim. */
const MAX_SQUEEZED_CHARS = 2_000_000;

/** A text prepared for locating quotes in it; prepared once per text. */
export class QuotedText {
  readonly text: string;
  #squeezed: SqueezedText | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Locates a quote: verbatim, or with other white space, quotation marks and marks of markdown.
   * @returns undefined when the text does not hold it.
   */
  find(quote: string): Stretch | undefined {
    return atOnce(this.findInTurns(quote));
  }

  /** As `find`, for a text that is prepared in turns. */
  *findInTurns(quote: string): Turns<Stretch | undefined> {
    const exact = quote.trim();
    if (exact.length < MIN_CHARS) return undefined;
    const start = this.#wordStart(exact);
    if (start >= 0) return { start, end: start + exact.length };
    if (this.text.length > MAX_SQUEEZED_CHARS) return undefined;
    const wanted = squeeze(exact);
    if (wanted.length < 6) return undefined;
    const squeezed = (this.#squeezed ??= yield* SqueezedText.of(this.text));
    const index = indexOfLong(squeezed.text, wanted);
    if (index < 0) return undefined;
    return { start: squeezed.placeOf(index), end: squeezed.placeOf(index + wanted.length - 1) + 1 };
  }

  /** Returns a quote's position outside of words and numbers: short quotes must not match within one; -1 for none. */
  #wordStart(quote: string): number {
    if (quote.length >= MAX_CHECKED_CHARS) return indexOfLong(this.text, quote);
    let index = this.text.indexOf(quote);
    for (let tries = 0; index >= 0 && tries < MAX_TRIES; tries++) {
      const before = this.text[index - 1] ?? " ";
      const after = this.text[index + quote.length] ?? " ";
      const cuts =
        (isWordPart(before) && isWordPart(quote[0] ?? "")) || (isWordPart(after) && isWordPart(quote.at(-1) ?? ""));
      if (!cuts && !this.#cutsNumber(index, quote)) return index;
      index = this.text.indexOf(quote, index + 1);
    }
    return -1;
  }

  /** `299` is not in `1,299.00`. */
  #cutsNumber(index: number, quote: string): boolean {
    const before = /\d[.,]$/.test(this.text.slice(Math.max(0, index - 2), index));
    const after = /^[.,]\d/.test(this.text.slice(index + quote.length, index + quote.length + 2));
    return (before && /^\d/.test(quote)) || (after && /\d$/.test(quote));
  }
}

/** Returns the place of a quote; -1 for none, and for one behind too many places that begin alike. */
function indexOfLong(text: string, quote: string): number {
  const start = quote.slice(0, SEARCHED_CHARS);
  let index = text.indexOf(start);
  for (let places = 0; index >= 0 && places < MAX_COMPARED_PLACES; places++) {
    if (text.startsWith(quote, index)) return index;
    index = text.indexOf(start, index + 1);
  }
  return -1;
}

function isWordPart(sign: string): boolean {
  return /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u.test(sign);
}

/** Characters of a piece of a text. */
const PIECE = 256;
/** Characters that are squeezed in one turn. */
const TURN_CHARS = 200 * PIECE;

/** A text without its invisible differences. Remembers the place of each piece only: a map of all takes more than the text. */
class SqueezedText {
  readonly text: string;
  readonly #original: string;
  /** Places in the squeezed text at which the pieces of the original begin. */
  readonly #starts: readonly number[];

  private constructor(original: string, { text, starts }: { text: string; starts: readonly number[] }) {
    this.#original = original;
    this.text = text;
    this.#starts = starts;
  }

  static *of(original: string): Turns<SqueezedText> {
    const pieces: string[] = [];
    const starts: number[] = [];
    let length = 0;
    for (let from = 0; from < original.length; from += PIECE) {
      if (from % TURN_CHARS === 0 && from > 0) yield;
      const piece = squeeze(original.slice(from, from + PIECE));
      starts.push(length);
      pieces.push(piece);
      length += piece.length;
    }
    return new SqueezedText(original, { text: pieces.join(""), starts });
  }

  /** Returns the place in the original of a character of the squeezed text. */
  placeOf(index: number): number {
    const piece = this.#starts.findLastIndex((start) => start <= index);
    let left = index - (this.#starts[piece] ?? 0);
    let place = piece * PIECE;
    while (place < this.#original.length && (left -= squeeze(this.#original[place] ?? "").length) >= 0) place++;
    return place;
  }
}

/** Squeezes each code unit by itself, so that a text can be squeezed in pieces. */
function squeeze(text: string): string {
  let squeezed = "";
  for (let index = 0; index < text.length; index++) {
    const sign = text[index] ?? "";
    if (!UNSEEN.test(sign)) squeezed += foldText(SAME[sign] ?? sign);
  }
  return squeezed;
}
