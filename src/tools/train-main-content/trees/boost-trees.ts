/** Gradient boosting with logistic loss (Friedman, 2001). The same data and parameters give the same trees. */
import type { BinnedColumns } from "./bin-columns.ts";
import { type GrowParameters, TreeGrower, type TreeNode } from "./grow-tree.ts";

export interface BoostParameters extends GrowParameters {
  trees: number;
  learningRate: number;
  /** Share of the columns that each tree sees. */
  columnShare: number;
  /** Share of the rows that each tree sees: rows of small weight are taken seldom, and count more when they are. */
  rowShare: number;
}

export interface Boosted {
  trees: TreeNode[][];
  /** Log-odds of every row, also of those that were not learned from. */
  logOdds: Float32Array;
  /** The same after the first `earlyTrees` trees. */
  earlyLogOdds: Float32Array;
}

export interface Examples {
  data: BinnedColumns;
  labels: Uint8Array;
  /** Rows without weight are not learned from. */
  weights: Float32Array;
}

const SEARCH_STEPS = 40;
const SEED = 20_261_123;

export function boostTrees(
  { data, labels, weights }: Examples,
  parameters: BoostParameters,
  earlyTrees: number,
): Boosted {
  const { rows: rowCount } = data;
  const random = randomNumbers(SEED);
  const grower = new TreeGrower(data);
  const logOdds = new Float32Array(rowCount);
  let earlyLogOdds = logOdds;
  const gradients = { first: new Float32Array(rowCount), second: new Float32Array(rowCount) };
  const weighed = Int32Array.from(weights.keys()).filter((row) => weights[row]! > 0);
  const sure = sureWeight(weighed, weights, parameters.rowShare);
  const usable = Int32Array.from(data.cuts.keys()).filter((column) => data.cuts[column]!.length > 0);
  const trees: TreeNode[][] = [];
  for (let count = 0; count < parameters.trees; count++) {
    if (count === earlyTrees) earlyLogOdds = logOdds.slice();
    const rows = weighed.filter((row) => random() * sure < weights[row]!);
    for (const row of rows) {
      const weight = Math.max(weights[row]!, sure);
      const probability = 1 / (1 + Math.exp(-logOdds[row]!));
      gradients.first[row] = weight * (probability - labels[row]!);
      gradients.second[row] = Math.max(1e-12, weight * probability * (1 - probability));
    }
    const columns = pick(usable, parameters.columnShare, random);
    const tree = grower
      .grow({ rows, columns }, gradients, parameters)
      .map((node) => (node.value === undefined ? node : { value: Math.fround(node.value * parameters.learningRate) }));
    addTree(data, tree, logOdds);
    trees.push(tree);
  }
  return { trees, logOdds, earlyLogOdds };
}

/** Adds the tree's value for each row. */
function addTree({ bins, rows }: BinnedColumns, tree: readonly TreeNode[], logOdds: Float32Array): void {
  const columns = Int32Array.from(tree, ({ column }) => (column === undefined ? -1 : column * rows));
  const cuts = Int32Array.from(tree, (node) => (node.value === undefined ? node.cut : 0));
  const steps = Int32Array.from(tree, (node) => (node.value === undefined ? node.stepsToRight : 0));
  const values = Float32Array.from(tree, ({ value }) => value ?? 0);
  for (let row = 0; row < rows; row++) {
    let node = 0;
    for (let column = columns[0]!; column >= 0; column = columns[node]!) {
      node += bins[column + row]! > cuts[node]! ? steps[node]! : 1;
    }
    logOdds[row] = logOdds[row]! + values[node]!;
  }
}

/**
 * Returns the weight from which on a row is always taken, so that a share of the rows is taken when others are taken with a
 * chance of their weight over this one.
 */
function sureWeight(rows: Int32Array, weights: Float32Array, share: number): number {
  let low = 0;
  let high = rows.reduce((most, row) => Math.max(most, weights[row]!), 0);
  for (let step = 0; step < SEARCH_STEPS; step++) {
    const middle = (low + high) / 2;
    const taken = rows.reduce((sum, row) => sum + Math.min(1, weights[row]! / middle), 0);
    if (taken > share * rows.length) low = middle;
    else high = middle;
  }
  return high;
}

/** Picks a share of the values, in their order. */
function pick(values: Int32Array, share: number, random: () => number): Int32Array {
  return share >= 1 ? values : values.filter(() => random() < share);
}

/** Numbers from 0 to 1, the same for the same seed (Mulberry32, Tommy Ettinger, public domain). */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
