import type { PageMeasures } from "../features/page-measures.ts";

/** A choice of blocks that is to be completed. */
export interface ChoiceToComplete {
  page: PageMeasures;
  /** Probability of each block to be main content. */
  probabilities: Float32Array;
  /** 1 for each block that is kept. */
  kept: Uint8Array;
}

export interface Completion {
  name: string;
  /** Changes `kept`. */
  apply(choice: ChoiceToComplete): void;
}
