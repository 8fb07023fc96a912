import { schemaProblems, type JsonSchema } from "../../core/schema/json-schema.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import type { ReadPage } from "../research/read-page.ts";
import type { StopReason } from "./effort.ts";
import type { AgentMemory } from "./memory.ts";
import type { Suggestion } from "./suggest.ts";

/** Data found so far, as reported while an agent runs and when a budget stopped it. */
export interface AgentPartial {
  partial?: unknown;
  /** True when `partial` is valid by the schema; absent without a schema. */
  partialSchemaValid?: boolean;
}

/** Report of an agent while it runs; it stays after the run was cancelled. */
export interface AgentProgress extends AgentPartial {
  /** Of the text of a model, if requested. */
  evidence?: Evidence[];
  warning?: string;
}

export interface AgentResult extends AgentPartial {
  /** Data that follows the schema, or `{ result, sources }`; absent in mode `chat` without a schema. */
  data?: unknown;
  /** The answer of mode `chat`. */
  message?: string;
  suggestions?: Suggestion[];
  /** URLs of the pages that the answer is based on. */
  sources: string[];
  /** Sources of the values, if requested. */
  evidence?: Evidence[];
  /** True when a value is unverified; not sent to clients, whose `warning` names the values of a text. */
  hasUnverified?: boolean;
  /** Source of the answer: the name of a model, or `rules`. */
  model: string;
  stopReason: StopReason;
  warning?: string;
  /** For follow-ups in the thread; not sent to clients. */
  memory: AgentMemory;
}

/** Outcome of the research, before it has the form of a result. */
export interface AgentOutcome {
  /** Data by the schema; without a schema `{ result, sources }`. */
  data: unknown;
  /** The answer as text. */
  text: string;
  sources: string[];
  evidence?: Evidence[];
  model: string;
  stopReason: StopReason;
  warnings: readonly string[];
  pages: readonly ReadPage[];
}

/** Returns the data found so far, with its validity by the schema. */
export function partialOf(partial: unknown, schema: JsonSchema | undefined): AgentPartial {
  if (schema === undefined) return { partial };
  return { partial, partialSchemaValid: schemaProblems(schema, partial).length === 0 };
}

/** Returns a result as clients may read it. */
export function shownResult(result: Partial<AgentResult>): Partial<Omit<AgentResult, "memory" | "hasUnverified">> {
  const { memory: _, hasUnverified: __, ...shown } = result;
  return shown;
}
