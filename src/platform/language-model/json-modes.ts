import { hash53 } from "../../core/text/hash.ts";
import type { JsonSchemaObject } from "../../ports/language-model.ts";

/** The form in which a server accepts a request for JSON: with a schema, without one, or not at all. */
export type JsonMode = "schema" | "json" | "none";

export const WEAKER: Record<JsonMode, JsonMode | undefined> = { schema: "json", json: "none", none: undefined };

const KEPT_MS = 600_000;
const MAX_KEPT = 1_000;

/**
 * The weaker modes that servers have accepted for a schema, the latest last. They say nothing about other schemas: a server that
 * refuses one that a caller has written accepts others.
 */
const kept = new Map<string, { mode: JsonMode; untilMs: number }>();

/** Returns the mode in which a model is asked for JSON of a schema first. */
export function acceptedMode(model: string, schema: JsonSchemaObject, nowMs = Date.now()): JsonMode {
  const known = kept.get(keyOf(model, schema));
  return known !== undefined && nowMs < known.untilMs ? known.mode : "schema";
}

/** Remembers that a model has accepted a mode for a schema, for ten minutes from the first time on. */
export function noteAccepted(model: string, schema: JsonSchemaObject, mode: JsonMode, nowMs = Date.now()): void {
  if (mode === acceptedMode(model, schema, nowMs)) return;
  const key = keyOf(model, schema);
  kept.delete(key);
  kept.set(key, { mode, untilMs: nowMs + KEPT_MS });
  const [oldest = ""] = kept.keys();
  if (kept.size > MAX_KEPT) kept.delete(oldest);
}

function keyOf(model: string, schema: JsonSchemaObject): string {
  return `${model} ${hash53(JSON.stringify(schema))}`;
}
