/** Texts of this length stay whole: names, URLs and values with a form of their own. */
const MIN_CUT = 1_000;

/**
 * Cuts the longest texts of a value, so that all texts together have about as many characters as are allowed. Nothing else
 * changes, so the result fits the same schema. A text that is cut ends with an ellipsis.
 */
export function shortenTexts(value: Record<string, unknown>, maxCharacters: number): Record<string, unknown> {
  const lengths = textLengths(value);
  const most = longestAllowed(lengths, maxCharacters);
  if (lengths.every((length) => length <= most)) return value;
  return walkTexts(value, (text) => (text.length > most ? `${text.slice(0, most)}…` : text)) as Record<string, unknown>;
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
