/** A piece of text with its place on the page, y from the top. */
export interface PlacedText {
  item: { str: string };
  /** The matrix of its first letter. */
  matrix: readonly number[];
}

/** Letters below each other that are more than a column of a table. */
const MIN_STACKED = 4;
/** Distance of baselines of stacked letters, in multiples of their size. */
const DISTANCE = { least: 0.8, most: 1.7 };
/** Stacked letters are shifted at most so far to a side, in multiples of their size. */
const MAX_SHIFT = 0.25;
/** Share of a letter's height above its baseline. */
const ABOVE_BASELINE = 0.88;
const WIDE_LETTER = /^[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFFEF]$/u;

/**
 * Returns the pieces that are letters of vertical text which is drawn letter by letter, as browsers print it: Chinese, Japanese
 * or Korean letters below each other. None when most of the page is written otherwise.
 */
export function stackedLetters<Text extends PlacedText>(placed: readonly Text[]): Set<Text> {
  const stacked = new Set<Text>();
  let column: Text[] = [];
  for (const next of placed) {
    const last = column.at(-1);
    if (last === undefined || !isBelow(last, next)) {
      if (column.length >= MIN_STACKED) for (const letter of column) stacked.add(letter);
      column = [];
    }
    if (WIDE_LETTER.test(next.item.str)) column.push(next);
  }
  if (column.length >= MIN_STACKED) for (const letter of column) stacked.add(letter);
  const characters = placed.reduce((sum, { item }) => sum + item.str.length, 0);
  return stacked.size * 2 > characters ? stacked : new Set();
}

/** Returns the place of a stacked letter as vertical fonts have it: the middle of its upper edge. */
export function upperMiddle(matrix: readonly number[]): number[] {
  const size = sizeOf(matrix);
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = matrix;
  return [a, b, c, d, x + size / 2, y - size * ABOVE_BASELINE];
}

function isBelow(above: PlacedText, below: PlacedText): boolean {
  if (!WIDE_LETTER.test(below.item.str)) return false;
  const size = sizeOf(above.matrix);
  const down = (below.matrix[5] ?? 0) - (above.matrix[5] ?? 0);
  const aside = Math.abs((below.matrix[4] ?? 0) - (above.matrix[4] ?? 0));
  return down > size * DISTANCE.least && down < size * DISTANCE.most && aside < size * MAX_SHIFT;
}

function sizeOf(matrix: readonly number[]): number {
  return Math.hypot(matrix[2] ?? 0, matrix[3] ?? 0);
}
