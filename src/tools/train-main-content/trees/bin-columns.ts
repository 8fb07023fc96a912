/**
 * Columns of features as small integers: the number of a column's cut points that are not above a value. Trees are grown
 * on these, as in LightGBM (Ke et al., 2017) and XGBoost's "hist" method.
 */

export interface BinnedColumns {
  rows: number;
  columns: number;
  /** Column after column, one byte a row. */
  bins: Uint8Array;
  /** Ascending cut points of each column: a value that is not less than `cuts[b]` has a bin above `b`. */
  cuts: Float32Array[];
}

export interface Matrix {
  rows: number;
  width: number;
  /** Row after row. */
  values: Float32Array;
}

/** Number of rows that are sampled to choose the cut points of a column. */
const SAMPLE_ROWS = 120_000;

/** Cuts each column where the weight of the rows divides into `maxBins` parts, and at every value when there are fewer. */
export function binColumns(matrices: readonly Matrix[], weights: Float32Array, maxBins: number): BinnedColumns {
  const rows = weights.length;
  const columns = matrices.reduce((sum, { width }) => sum + width, 0);
  const bins = new Uint8Array(new SharedArrayBuffer(rows * columns));
  const sample = sampleRows(weights);
  const cuts: Float32Array[] = [];
  for (const { values, width } of matrices) {
    for (let column = 0; column < width; column++) {
      const own = cutPoints(sample, (row) => values[row * width + column]!, { weights, maxBins });
      const start = cuts.length * rows;
      for (let row = 0; row < rows; row++) bins[start + row] = countBelow(own, values[row * width + column]!);
      cuts.push(own);
    }
  }
  return { rows, columns, bins, cuts };
}

function sampleRows(weights: Float32Array): Int32Array {
  const weighed = Int32Array.from(weights.keys()).filter((row) => weights[row]! > 0);
  const step = Math.max(1, weighed.length / SAMPLE_ROWS);
  return Int32Array.from(
    { length: Math.floor(weighed.length / step) },
    (_, index) => weighed[Math.floor(index * step)]!,
  );
}

function cutPoints(
  sample: Int32Array,
  valueOf: (row: number) => number,
  { weights, maxBins }: { weights: Float32Array; maxBins: number },
): Float32Array {
  const values = Float32Array.from(sample, valueOf);
  const order = Uint32Array.from(sample.keys()).sort((a, b) => values[a]! - values[b]!);
  const total = sample.reduce((sum, row) => sum + weights[row]!, 0);
  const distinct = countDistinct(values, order);
  const perBin = distinct <= maxBins ? 0 : total / maxBins;
  const cuts: number[] = [];
  let filled = 0;
  for (let at = 1; at < order.length; at++) {
    filled += weights[sample[order[at - 1]!]!]!;
    const value = values[order[at]!]!;
    if (value === values[order[at - 1]!]! || filled < perBin) continue;
    cuts.push(value);
    filled = 0;
  }
  return Float32Array.from(cuts.slice(0, maxBins - 1));
}

function countDistinct(values: Float32Array, order: Uint32Array): number {
  let distinct = 1;
  for (let at = 1; at < order.length; at++) if (values[order[at]!] !== values[order[at - 1]!]) distinct++;
  return distinct;
}

/** Returns the number of cut points that are not above a value. */
function countBelow(cuts: Float32Array, value: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function joinColumns(left: BinnedColumns, right: BinnedColumns): BinnedColumns {
  const bins = new Uint8Array(new SharedArrayBuffer(left.bins.length + right.bins.length));
  bins.set(left.bins);
  bins.set(right.bins, left.bins.length);
  return {
    rows: left.rows,
    columns: left.columns + right.columns,
    bins,
    cuts: [...left.cuts, ...right.cuts],
  };
}
