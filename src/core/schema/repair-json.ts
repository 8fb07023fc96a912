import { jsonrepair } from "jsonrepair";
import { WorkBudget } from "../work-budget.ts";

/** Longer texts are not repaired: where commas or colons are missing, the work grows with the square of the length. */
export const MAX_REPAIRED_CHARS = 50_000;
/** Pairs of characters in the time of a step: a list of numbers without commas takes as many. */
const PAIRS_PER_STEP = 1_500;

/**
 * Repairs common errors in JSON: missing commas and quotes, a truncated end.
 * @returns undefined when the text cannot be repaired, is too long or takes more than the budget
 */
export function repairJson(text: string, budget = new WorkBudget()): string | undefined {
  if (text.length > MAX_REPAIRED_CHARS || !budget.take(1 + Math.ceil(text.length ** 2 / PAIRS_PER_STEP)))
    return undefined;
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}
