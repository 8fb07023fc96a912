import { z } from "zod";
import { EFFORTS } from "./effort.ts";

/** Options of an agent job. */
export const AgentInput = z.object({
  prompt: z.string(),
  urls: z.array(z.string()),
  schema: z.record(z.string(), z.unknown()).optional(),
  strictConstrainToURLs: z.boolean(),
  /** `chat` returns the answer as a message. Absent: `extract`. */
  mode: z.enum(["extract", "chat"]).optional(),
  /** Absent: `medium`. */
  effort: z.enum(EFFORTS).optional(),
  /** True when the result has `evidence`. */
  evidence: z.boolean().optional(),
  /** Run of the same thread whose memory this run starts with. */
  earlierRunId: z.string().optional(),
});
export type AgentInput = z.infer<typeof AgentInput>;
