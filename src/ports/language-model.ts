import type { Owner } from "../core/fair-order.ts";

/** Which of the two configured models answers: the main one, or the cheaper one for small steps. */
export type ModelSize = "large" | "small";

/** Tokens of a call, as counted by the server; 0 where it does not report them. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

/** A tool call that the model requests. `input` is the JSON value that the model sent, not yet validated. */
export interface ModelToolCall {
  id: string;
  toolName: string;
  input: unknown;
}

/** A picture for a model that reads pictures. */
export interface ModelPicture {
  /** JPEG or PNG. */
  contentType: string;
  bytes: Uint8Array;
}

/** One message of a conversation. Plain data, so that a job can store it and resume after a restart. */
export type ModelMessage =
  | { role: "user"; text: string; pictures?: readonly ModelPicture[] }
  | { role: "assistant"; text: string; toolCalls: ModelToolCall[] }
  | { role: "tool"; callId: string; toolName: string; text: string };

/** A tool as it is described to the model. The caller of `step` runs it. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of the input: an object. */
  inputSchema: JsonSchemaObject;
}

export type JsonSchemaObject = Record<string, unknown>;

export interface ModelRequest {
  /** Whose request it is, for the order of calls. Default: nobody's, which counts as one team. */
  owner?: Owner | undefined;
  size?: ModelSize;
  system: string;
  messages: readonly ModelMessage[];
  maxOutputTokens?: number;
  /** Default 0: the most likely output. */
  temperature?: number;
  /** Ms since the epoch; also ends waits and retries. */
  deadlineMs: number;
  signal?: AbortSignal;
  /** Receives pieces of the text as they arrive; when set, the answer is streamed. */
  onText?(piece: string): void;
}

export interface ModelText {
  text: string;
  usage: TokenUsage;
  /** True when the text ends at `maxOutputTokens`. */
  isCut?: true;
}

export interface ModelObject {
  /** Valid against the schema of the request. */
  value: unknown;
  usage: TokenUsage;
}

export interface ModelStep {
  text: string;
  /** Empty when the model has finished. */
  toolCalls: ModelToolCall[];
  usage: TokenUsage;
}

/**
 * A language model: any OpenAI-compatible server, or Workers AI. Transient failures (429, 5xx, lost connections) are
 * retried within the deadline. Every method throws AppError `MODEL_UNAVAILABLE`, `MODEL_TIMEOUT`, `MODEL_REFUSED` or
 * `MODEL_BAD_OUTPUT`, and an aborted signal's reason.
 */
export interface LanguageModel {
  readonly names: Record<ModelSize, string>;
  /** Maximum tokens of a request and its answer together. */
  readonly contextTokens: number;
  generateText(request: ModelRequest): Promise<ModelText>;
  /** Repairs broken JSON. Returns output that does not match the schema to the model with the errors, at most twice. */
  generateObject(request: ModelRequest & { schema: JsonSchemaObject }): Promise<ModelObject>;
  /** Runs one step of a tool loop: the model returns text or requests tool calls. */
  step(request: ModelRequest & { tools: readonly ModelTool[] }): Promise<ModelStep>;
}
