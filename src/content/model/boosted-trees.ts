/**
 * Gradient-boosted decision trees as data, and the loop that evaluates them. The packed form is what the training program
 * writes: three bytes a node, thresholds once per feature. Logistic loss; source: Friedman, "Greedy function
 * approximation" (2001).
 */

export interface PackedTrees {
  /** Names of the columns that the trees use, at most 255. */
  features: string[];
  /** How many thresholds each feature has, at most 256. */
  thresholdCounts: number[];
  /** Base64 of the thresholds, 32-bit floats in little-endian order, feature by feature. */
  thresholds: string;
  /**
   * Base64 of the nodes, tree after tree, each in preorder: [feature, threshold's index, steps to the right child], where
   * the left child is the next node; or a leaf: [255, value's low byte, value's high byte].
   */
  nodes: string;
  /** What a leaf's 16-bit integer is multiplied with. */
  leafScale: number;
  /** Log-odds before any tree. */
  base: number;
}

/** The trees as flat arrays. */
export interface BoostedTrees {
  /** The column in the low 16 bits, the steps to the right child above them; negative for a leaf. */
  splits: Int32Array;
  /** Thresholds of splits, values of leaves. */
  thresholds: Float32Array;
  roots: Int32Array;
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
  const thresholdsOf = unpackThresholds(packed);
  const bytes = fromBase64(packed.nodes);
  const count = bytes.length / BYTES_PER_NODE;
  const trees: BoostedTrees = {
    splits: new Int32Array(count),
    thresholds: new Float32Array(count),
    roots: Int32Array.from(findRoots(bytes)),
    base: packed.base,
  };
  for (let node = 0; node < count; node++) {
    const first = bytes[node * BYTES_PER_NODE]!;
    const second = bytes[node * BYTES_PER_NODE + 1]!;
    const third = bytes[node * BYTES_PER_NODE + 2]!;
    if (first === LEAF) {
      trees.splits[node] = -1;
      trees.thresholds[node] = (((second | (third << 8)) << 16) >> 16) * packed.leafScale;
    } else {
      trees.splits[node] = columnOf[first]! | (third << 16);
      trees.thresholds[node] = thresholdsOf[first]![second]!;
    }
  }
  return trees;
}

/** Rows whose log-odds are at least so far from even after so many trees are settled: the other trees change little. */
export interface EarlyExit {
  trees: number;
  logOdds: number;
}

export interface Rows {
  matrix: Float32Array;
  /** How many columns the matrix has. */
  width: number;
  earlyExit?: EarlyExit;
  /** 1 for each row that is to be judged; all are when it is missing. */
  wanted?: Uint8Array;
}

/** The probability of each row; 0 for rows that are not wanted. */
export function predictRows(trees: BoostedTrees, { matrix, width, earlyExit, wanted }: Rows): Float32Array {
  const probabilities = new Float32Array(width === 0 ? 0 : matrix.length / width);
  const count = trees.roots.length;
  const look = Math.min(earlyExit?.trees ?? count, count);
  const clear = earlyExit?.logOdds ?? Number.POSITIVE_INFINITY;
  for (let row = 0; row < probabilities.length; row++) {
    if (wanted?.[row] === 0) continue;
    const offset = row * width;
    let logOdds = trees.base + sumTrees(trees, matrix, offset, 0, look);
    if (Math.abs(logOdds) < clear) logOdds += sumTrees(trees, matrix, offset, look, count);
    probabilities[row] = 1 / (1 + Math.exp(-logOdds));
  }
  return probabilities;
}

// oxlint-disable-next-line eslint/max-params -- called for every block: an object for each call would cost as much as a tree
function sumTrees(
  { splits, thresholds, roots }: BoostedTrees,
  matrix: Float32Array,
  offset: number,
  from: number,
  to: number,
): number {
  let sum = 0;
  for (let tree = from; tree < to; tree++) {
    let node = roots[tree]!;
    let split = splits[node]!;
    while (split >= 0) {
      node += matrix[offset + (split & 0xffff)]! < thresholds[node]! ? 1 : split >> 16;
      split = splits[node]!;
    }
    sum += thresholds[node]!;
  }
  return sum;
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
