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
/** In longer texts quotes are only found verbatim: the map of positions takes eight bytes a character. */
const MAX_SQUEEZED_CHARS = 2_000_000;

/** A text prepared for locating quotes in it; prepared once per text. */
export class QuotedText {
  readonly text: string;
  #squeezed: { text: string; places: Int32Array } | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Locates a quote: verbatim, or with other white space, quotation marks and marks of markdown.
   * @returns undefined when the text does not hold it.
   */
  find(quote: string): Stretch | undefined {
    const exact = quote.trim();
    if (exact.length < MIN_CHARS) return undefined;
    const start = this.#wordStart(exact);
    if (start >= 0) return { start, end: start + exact.length };
    if (this.text.length > MAX_SQUEEZED_CHARS) return undefined;
    this.#squeezed ??= squeeze(this.text);
    const { text, places } = this.#squeezed;
    const wanted = squeeze(exact).text;
    if (wanted.length < 6) return undefined;
    const index = text.indexOf(wanted);
    if (index < 0) return undefined;
    return { start: places[index] ?? 0, end: (places[index + wanted.length - 1] ?? 0) + 1 };
  }

  /** Returns a quote's position outside of words and numbers: short quotes must not match within one; -1 for none. */
  #wordStart(quote: string): number {
    let index = this.text.indexOf(quote);
    if (quote.length >= MAX_CHECKED_CHARS) return index;
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

function isWordPart(sign: string): boolean {
  return /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u.test(sign);
}

function squeeze(text: string): { text: string; places: Int32Array } {
  const places = new Int32Array(text.length * 2);
  let length = 0;
  let squeezed = "";
  for (let index = 0; index < text.length; index++) {
    const sign = text[index] ?? "";
    if (UNSEEN.test(sign)) continue;
    const folded = foldText(SAME[sign] ?? sign);
    for (let part = 0; part < folded.length && length < places.length; part++) places[length++] = index;
    squeezed += folded;
  }
  return { text: squeezed, places: places.subarray(0, length) };
}
