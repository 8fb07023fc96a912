/** Texts of this length stay whole: names, URLs and values with a form of their own. */
const MIN_CUT = 1_000;

/** Lists are cut when all texts together, the longest of them cut, have more characters. */
const MOST_CHARACTERS = 1_000_000;

export interface Shortened {
  /** The same object when nothing was cut. */
  value: Record<string, unknown>;
  /** Items of lists that were left out. */
  omittedItems: number;
}

/**
 * Cuts the longest texts of a value, so that all texts together have about as many characters as are allowed, and ends its lists where
 * so many short texts are too much. Nothing else changes, so the result fits the same schema. A text that is cut ends with an ellipsis.
 */
export function shortenTexts(value: Record<string, unknown>, maxCharacters: number): Shortened {
  const lengths = textLengths(value);
  const most = longestAllowed(lengths, maxCharacters);
  const isShort = lengths.every((length) => length <= most);
  const cut = isShort ? value : (walkTexts(value, (text) => cutTo(text, most)) as Record<string, unknown>);
  const total = lengths.reduce((sum, length) => sum + Math.min(length, most), 0);
  if (total <= MOST_CHARACTERS) return { value: cut, omittedItems: 0 };
  const lists = new ListCutter(MOST_CHARACTERS);
  return { value: lists.cut(cut) as Record<string, unknown>, omittedItems: lists.omittedItems };
}

function cutTo(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Keeps the items of lists, in their order, until their texts have used up all characters. */
class ListCutter {
  omittedItems = 0;
  #left: number;

  constructor(characters: number) {
    this.#left = characters;
  }

  cut(value: unknown): unknown {
    if (typeof value === "string") this.#left -= value.length;
    if (typeof value !== "object" || value === null) return value;
    if (!Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.cut(item)]));
    const kept: unknown[] = [];
    for (const item of value as unknown[]) {
      if (this.#left <= 0) break;
      kept.push(this.cut(item));
    }
    this.omittedItems += value.length - kept.length;
    return kept;
  }
}

/** The characters of all texts of a value, names of fields left out. */
export function textLength(value: unknown): number {
  return textLengths(value).reduce((sum, length) => sum + length, 0);
}

function textLengths(value: unknown): number[] {
  const lengths: number[] = [];
  walkTexts(value, (text) => {
    lengths.push(text.length);
    return text;
  });
  return lengths;
}

/** The length to which texts are cut, so that their sum is at most `total`. */
function longestAllowed(lengths: number[], total: number): number {
  let left = total;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [place, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - place));
    if (length > share) return Math.max(MIN_CUT, share);
    left -= length;
  }
  return Infinity;
}

function walkTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => walkTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walkTexts(item, change)]));
}
