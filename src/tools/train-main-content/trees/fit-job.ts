/** Messages to and from a training thread. The columns are in shared memory and are not copied. */
import type { BoostParameters } from "./boost-trees.ts";
import type { BinnedColumns } from "./bin-columns.ts";
import type { TreeNode } from "./grow-tree.ts";

export interface FitJob {
  data: BinnedColumns;
  labels: Uint8Array;
  weights: Float32Array;
  folds: Uint8Array;
  /** Rows of these folds are not learned from. */
  heldOut: number[];
  parameters: BoostParameters;
  earlyTrees: number;
}

export interface FitResult {
  trees: TreeNode[][];
  logOdds: Float32Array;
  earlyLogOdds: Float32Array;
}
