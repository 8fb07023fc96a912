import { isDeeperThan } from "../text/count-json-values.ts";
import { repairAnswer } from "./repair-json.ts";

/** The two lines around a fenced block. */
const OPENING_FENCE = /```(?:json5?|javascript)?[^\S\n]*\n/i;
/** Readers of the value call themselves for each level; deeper JSON is no answer to a schema. */
const MAX_LEVELS = 200;
const CLOSING_FENCE = /\n[^\S\n]*```/;

/**
 * Parses the JSON value in a model's answer, with or without a code fence or surrounding text. Repairs common errors
 * (missing commas and quotes, a truncated end); of an answer of more than 20,000 characters a truncated end alone.
 * @returns undefined when the answer contains no object or array, or more than 200 levels of them.
 */
export function readModelJson(text: string): { value: unknown } | undefined {
  const fenced = fencedIn(text)?.trim() ?? "";
  const whole = text.trim();
  for (const candidate of new Set([whole, fenced, fromFirstBracket(text)?.trim() ?? ""])) {
    const value = BRACKET.test(candidate) ? parseObject(candidate) : undefined;
    if (value !== undefined) return { value };
  }
  // The one that most likely is the value: a repair takes time that grows with the square of its length.
  const faulty = [fenced, whole].find((candidate) => BRACKET.test(candidate)) ?? fromFirstBracket(text);
  const repaired = faulty === undefined ? undefined : repairAnswer(faulty);
  const value = repaired === undefined ? undefined : parseObject(repaired);
  return value === undefined ? undefined : { value };
}

const BRACKET = /^[[{]/;

function parseObject(text: string): object | undefined {
  if (isDeeperThan(new TextEncoder().encode(text), MAX_LEVELS)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text of the first fenced block, which may lack its end. */
function fencedIn(text: string): string | undefined {
  const opening = OPENING_FENCE.exec(text);
  if (opening === null) return undefined;
  const inner = text.slice(opening.index + opening[0].length);
  return inner.slice(0, CLOSING_FENCE.exec(inner)?.index);
}

/** Returns the text from the first opening bracket to the last closing one. */
function fromFirstBracket(text: string): string | undefined {
  const start = text.search(/[[{]/);
  if (start < 0) return undefined;
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  return end > start ? text.slice(start, end + 1) : text.slice(start);
}
