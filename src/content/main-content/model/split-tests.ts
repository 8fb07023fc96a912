/**
 * The splits of all trees, each distinct one once, and their results for up to 32 rows at a time: a bit for each row,
 * the highest one for the first. Few tests separate the rows of a group, as neighbours on a page are alike: the bounds
 * of a column decide most of them, and of the others only those are evaluated that a tree reaches.
 */
export const GROUP_ROWS = 32;

/**
 * The columns and the thresholds that they are compared with. A value passes when it is not less than the threshold.
 */
export interface SplitTests {
  /** The column of each feature. */
  columns: Int32Array;
  /** The first test of each feature, and behind them the number of tests. */
  starts: Int32Array;
  /** The threshold of each test as an ordered integer, ascending within a feature. */
  keys: Int32Array;
  /** The feature of each test. */
  features: Uint8Array;
  /** Bits of the rows last read that pass each test, or `UNKNOWN`. */
  answers: Int32Array;
  /**
   * The bits of the value that all rows read last have of a feature: if the next ones have it too, the answers stay.
   */
  constants: Int32Array;
}

/** A result that is not known yet. When a real result has this value, the test is only run again. */
export const UNKNOWN = 0x5a5a5a5a;

/** A value that no number's bits have. */
const NOT_CONSTANT = -1;
const MAX_FEATURES = 256;
const LEAST_INTEGER = -0x80000000;
const LARGEST_INTEGER = 0x7fffffff;

/** The rows that were read last, feature after feature, as ordered integers. */
const values = new Int32Array(MAX_FEATURES * GROUP_ROWS);

/** `thresholds` are those of each feature, in ascending order. */
export function collectTests(columns: readonly number[], thresholds: readonly Float32Array[]): SplitTests {
  const starts = [0];
  let total = 0;
  for (const { length } of thresholds) starts.push((total += length));
  return {
    columns: Int32Array.from(columns),
    starts: Int32Array.from(starts),
    keys: Int32Array.from(thresholds.flatMap((ofFeature) => thresholdKeys(ofFeature))),
    features: Uint8Array.from(thresholds.flatMap(({ length }, feature) => Array<number>(length).fill(feature))),
    answers: new Int32Array(total),
    constants: new Int32Array(columns.length).fill(NOT_CONSTANT),
  };
}

/** Returns the keys of thresholds. 0 becomes the integer of -0, the one below, as -0 passes too. */
function thresholdKeys(thresholds: Float32Array): number[] {
  return [...new Int32Array(Float32Array.from(thresholds).buffer)].map((bits) => (bits === 0 ? -1 : toOrdered(bits)));
}

/** Orders the bits of 32-bit floats: they compare as integers do, but those of negative ones the other way round. */
function toOrdered(bits: number): number {
  return bits ^ ((bits >> 31) & LARGEST_INTEGER);
}

export interface RowGroup {
  /** The bits of a matrix of 32-bit floats. */
  bits: Int32Array;
  /** Start of each row. */
  offsets: Int32Array;
  /** Number of rows, 1 to 32. */
  count: number;
}

export function readRows(tests: SplitTests, group: RowGroup): void {
  const { columns, constants } = tests;
  for (let feature = 0; feature < columns.length; feature++) {
    const { common, any } = readColumn(group, columns[feature]!, feature * GROUP_ROWS);
    const constant = common === any ? any : NOT_CONSTANT;
    if (constant === constants[feature] && constant !== NOT_CONSTANT) continue;
    constants[feature] = constant;
    // Without a sign none is less than the bits that all have, or more than the bits that any has.
    if (any >= 0) answerByBounds(tests, feature, common, any);
    else readSigned(tests, feature, feature * GROUP_ROWS + group.count);
  }
}

/**
 * Reads a column, four rows at a time, as this is a quarter of the whole work. Returns the bits that all values have,
 * and that any has.
 */
function readColumn(
  { bits, offsets, count }: RowGroup,
  column: number,
  start: number,
): { common: number; any: number } {
  let common = -1;
  let any = 0;
  let row = 0;
  for (; row + 3 < count; row += 4) {
    const first = bits[offsets[row]! + column]!;
    const second = bits[offsets[row + 1]! + column]!;
    const third = bits[offsets[row + 2]! + column]!;
    const fourth = bits[offsets[row + 3]! + column]!;
    values[start + row] = first;
    values[start + row + 1] = second;
    values[start + row + 2] = third;
    values[start + row + 3] = fourth;
    common &= first & second & third & fourth;
    any |= first | second | third | fourth;
  }
  for (; row < count; row++) {
    const value = bits[offsets[row]! + column]!;
    values[start + row] = value;
    common &= value;
    any |= value;
  }
  return { common, any };
}

function readSigned(tests: SplitTests, feature: number, end: number): void {
  let least = LARGEST_INTEGER;
  let most = LEAST_INTEGER;
  for (let at = feature * GROUP_ROWS; at < end; at++) {
    const value = toOrdered(values[at]!);
    values[at] = value;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  answerByBounds(tests, feature, least, most);
}

// oxlint-disable-next-line eslint/max-params -- called for every feature of every group
function answerByBounds({ starts, keys, answers }: SplitTests, feature: number, least: number, most: number): void {
  const end = starts[feature + 1]!;
  let test = starts[feature]!;
  while (test < end && keys[test]! <= least) answers[test++] = -1;
  while (test < end && keys[test]! <= most) answers[test++] = UNKNOWN;
  while (test < end) answers[test++] = 0;
}

/** Runs a test on the first `count` rows. */
export function answerTest({ keys, features, answers }: SplitTests, test: number, count: number): number {
  const key = keys[test]!;
  const start = features[test]! * GROUP_ROWS;
  let passed = 0;
  for (let at = start; at < start + count; at++) passed = (passed << 1) | Number(values[at]! >= key);
  passed <<= GROUP_ROWS - count;
  answers[test] = passed;
  return passed;
}
