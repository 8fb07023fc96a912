/**
 * Grows one regression tree, best leaf first, from sums of gradients per bin. A leaf's sums are its parent's less its
 * sibling's, so that only the smaller child is summed up.
 */
import type { BinnedColumns } from "./bin-columns.ts";

export interface GrowParameters {
  maxLeaves: number;
  /** Least sum of second derivatives in a leaf. */
  minLeafWeight: number;
  /** L2 regularisation of the leaves' values. */
  lambda: number;
}

/** A node in preorder: a column and a cut with the steps to the right child, or the value of a leaf. */
export type TreeNode =
  | { column: number; cut: number; stepsToRight: number; value?: undefined }
  | { value: number; column?: undefined };

export interface Gradients {
  first: Float32Array;
  second: Float32Array;
}

interface Leaf {
  start: number;
  end: number;
  first: number;
  second: number;
  sums: Float64Array;
  split: Split | undefined;
  branch?: { split: Split; left: Leaf; right: Leaf };
}

interface Split {
  gain: number;
  column: number;
  /** Rows whose bin is above it go right. */
  bin: number;
  leftFirst: number;
  leftSecond: number;
}

const BINS = 256;
/** Two sums for each bin. */
const STRIDE = 2 * BINS;

/** Memory that is reused from tree to tree. */
export class TreeGrower {
  readonly #data: BinnedColumns;
  readonly #rows: Int32Array;
  readonly #right: Int32Array;
  readonly #first: Float32Array;
  readonly #second: Float32Array;
  readonly #free: Float64Array[] = [];

  constructor(data: BinnedColumns) {
    this.#data = data;
    this.#rows = new Int32Array(data.rows);
    this.#right = new Int32Array(data.rows);
    this.#first = new Float32Array(data.rows);
    this.#second = new Float32Array(data.rows);
  }

  /** `rows` are those to learn from, `columns` those that may be used. */
  grow(
    { rows, columns }: { rows: Int32Array; columns: Int32Array },
    gradients: Gradients,
    parameters: GrowParameters,
  ): TreeNode[] {
    this.#rows.set(rows);
    const root = this.#newLeaf(0, rows.length, columns.length);
    this.#sum(root, columns, gradients);
    for (const row of rows) {
      root.first += gradients.first[row]!;
      root.second += gradients.second[row]!;
    }
    root.split = this.#bestSplit(root, columns, parameters);
    const leaves = [root];
    for (let count = 1; count < parameters.maxLeaves; count++) {
      const best = leaves.reduce((most, leaf) => ((leaf.split?.gain ?? 0) > (most.split?.gain ?? 0) ? leaf : most));
      if (best.split === undefined) break;
      const children = this.#divide(best, best.split, { columns, gradients, parameters });
      leaves.splice(leaves.indexOf(best), 1, ...children);
    }
    for (const { sums } of leaves) this.#free.push(sums);
    return this.#preorder(root, parameters.lambda);
  }

  #newLeaf(start: number, end: number, columns: number): Leaf {
    const length = columns * STRIDE;
    const reused = this.#free.pop();
    const sums = reused?.length === length ? reused.fill(0) : new Float64Array(length);
    return { start, end, first: 0, second: 0, sums, split: undefined };
  }

  #sum({ start, end, sums }: Leaf, columns: Int32Array, gradients: Gradients): void {
    const rows = this.#rows;
    const first = this.#first;
    const second = this.#second;
    for (let at = start; at < end; at++) {
      first[at] = gradients.first[rows[at]!]!;
      second[at] = gradients.second[rows[at]!]!;
    }
    const { bins, rows: rowCount } = this.#data;
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index]! * rowCount;
      const base = index * STRIDE;
      for (let at = start; at < end; at++) {
        const slot = base + 2 * bins[column + rows[at]!]!;
        sums[slot] = sums[slot]! + first[at]!;
        sums[slot + 1] = sums[slot + 1]! + second[at]!;
      }
    }
  }

  #bestSplit(leaf: Leaf, columns: Int32Array, { minLeafWeight, lambda }: GrowParameters): Split | undefined {
    const { sums, first, second } = leaf;
    const whole = (first * first) / (second + lambda);
    let best: Split | undefined;
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index]!;
      const cuts = this.#data.cuts[column]!.length;
      let leftFirst = 0;
      let leftSecond = 0;
      for (let bin = 0, at = index * STRIDE; bin < cuts; bin++, at += 2) {
        if (sums[at + 1] === 0) continue;
        leftFirst += sums[at]!;
        leftSecond += sums[at + 1]!;
        if (leftSecond < minLeafWeight) continue;
        if (second - leftSecond < minLeafWeight) break;
        const rightFirst = first - leftFirst;
        const gain =
          (leftFirst * leftFirst) / (leftSecond + lambda) +
          (rightFirst * rightFirst) / (second - leftSecond + lambda) -
          whole;
        if (gain > (best?.gain ?? 1e-6)) best = { gain, column, bin, leftFirst, leftSecond };
      }
    }
    return best;
  }

  #divide(
    leaf: Leaf,
    split: Split,
    { columns, gradients, parameters }: { columns: Int32Array; gradients: Gradients; parameters: GrowParameters },
  ): [Leaf, Leaf] {
    const middle = this.#partition(leaf, split);
    const left = this.#newLeaf(leaf.start, middle, columns.length);
    const right = this.#newLeaf(middle, leaf.end, columns.length);
    left.first = split.leftFirst;
    left.second = split.leftSecond;
    right.first = leaf.first - split.leftFirst;
    right.second = leaf.second - split.leftSecond;
    const [smaller, larger] = middle - leaf.start < leaf.end - middle ? [left, right] : [right, left];
    this.#sum(smaller, columns, gradients);
    const own = larger.sums;
    for (let at = 0; at < own.length; at++) own[at] = leaf.sums[at]! - smaller.sums[at]!;
    this.#free.push(leaf.sums);
    left.split = this.#bestSplit(left, columns, parameters);
    right.split = this.#bestSplit(right, columns, parameters);
    leaf.branch = { split, left, right };
    return [left, right];
  }

  /** Moves the rows that go left to the front, both in their order. Returns where the others begin. */
  #partition({ start, end }: Leaf, { column, bin }: Split): number {
    const rows = this.#rows;
    const right = this.#right;
    const { bins, rows: rowCount } = this.#data;
    const offset = column * rowCount;
    let to = start;
    let others = 0;
    for (let at = start; at < end; at++) {
      const row = rows[at]!;
      if (bins[offset + row]! > bin) right[others++] = row;
      else rows[to++] = row;
    }
    rows.set(right.subarray(0, others), to);
    return to;
  }

  #preorder({ first, second, branch }: Leaf, lambda: number): TreeNode[] {
    if (branch === undefined) return [{ value: -first / (second + lambda) }];
    const left = this.#preorder(branch.left, lambda);
    const right = this.#preorder(branch.right, lambda);
    const { column, bin } = branch.split;
    return [{ column, cut: bin, stepsToRight: left.length + 1 }, ...left, ...right];
  }
}
