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
  roots: number[];
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
    roots: findRoots(bytes),
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

/** The probability of each row of a matrix with `width` columns. */
export function predictRows(trees: BoostedTrees, matrix: Float32Array, width: number): Float32Array {
  const { splits, thresholds, roots, base } = trees;
  const probabilities = new Float32Array(width === 0 ? 0 : matrix.length / width);
  for (let row = 0; row < probabilities.length; row++) {
    const offset = row * width;
    let logOdds = base;
    for (let tree = 0; tree < roots.length; tree++) {
      let node = roots[tree]!;
      let split = splits[node]!;
      while (split >= 0) {
        node += matrix[offset + (split & 0xffff)]! < thresholds[node]! ? 1 : split >> 16;
        split = splits[node]!;
      }
      logOdds += thresholds[node]!;
    }
    probabilities[row] = 1 / (1 + Math.exp(-logOdds));
  }
  return probabilities;
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
