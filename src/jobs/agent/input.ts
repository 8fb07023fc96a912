import type { JsonSchema } from "../../core/schema/json-schema.ts";

/** An agent's task as its caller wants it. */
export interface AgentInput {
  prompt: string;
  urls: string[];
  schema: JsonSchema | undefined;
  strictConstrainToURLs: boolean;
}
