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
const WIDE_LETTER = /^[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE4F\uFF00-\uFFEF]$/u;

/**
 * Returns the pieces that are letters of vertical text which is drawn letter by letter, as browsers print it: Chinese, Japanese
 * or Korean letters below each other. None when most of the level text of the page is written otherwise. On a page of such text, letters between
 * words of other scripts are vertical too, however few they are.
 */
export function stackedLetters<Text extends PlacedText>(placed: readonly Text[]): Set<Text> {
  const stacked = new Set<Text>();
  const alone: Text[] = [];
  let column: Text[] = [];
  const end = (): void => {
    if (column.length >= MIN_STACKED) for (const letter of column) stacked.add(letter);
    else alone.push(...column);
    column = [];
  };
  for (const next of placed) {
    const last = column.at(-1);
    if (last !== undefined && !isBelow(last, next)) end();
    if (isWideLetter(next)) column.push(next);
  }
  end();
  const level = placed.filter(isLevel);
  const characters = level.reduce((sum, { item }) => sum + item.str.trim().length, 0);
  if (stacked.size * 2 <= characters) return new Set();
  const beside = besideEachOther(placed);
  for (const letter of alone) if (!beside.has(letter)) stacked.add(letter);
  return stacked;
}

/** Returns the pieces that follow each other on a line from left to right. */
function besideEachOther<Text extends PlacedText>(placed: readonly Text[]): Set<Text> {
  const beside = new Set<Text>();
  for (const [at, next] of placed.entries()) {
    const last = placed[at - 1];
    if (last === undefined || !isLevel(last) || !isLevel(next)) continue;
    const size = sizeOf(last.matrix);
    const [along = 0, down = 0] = [4, 5].map((part) => (next.matrix[part] ?? 0) - (last.matrix[part] ?? 0));
    const isNext = Math.abs(down) < size * MAX_SHIFT && along > 0 && along < size * DISTANCE.most;
    if (isNext) for (const piece of [last, next]) beside.add(piece);
  }
  return beside;
}

/** Returns the place of a stacked letter as vertical fonts have it: the middle of its upper edge. */
export function upperMiddle(matrix: readonly number[]): number[] {
  const size = sizeOf(matrix);
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = matrix;
  return [a, b, c, d, x + size / 2, y - size * ABOVE_BASELINE];
}

/** A space follows a letter where words of other scripts do. */
function isWideLetter({ item }: PlacedText): boolean {
  return WIDE_LETTER.test(item.str.trim());
}

function isLevel({ matrix: [a = 0, b = 0] }: PlacedText): boolean {
  return Math.abs(b) < Math.abs(a) * 0.1;
}

function isBelow(above: PlacedText, below: PlacedText): boolean {
  if (!isWideLetter(below)) return false;
  const size = sizeOf(above.matrix);
  const down = (below.matrix[5] ?? 0) - (above.matrix[5] ?? 0);
  const aside = Math.abs((below.matrix[4] ?? 0) - (above.matrix[4] ?? 0));
  return down > size * DISTANCE.least && down < size * DISTANCE.most && aside < size * MAX_SHIFT;
}

function sizeOf(matrix: readonly number[]): number {
  return Math.hypot(matrix[2] ?? 0, matrix[3] ?? 0);
}
