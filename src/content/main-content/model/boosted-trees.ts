/**
 * Gradient-boosted decision trees as data, and their evaluation. The packed form is the output of the training program:
 * three bytes a node, thresholds once per feature. Logistic loss; source: Friedman, "Greedy function approximation"
 * (2001).
 */
import { collectTests, GROUP_ROWS, readRows } from "./split-tests.ts";
import { type Forest, sumLeaves } from "./sum-leaves.ts";

export interface PackedTrees {
  /** Names of the columns that the trees use, at most 255. */
  features: string[];
  /** Number of thresholds of each feature, at most 256. */
  thresholdCounts: number[];
  /** Base64 of the thresholds, 32-bit floats in little-endian order, feature by feature, in ascending order. */
  thresholds: string;
  /**
   * Base64 of the nodes, tree after tree, each in preorder: [feature, threshold's index, steps to the right child], where
   * the left child is the next node; or a leaf: [255, value's low byte, value's high byte].
   */
  nodes: string;
  /** The factor of a leaf's 16-bit integer. */
  leafScale: number;
  /** Log-odds before any tree. */
  base: number;
}

export interface BoostedTrees extends Forest {
  base: number;
}

const BYTES_PER_NODE = 3;
const LEAF = 255;

/** Unpacks trees for matrices with the given columns; throws when a feature has no column. */
export function unpackTrees(packed: PackedTrees, columns: readonly string[]): BoostedTrees {
  const columnOf = packed.features.map((feature) => {
    const column = columns.indexOf(feature);
    if (column < 0) throw new Error(`The model needs the feature "${feature}", which is not computed`);
    return column;
  });
  const tests = collectTests(columnOf, unpackThresholds(packed));
  const bytes = fromBase64(packed.nodes);
  const count = bytes.length / BYTES_PER_NODE;
  const splits = new Int32Array(count);
  const values: number[] = [];
  for (let node = 0; node < count; node++) {
    const first = bytes[node * BYTES_PER_NODE]!;
    const second = bytes[node * BYTES_PER_NODE + 1]!;
    const third = bytes[node * BYTES_PER_NODE + 2]!;
    if (first === LEAF) {
      splits[node] = ~values.length;
      values.push((((second | (third << 8)) << 16) >> 16) * packed.leafScale);
    } else {
      splits[node] = (tests.starts[first]! + second) | (third << 16);
    }
  }
  return {
    splits,
    values: Float32Array.from(values),
    roots: Int32Array.from(findRoots(bytes)),
    tests,
    base: packed.base,
  };
}

/** Rows whose log-odds are at least so far from even after so many trees are settled: the other trees change little. */
export interface EarlyExit {
  trees: number;
  logOdds: number;
}

export interface Rows {
  matrix: Float32Array;
  /** Number of columns of the matrix. */
  width: number;
  earlyExit?: EarlyExit;
  /** 1 for each row that is to be judged; all rows are when it is missing. */
  wanted?: Uint8Array;
}

/** The rows of the current group: their numbers, where they start in the matrix, and their log-odds. */
const numbers = new Int32Array(GROUP_ROWS);
const offsets = new Int32Array(GROUP_ROWS);
const logOdds = new Float64Array(GROUP_ROWS);

/** Returns the probability of each row; 0 for rows that are not wanted. */
export function predictRows(trees: BoostedTrees, { matrix, width, earlyExit, wanted }: Rows): Float32Array {
  const probabilities = new Float32Array(width === 0 ? 0 : matrix.length / width);
  const bits = new Int32Array(matrix.buffer, matrix.byteOffset, matrix.length);
  let count = 0;
  for (let row = 0; row < probabilities.length; row++) {
    if (wanted?.[row] !== 0) {
      numbers[count] = row;
      offsets[count++] = row * width;
    }
    if (count === 0 || (count < GROUP_ROWS && row < probabilities.length - 1)) continue;
    readRows(trees.tests, { bits, offsets, count });
    judgeGroup(trees, count, earlyExit);
    for (let index = 0; index < count; index++) {
      probabilities[numbers[index]!] = 1 / (1 + Math.exp(-logOdds[index]!));
    }
    count = 0;
  }
  return probabilities;
}

/** Writes the log-odds of the rows that were read last. */
function judgeGroup(trees: BoostedTrees, count: number, earlyExit?: EarlyExit): void {
  const { length } = trees.roots;
  const look = Math.min(earlyExit?.trees ?? length, length);
  const clear = earlyExit?.logOdds ?? Number.POSITIVE_INFINITY;
  const all = -1 << (GROUP_ROWS - count);
  logOdds.fill(0);
  const early = sumLeaves(trees, { from: 0, to: look, rows: all, count }, logOdds);
  let unclear = 0;
  for (let index = 0; index < count; index++) {
    logOdds[index] = trees.base + (logOdds[index]! + early);
    if (Math.abs(logOdds[index]!) < clear) unclear |= 0x80000000 >>> index;
  }
  if (look === length || unclear === 0) return;
  const late = sumLeaves(trees, { from: look, to: length, rows: unclear, count }, logOdds);
  for (let index = 0; index < count; index++) {
    if (unclear << index < 0) logOdds[index] = logOdds[index]! + late;
  }
}

function unpackThresholds({ thresholds, thresholdCounts }: PackedTrees): Float32Array[] {
  const bytes = fromBase64(thresholds);
  const view = new DataView(bytes.buffer);
  let at = 0;
  return thresholdCounts.map((count) => Float32Array.from({ length: count }, () => view.getFloat32(4 * at++, true)));
}

/** A tree ends where as many leaves as open branches were read. */
function findRoots(bytes: Uint8Array): number[] {
  const roots: number[] = [];
  let open = 0;
  for (let node = 0; node * BYTES_PER_NODE < bytes.length; node++) {
    if (open === 0) {
      roots.push(node);
      open = 1;
    }
    open += bytes[node * BYTES_PER_NODE] === LEAF ? -1 : 1;
  }
  return roots;
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
