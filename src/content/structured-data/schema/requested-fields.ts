import type { JsonSchema } from "../../../core/schema/json-schema.ts";

const LEAD_IN =
  /^\s*(?:please\s+)?(?:(?:can|could) you\s+)?(?:extract|get|find|list|return|give(?: me)?|show(?: me)?|collect|fetch|pull|scrape|tell me|identify|what(?:'s| is| are)|which is|i (?:want|need)(?: to know)?)\s+(?:all\s+|me\s+|out\s+)?(?:of\s+)?(?:the\s+|a\s+|an\s+|its\s+|their\s+|every\s+)?/i;
const TAIL = /\s+(?:of|from|on|in|for|about|at)\s+(?:the|this|each|every|that|all|its|a|an)\b.*$/i;
const PARTS = /\s*(?:[,;\n]|\band\b|\bas well as\b|\bplus\b|&)\s*/i;
/** The rest of a longer sentence is read by a model alone. */
const MAX_CHARS = 2_000;
const MAX_FIELDS = 20;
const MAX_WORDS = 4;

/** Without a prompt: the fields that most pages can state about their subject. */
const USUAL = [
  "title",
  "description",
  "author",
  "datePublished",
  "price",
  "currency",
  "rating",
  "address",
  "phone",
  "email",
];

/**
 * Returns the schema that a prompt describes where no model reads it: the things that it lists, as properties of any
 * type. `Extract the product name, price and rating` asks for `productName`, `price` and `rating`.
 */
export function requestedFields(prompt: string): JsonSchema {
  const sentence = prompt.slice(0, MAX_CHARS).split(/(?<=[.!?])\s|\n\n/)[0] ?? "";
  const parts = sentence
    .replace(LEAD_IN, "")
    .replace(/[.?!]+\s*$/, "")
    .replace(TAIL, "")
    .split(PARTS);
  const names = parts.map((part) => toName(part.replace(LEAD_IN, ""))).filter((name) => name !== "");
  const requested = [...new Set(names)].slice(0, MAX_FIELDS);
  return schemaOf(prompt.trim() === "" || requested.length === 0 ? USUAL : requested);
}

function schemaOf(names: readonly string[]): JsonSchema {
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

function toName(part: string): string {
  const words = part.replace(/^(?:the|a|an|its|their|all|any)\s+/i, "").match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0 || words.length > MAX_WORDS) return "";
  return words
    .map((word, index) => (index === 0 ? word.toLowerCase() : word[0]?.toUpperCase() + word.slice(1).toLowerCase()))
    .join("");
}
