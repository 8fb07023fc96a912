import { mergeValues } from "../../content/structured-data/schema/merge-values.ts";
import { nullableSchema, withoutNulls } from "../../content/structured-data/schema/nullable-schema.ts";
import type { Claim } from "../../content/structured-data/evidence/provenance.ts";
import type { JsonSchema } from "../../core/schema/json-schema.ts";
import { wrapUntrusted } from "../../core/text/untrusted-text.ts";
import type { LanguageModel, TokenUsage } from "../../ports/language-model.ts";
import { pageRequest, partsFor, type PageText } from "./page-question.ts";

/** Options of an extraction by a model. */
export interface ObjectOptions {
  schema: JsonSchema | undefined;
  prompt?: string | undefined;
  systemPrompt?: string | undefined;
  temperature?: number | undefined;
  /** Values that rules found on the page: the model may accept, correct or ignore them. */
  candidates: unknown;
  deadlineMs: number;
  signal?: AbortSignal | undefined;
}

export interface ExtractedObject {
  /** The values that the model found; undefined if none. */
  value: unknown;
  /** The quotes that the model gave for its values; not verified. */
  claims: Claim[];
  usage: TokenUsage;
  /** True when the page was longer than the text that the model read. */
  isCut: boolean;
}

const EVIDENCE_SCHEMA = {
  type: "array",
  description: "For each value in data: its place, and the words of the page that say so, copied exactly.",
  items: {
    type: "object",
    properties: {
      field: { type: "string", description: "Place of the value in data, such as offers[0].price" },
      quote: { type: "string", description: "Copied from the page, word for word" },
    },
    required: ["field", "quote"],
  },
};
const MAX_CANDIDATE_CHARS = 8_000;
/** Characters of a path that are read. */
const MAX_PATH_CHARS = 1_000;

/**
 * Fills a schema from a page with a model. A long page is read in parts, whose results are merged.
 * @throws AppError as the model's port does.
 */
export async function extractObject(
  llm: LanguageModel,
  page: PageText,
  requested: ObjectOptions,
): Promise<ExtractedObject> {
  const { parts, isCut } = partsFor(llm, page);
  const usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  let value: unknown;
  const claims: Claim[] = [];
  for (const text of parts) {
    const answer = await llm.generateObject({
      ...pageRequest(page, text, {
        task: taskOf(requested, parts.length > 1),
        system: requested.systemPrompt,
        deadlineMs: requested.deadlineMs,
      }),
      schema: envelope(requested.schema),
      ...(requested.temperature === undefined ? {} : { temperature: requested.temperature }),
      ...(requested.signal === undefined ? {} : { signal: requested.signal }),
    });
    usage.inputTokens += answer.usage.inputTokens;
    usage.outputTokens += answer.usage.outputTokens;
    const { data, evidence } = answer.value as { data: unknown; evidence?: { field: string; quote: string }[] };
    value = mergeValues(value, withoutNulls(data));
    // Merging several parts moves list items, which invalidates the paths; values are then looked up without claims.
    if (parts.length === 1)
      claims.push(...(evidence ?? []).map(({ field, quote }) => ({ path: readPath(field), quote, from: "model" })));
  }
  return { value, claims, usage, isCut };
}

function envelope(schema: JsonSchema | undefined): JsonSchema {
  const { $defs, definitions, ...rest } = schema === undefined ? { type: "object" } : nullableSchema(schema);
  return {
    type: "object",
    // References point to the root, so definitions move to the new root.
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    properties: { data: rest, evidence: EVIDENCE_SCHEMA },
    required: ["data"],
  };
}

function taskOf({ prompt, candidates }: ObjectOptions, isPart: boolean): string {
  const lines = [
    prompt === undefined || prompt.trim() === "" ? "Read the data that the schema asks for out of this page." : prompt,
    "Use null for whatever the page does not say. Give the words of the page for each value.",
  ];
  if (isPart) lines.push("The text is one part of a longer page.");
  if (candidates !== undefined) {
    const text = JSON.stringify(candidates).slice(0, MAX_CANDIDATE_CHARS);
    lines.push(
      `Rules have found these values; check them against the page:\n${wrapUntrusted(text, { kind: "candidates" })}`,
    );
  }
  return lines.join("\n");
}

/** Parses a path. `offers[0].price`, `/offers/0/price` and `data.offers[0].price` are equal. */
function readPath(field: string): (string | number)[] {
  const steps = field
    .slice(0, MAX_PATH_CHARS)
    .replace(/^\$?\.?data\b\.?|^\$\.?/, "")
    .replaceAll(/\[["']?([^\]"']*)["']?\]/g, ".$1")
    .split(/[./]/)
    .filter((step) => step !== "");
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
