/** Sums over the blocks inside each element. */
import type { PageOutline } from "../blocks.ts";
import type { TextFacts } from "./text-facts.ts";

export interface ElementSums {
  blocks: Float64Array;
  lengths: Float64Array;
  linkLengths: Float64Array;
  good: Float64Array;
}

export function sumElements(outline: PageOutline, text: TextFacts): ElementSums {
  const numbers = () => new Float64Array(outline.elements.length);
  const sums: ElementSums = { blocks: numbers(), lengths: numbers(), linkLengths: numbers(), good: numbers() };
  outline.blocks.forEach(({ element, linkLength }, index) => {
    add(sums.blocks, element, 1);
    add(sums.lengths, element, text.lengths[index]!);
    add(sums.linkLengths, element, linkLength);
    add(sums.good, element, text.good[index]!);
  });
  sumUpwards(outline.parents, [sums.blocks, sums.lengths, sums.linkLengths, sums.good]);
  return sums;
}

/**
 * Adds each element's value to its parent's. Children have higher indexes than their parents, so one pass backwards is
 * enough.
 */
export function sumUpwards(parents: readonly number[], arrays: Float64Array[]): void {
  for (const array of arrays) {
    for (let index = parents.length - 1; index > 0; index--) {
      const value = array[index]!;
      if (value !== 0) add(array, parents[index]!, value);
    }
  }
}

/** `array[index] += value` for an index that is known to be inside. */
export function add(array: Float64Array, index: number, value: number): void {
  array[index] = array[index]! + value;
}
