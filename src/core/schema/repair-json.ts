import { jsonrepair } from "jsonrepair";
import { WorkBudget } from "../work-budget.ts";

/** Longer texts are not repaired: where commas or colons are missing, the work grows with the square of the length. */
export const MAX_REPAIRED_CHARS = 50_000;
/** Steps of a character in a text of that length without any comma. */
const STEPS_PER_CHAR = 32;

/**
 * Repairs common errors in JSON: missing commas and quotes, a truncated end.
 * @returns undefined when the text cannot be repaired, is too long or takes more than the budget
 */
export function repairJson(text: string, budget = new WorkBudget()): string | undefined {
  if (text.length > MAX_REPAIRED_CHARS || !budget.take(text.length * STEPS_PER_CHAR)) return undefined;
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}
