import type { JsonSchema } from "../../core/schema/json-schema.ts";

/** Options of an agent job. */
export interface AgentInput {
  prompt: string;
  urls: string[];
  schema: JsonSchema | undefined;
  strictConstrainToURLs: boolean;
}
