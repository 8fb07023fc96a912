/** Turns trees into the packed form that the Worker reads. */
import type { PackedTrees } from "../../content/main-content/model/boosted-trees.ts";
import type { BinnedColumns } from "./trees/bin-columns.ts";
import type { TreeNode } from "./trees/grow-tree.ts";

type Split = [feature: string, threshold: number, stepsToRight: number];
type Leaf = [value: number];
export type Tree = (Split | Leaf)[];

const LEAF = 255;
const MAX_FEATURES = 255;
const MAX_THRESHOLDS = 256;
const MAX_STEPS = 255;
const LARGEST_INTEGER = 32_767;

/** Replaces columns and cuts by the names of the features and the values that they are compared with. */
export function nameSplits(
  trees: readonly (readonly TreeNode[])[],
  { cuts }: BinnedColumns,
  names: readonly string[],
): Tree[] {
  return trees.map((tree) =>
    tree.map((node): Split | Leaf =>
      node.value === undefined
        ? [names[node.column] ?? "", cuts[node.column]?.[node.cut] ?? Number.NaN, node.stepsToRight]
        : [node.value],
    ),
  );
}

/** Throws when the trees need more features, thresholds or nodes than the format has room for. */
export function packTrees(trees: Tree[]): PackedTrees {
  const thresholdsOf = collectThresholds(trees);
  const tests = [...thresholdsOf].sort(([left], [right]) => (left < right ? -1 : 1));
  const features = tests.map(([feature]) => feature);
  const thresholds = tests.map(([, values]) => [...values].sort((a, b) => a - b));
  if (features.length > MAX_FEATURES) throw new Error(`${features.length} features are too many to pack`);
  if (thresholds.some(({ length }) => length > MAX_THRESHOLDS))
    throw new Error("A feature has too many thresholds to pack");
  const largest = Math.max(...trees.flat().map((node) => (node.length === 1 ? Math.abs(node[0]) : 0)));
  const leafScale = largest / LARGEST_INTEGER || 1;
  const bytes = trees.flat().flatMap((node) => {
    if (node.length === 1) return packLeaf(Math.round(node[0] / leafScale));
    const [feature, threshold, stepsToRight] = node;
    if (stepsToRight > MAX_STEPS) throw new Error("A tree has too many nodes to pack");
    const column = features.indexOf(feature);
    return [column, thresholds[column]!.indexOf(Math.fround(threshold)), stepsToRight];
  });
  return {
    features,
    thresholdCounts: thresholds.map(({ length }) => length),
    thresholds: Buffer.from(Float32Array.from(thresholds.flat()).buffer).toString("base64"),
    nodes: Buffer.from(bytes).toString("base64"),
    leafScale,
    base: 0,
  };
}

function packLeaf(value: number): number[] {
  return [LEAF, value & 255, (value >> 8) & 255];
}

function collectThresholds(trees: Tree[]): Map<string, Set<number>> {
  const thresholdsOf = new Map<string, Set<number>>();
  for (const node of trees.flat()) {
    if (node.length === 1) continue;
    const [feature, threshold] = node;
    const known = thresholdsOf.get(feature);
    if (known) known.add(Math.fround(threshold));
    else thresholdsOf.set(feature, new Set([Math.fround(threshold)]));
  }
  return thresholdsOf;
}
