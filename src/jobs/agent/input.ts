import type { JsonSchema } from "../../core/schema/json-schema.ts";
import type { Effort } from "./effort.ts";

/** Options of an agent job. */
export interface AgentInput {
  prompt: string;
  urls: string[];
  schema: JsonSchema | undefined;
  strictConstrainToURLs: boolean;
  /** `chat` returns the answer as a message. Absent: `extract`. */
  mode?: "extract" | "chat";
  /** Absent: `medium`. */
  effort?: Effort;
  /** True when the result has `evidence`. */
  evidence?: boolean;
  /** Run of the same thread whose memory this run starts with. */
  earlierRunId?: string;
}
