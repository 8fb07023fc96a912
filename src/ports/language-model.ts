/** Which of the two configured models answers: the main one, or the cheaper one for small steps. */
export type ModelSize = "large" | "small";

/** What a call cost, as the server counts it; 0 where it does not say. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

/** A tool that the model asks for. `input` is the JSON value that it gave, checked against nothing yet. */
export interface ModelToolCall {
  id: string;
  toolName: string;
  input: unknown;
}

/** One turn of a conversation. Plain data, so that a job can keep it and go on after a restart. */
export type ModelMessage =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; toolCalls: ModelToolCall[] }
  | { role: "tool"; callId: string; toolName: string; text: string };

/** A tool as the model is told of it. Whoever runs the step runs the tool. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of the input: an object. */
  inputSchema: JsonSchemaObject;
}

export type JsonSchemaObject = Record<string, unknown>;

export interface ModelRequest {
  size?: ModelSize;
  system: string;
  messages: readonly ModelMessage[];
  maxOutputTokens?: number;
  /** Default 0: the likeliest answer. */
  temperature?: number;
  /** Ms since the epoch; waiting and trying again end here too. */
  deadlineMs: number;
  signal?: AbortSignal;
  /** Pieces of the text as they come; when given, the answer is streamed. */
  onText?(piece: string): void;
}

export interface ModelText {
  text: string;
  usage: TokenUsage;
}

export interface ModelObject {
  /** Valid against the schema of the request. */
  value: unknown;
  usage: TokenUsage;
}

export interface ModelStep {
  text: string;
  /** Empty when the model is done. */
  toolCalls: ModelToolCall[];
  usage: TokenUsage;
}

/**
 * A language model: any OpenAI-compatible server, or Workers AI. Passing troubles (429, 5xx, lost connections) are tried
 * again within the deadline. Every method throws AppError `MODEL_UNAVAILABLE`, `MODEL_TIMEOUT`, `MODEL_REFUSED` or
 * `MODEL_BAD_OUTPUT`, and an aborted signal's reason.
 */
export interface LanguageModel {
  readonly names: Record<ModelSize, string>;
  /** Tokens that a request and its answer may have together. */
  readonly contextTokens: number;
  generateText(request: ModelRequest): Promise<ModelText>;
  /** Broken JSON is repaired; what does not fit the schema is given back to the model with what is wrong, twice at most. */
  generateObject(request: ModelRequest & { schema: JsonSchemaObject }): Promise<ModelObject>;
  /** One step of a loop with tools: the model speaks, or asks for tools. */
  step(request: ModelRequest & { tools: readonly ModelTool[] }): Promise<ModelStep>;
}
