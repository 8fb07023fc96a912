import { jsonrepair } from "jsonrepair";

const FENCED = /```(?:json5?|javascript)?\s*\n([\s\S]*?)(?:\n\s*```|$)/i;

/**
 * Parses the JSON value in a model's answer, with or without a code fence or surrounding text. Repairs common errors
 * (missing commas and quotes, a truncated end).
 * @returns undefined when the answer contains no object or array.
 */
export function readModelJson(text: string): { value: unknown } | undefined {
  const fenced = FENCED.exec(text)?.[1];
  for (const candidate of [text, fenced, fromFirstBracket(text)]) {
    const value = candidate === undefined ? undefined : parsed(candidate.trim());
    if (value !== undefined) return { value };
  }
  return undefined;
}

function parsed(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  return parseObject(() => text) ?? parseObject(() => jsonrepair(text));
}

function parseObject(textOf: () => string): object | undefined {
  try {
    const value: unknown = JSON.parse(textOf());
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text from the first opening bracket to the last closing one. */
function fromFirstBracket(text: string): string | undefined {
  const start = text.search(/[[{]/);
  if (start < 0) return undefined;
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  return end > start ? text.slice(start, end + 1) : text.slice(start);
}
