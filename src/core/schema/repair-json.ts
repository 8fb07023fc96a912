import { jsonrepair } from "jsonrepair";
import { WorkBudget } from "../work-budget.ts";

/** Longer texts of pages are not repaired: where commas or colons are missing, the work grows with the square of the length. */
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

/** Of a model's answer: longer ones are repaired at their end alone. Some 20 ms in the worst case. */
const MAX_REPAIRED_ANSWER = 20_000;

/** Repairs the JSON of a model. Of a long one, only an end that is missing. @returns undefined when it cannot */
export function repairAnswer(text: string): string | undefined {
  return text.length > MAX_REPAIRED_ANSWER ? withEnd(text) : repairJson(text);
}

/** Characters of a name and of a value that a cut end leaves incomplete, which are dropped. */
const MAX_DROPPED = 1_000;

/** Closes what is open at the end of JSON: within the last value, or before it where that is no JSON. */
function withEnd(text: string): string | undefined {
  const open: string[] = [];
  let [end, isInString] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      at = endOfString(text, at);
      isInString = at >= text.length;
    } else if (sign === ",") end = at;
    else if (sign === "{" || sign === "[") {
      open.push(sign === "{" ? "}" : "]");
      end = at + 1;
    } else if (sign === "}" || sign === "]") {
      if (open.pop() !== sign) return undefined;
      end = at + 1;
    }
  }
  if (open.length === 0) return undefined;
  const closing = open.toReversed().join("");
  const whole = `${text}${isInString ? '"' : ""}${closing}`;
  if (isJson(whole)) return whole;
  return text.length - end > MAX_DROPPED ? undefined : text.slice(0, end) + closing;
}

/** Returns the place of the quotation mark that ends a string; the length or more when none does. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
