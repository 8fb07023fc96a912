/**
 * Walks trees with a group of rows at once. The rows at a node are the bits of an integer, which the node's test
 * divides between its children; where all rows take one branch, as they mostly do, that is one step for all. Bits for a
 * tree's leaves, row by row, are the older idea (Lucchese et al., "QuickScorer", SIGIR 2015); it needs more steps for
 * trees this small.
 */
import { answerTest, GROUP_ROWS, type SplitTests, UNKNOWN } from "./split-tests.ts";

export interface Forest {
  /**
   * Tree after tree in preorder: the test in the low 16 bits, steps to the right child above; for a leaf the complement
   * of its place among the values.
   */
  splits: Int32Array;
  /** The values of the leaves. */
  values: Float32Array;
  roots: Int32Array;
  tests: SplitTests;
}

export interface Walk {
  /** The trees. */
  from: number;
  to: number;
  /** Bits of those among the rows last read that are to be judged, and the number of rows read. */
  rows: number;
  count: number;
}

/** Right children and their rows, while the left ones are visited. Nodes without rows are not, so these suffice. */
const pendingNodes = new Int32Array(GROUP_ROWS);
const pendingRows = new Int32Array(GROUP_ROWS);
/** The leaves of a tree where there are rows. */
const leafPlaces = new Int32Array(GROUP_ROWS);
const leafRows = new Int32Array(GROUP_ROWS);

/**
 * Adds to `sums` the trees' values for each row, less the return value: in most trees most rows are at the same leaf,
 * and only the others are handled one by one. The order of the additions does not matter, as nothing is rounded: leaves
 * are floats of 24 bits, the largest at most 2 ** 15 times the least, and sums of a thousand of them fit into the 53
 * bits of a double.
 */
export function sumLeaves(forest: Forest, walk: Walk, sums: Float64Array): number {
  const { values, roots } = forest;
  let common = 0;
  for (let tree = walk.from; tree < walk.to; tree++) {
    const count = findLeaves(forest, roots[tree]!, walk);
    const fullest = count === 1 ? 0 : fullestLeaf(count);
    const value = values[leafPlaces[fullest]!]!;
    common += value;
    for (let leaf = 0; leaf < count; leaf++) {
      if (leaf !== fullest) addTo(sums, leafRows[leaf]!, values[leafPlaces[leaf]!]! - value);
    }
  }
  return common;
}

function findLeaves({ splits, tests }: Forest, root: number, { rows: all, count }: Walk): number {
  const { answers } = tests;
  let node = root;
  let rows = all;
  let pending = 0;
  let found = 0;
  while (true) {
    const split = splits[node]!;
    if (split < 0) {
      leafPlaces[found] = ~split;
      leafRows[found++] = rows;
      if (pending === 0) return found;
      node = pendingNodes[--pending]!;
      rows = pendingRows[pending]!;
      continue;
    }
    const test = split & 0xffff;
    let passed = answers[test]!;
    if (passed === UNKNOWN) passed = answerTest(tests, test, count);
    const left = rows & ~passed;
    const right = rows & passed;
    if (left === 0) {
      node += split >> 16;
    } else {
      if (right !== 0) {
        pendingNodes[pending] = node + (split >> 16);
        pendingRows[pending++] = right;
      }
      rows = left;
      node++;
    }
  }
}

function fullestLeaf(count: number): number {
  let fullest = 0;
  let most = 0;
  for (let leaf = 0; leaf < count; leaf++) {
    const rows = countBits(leafRows[leaf]!);
    if (rows > most) {
      most = rows;
      fullest = leaf;
    }
  }
  return fullest;
}

/** Returns the number of set bits. Source: Warren, "Hacker's Delight" (2012), section 5-1. */
function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function addTo(sums: Float64Array, rows: number, value: number): void {
  for (let rest = rows; rest !== 0;) {
    const row = Math.clz32(rest);
    sums[row] = sums[row]! + value;
    rest ^= 0x80000000 >>> row;
  }
}
