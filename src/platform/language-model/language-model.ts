import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, Output, streamText, type LanguageModel as SdkModel } from "ai";
import { createWorkersAI } from "workers-ai-provider";
import { AppError, isAppError } from "../../core/errors.ts";
import { schemaProblems } from "../../core/schema/json-schema.ts";
import type { Meter } from "../../core/account/meter.ts";
import { readModelJson } from "../../core/schema/read-model-json.ts";
import type {
  JsonSchemaObject,
  LanguageModel,
  ModelMessage,
  ModelObject,
  ModelRequest,
  ModelSize,
  ModelStep,
  ModelTool,
  TokenUsage,
} from "../../ports/language-model.ts";
import type { Clock } from "../../ports/system.ts";
import { askAgain } from "./ask-again.ts";
import { withAnswerLimit, type AnswerSize } from "./limit-answer.ts";
import type { ModelTurns } from "./model-turns.ts";
import { acceptedMode, noteAccepted, WEAKER, type JsonMode } from "./json-modes.ts";
import { readInput, toSdkMessages, toSdkTools, wellFormedObject } from "./to-sdk.ts";
import { watchedBinding } from "./workers-ai.ts";

/** The model's server: one with OpenAI's chat completions API, or the Workers AI binding. */
export type ModelServer = { kind: "openai"; baseUrl: string; apiKey: string | undefined } | { kind: "workers"; ai: Ai };

export interface LanguageModelOptions {
  server: ModelServer;
  names: Record<ModelSize, string>;
  contextTokens: number;
  /** Fetches from the model's host alone (`guarded-fetch.ts`). */
  fetcher: typeof fetch;
  clock: Clock;
  meter: Meter;
  /** Prices of the models in dollars per million tokens; undefined when unknown. */
  dollarsAMillion?: { input: number; output: number };
  sleep(ms: number): Promise<void>;
  /** The order of all calls. Default: none waits. */
  turns?: ModelTurns;
}

const OBJECT_ATTEMPTS = 3;
const DEFAULT_OUTPUT_TOKENS = 8_000;
/** More than any model reads or writes in a call. */
const MAX_TOKENS_A_CALL = 100_000_000;

/** Tool calls of one step that are carried out and shown to the model again; the others are left out. */
const MAX_TOOL_CALLS = 50;

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** A language model behind the AI SDK. */
export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  return new SdkLanguageModel(options);
}

interface ModelOutput {
  text: string;
  toolCalls: ModelStep["toolCalls"];
  usage: TokenUsage;
  isCut: boolean;
}

class SdkLanguageModel implements LanguageModel {
  readonly names: Record<ModelSize, string>;
  readonly contextTokens: number;
  readonly #options: LanguageModelOptions;

  constructor(options: LanguageModelOptions) {
    this.names = options.names;
    this.contextTokens = options.contextTokens;
    this.#options = options;
  }

  async generateText(request: ModelRequest) {
    const { text, usage, isCut } = await this.#ask(request, {});
    if (text.trim() === "") throw new AppError("MODEL_REFUSED");
    return { text, usage, ...(isCut && { isCut }) };
  }

  async step({ tools, ...request }: ModelRequest & { tools: readonly ModelTool[] }): Promise<ModelStep> {
    const { text, toolCalls, usage } = await this.#ask(request, { tools });
    if (text.trim() === "" && toolCalls.length === 0) throw new AppError("MODEL_REFUSED");
    return { text, toolCalls, usage };
  }

  async generateObject({ schema, ...request }: ModelRequest & { schema: JsonSchemaObject }): Promise<ModelObject> {
    const usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
    const system = `${request.system}\n\nAnswer with one JSON value and nothing else. It must be valid against this JSON Schema:\n${JSON.stringify(wellFormedObject(schema))}`;
    const messages: ModelMessage[] = [...request.messages];
    for (let attempt = 1; ; attempt++) {
      const said = await this.#askForJson({ ...request, system, messages }, schema);
      usage.inputTokens += said.usage.inputTokens;
      usage.outputTokens += said.usage.outputTokens;
      if (said.text.trim() === "") throw new AppError("MODEL_REFUSED");
      const read = readModelJson(said.text);
      const problems = read === undefined ? ["/: no JSON was found"] : schemaProblems(schema, read.value);
      if (read !== undefined && problems.length === 0) return { value: read.value, usage };
      if (attempt >= OBJECT_ATTEMPTS) throw new AppError("MODEL_BAD_OUTPUT");
      messages.push({ role: "assistant", text: said.text, toolCalls: [] }, correction(problems));
    }
  }

  /**
   * Requests JSON in the strongest form that the server accepts; a refused form is replaced by the next weaker one. That one is remembered for
   * the schema once it has been accepted: a server may refuse the request itself in every form.
   */
  async #askForJson(request: ModelRequest, schema: JsonSchemaObject): Promise<ModelOutput> {
    const name = `${this.#serverName()} ${this.names[request.size ?? "large"]}`;
    for (let mode = acceptedMode(name, schema); ;) {
      try {
        const said = await this.#ask(request, { schema, mode });
        noteAccepted(name, schema, mode);
        return said;
      } catch (error) {
        const weaker = WEAKER[mode];
        const status = statusOf(error);
        if (weaker === undefined || (status !== 400 && status !== 422)) throw error;
        mode = weaker;
      }
    }
  }

  /** Returns the price in billionths of a dollar; prices are in dollars per million tokens. */
  #price({ inputTokens, outputTokens }: ModelOutput["usage"]): number {
    const { input, output } = this.#options.dollarsAMillion ?? { input: 0, output: 0 };
    return Math.round((inputTokens * input + outputTokens * output) * 1000);
  }

  async #ask(request: ModelRequest, requested: CallOptions): Promise<ModelOutput> {
    const { clock, sleep, meter, turns } = this.#options;
    const { deadlineMs, signal, owner } = request;
    return await askAgain({ clock, sleep, deadlineMs, signal, turns, owner }, async (abortSignal) => {
      meter.add("modelCalls");
      const said = await this.#call(request, { ...requested, abortSignal });
      meter.add("modelInputTokens", said.usage.inputTokens);
      meter.add("modelOutputTokens", said.usage.outputTokens);
      meter.add("modelNanoDollars", this.#price(said.usage));
      return said;
    });
  }

  async #call(
    request: ModelRequest,
    { tools = [], schema, mode, abortSignal }: CallOptions & Stopping,
  ): Promise<ModelOutput> {
    const maxOutputTokens =
      request.maxOutputTokens ?? Math.min(DEFAULT_OUTPUT_TOKENS, Math.floor(this.contextTokens / 3));
    const answer = { tokens: maxOutputTokens, isStreamed: request.onText !== undefined };
    const settings = {
      model: this.#model(request.size ?? "large", { mode, abortSignal, answer }),
      system: request.system.toWellFormed(),
      messages: toSdkMessages(request.messages),
      maxOutputTokens,
      temperature: request.temperature ?? 0,
      maxRetries: 0,
      // Strict schemas require every property to be listed as required, which callers' schemas do not do.
      providerOptions: { openaiCompatible: { strictJsonSchema: false } },
      abortSignal,
      ...(tools.length === 0 ? {} : { tools: toSdkTools(tools) }),
      ...(schema === undefined || this.#asksInWords(mode) ? {} : { output: jsonOutput(wellFormedObject(schema)) }),
    };
    if (request.onText === undefined) {
      const result = await generateText(settings);
      return toModelOutput(result);
    }
    let failure: unknown;
    const result = streamText({ ...settings, onError: ({ error }) => void (failure = error) });
    for await (const piece of result.textStream) request.onText(piece);
    if (failure !== undefined) throw failure;
    abortSignal.throwIfAborted();
    const [text, toolCalls, usage, finishReason] = await Promise.all([
      result.text,
      result.toolCalls,
      result.usage,
      result.finishReason,
    ]);
    return toModelOutput({ text, toolCalls, usage, finishReason });
  }

  /** Workers AI accepts a schema or a description in the prompt. */
  #asksInWords(mode: JsonMode | undefined): boolean {
    return mode === "none" || (mode === "json" && this.#options.server.kind === "workers");
  }

  #model(
    size: ModelSize,
    { mode = "schema", abortSignal, answer }: Pick<CallOptions, "mode"> & Stopping & { answer: AnswerSize },
  ): Exclude<SdkModel, string> {
    const { server, fetcher } = this.#options;
    if (server.kind === "workers")
      return createWorkersAI({ binding: watchedBinding(server.ai, abortSignal) })(this.names[size]);
    const provider = createOpenAICompatible({
      name: "model",
      baseURL: server.baseUrl.replace(/\/+$/, ""),
      ...(server.apiKey === undefined ? {} : { apiKey: server.apiKey }),
      fetch: withAnswerLimit(withKnownFailures(fetcher), answer),
      includeUsage: true,
      supportsStructuredOutputs: mode === "schema",
    });
    return provider(this.names[size]);
  }

  #serverName(): string {
    const { server } = this.#options;
    return server.kind === "openai" ? server.baseUrl : "workers";
  }
}

interface CallOptions {
  tools?: readonly ModelTool[];
  schema?: JsonSchemaObject;
  mode?: JsonMode;
}
interface Stopping {
  abortSignal: AbortSignal;
}

/** Wraps a fetch function so that it throws lost connections as the error that the SDK recognises. */
function withKnownFailures(fetcher: typeof fetch): typeof fetch {
  return async (input, init) => {
    try {
      return await fetcher(input, init);
    } catch (error) {
      if (init?.signal?.aborted === true || isAppError(error)) throw error;
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}

/** Requests JSON and returns it as text: the SDK would discard output that it cannot parse. */
function jsonOutput(schema: JsonSchemaObject) {
  return { ...Output.text(), responseFormat: Promise.resolve({ type: "json" as const, schema, name: "answer" }) };
}

/** Small self-hosted models write their reasoning before the answer. */
const THOUGHTS = /^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>\s*|$)/i;

function correction(problems: readonly string[]): ModelMessage {
  return {
    role: "user",
    text: `That answer cannot be used. What is wrong with it:\n${problems.join("\n")}\nAnswer again with the whole JSON value, corrected, and nothing else.`,
  };
}

/** The text of a refusal, or of a response that a content filter ended, is left out: the caller reports MODEL_REFUSED. */
function toModelOutput({
  text,
  toolCalls,
  usage,
  finishReason,
}: {
  text: string;
  toolCalls: readonly { toolCallId: string; toolName: string; input: unknown }[];
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined };
  finishReason: string;
}): ModelOutput {
  return {
    text: finishReason === "content-filter" ? "" : text.replace(THOUGHTS, ""),
    toolCalls: toolCalls.slice(0, MAX_TOOL_CALLS).map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      toolName,
      input: readInput(input),
    })),
    usage: { inputTokens: tokens(usage.inputTokens), outputTokens: tokens(usage.outputTokens) },
    isCut: finishReason === "length",
  };
}

/** Returns a count of tokens that a server reports: a whole number that one call can have, 0 for anything else. */
function tokens(reported: number | undefined = 0): number {
  return reported >= 0 && reported <= MAX_TOKENS_A_CALL ? Math.round(reported) : 0;
}

/** Returns the HTTP status in the error that `unavailable` creates. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof AppError) || error.code !== "MODEL_UNAVAILABLE") return undefined;
  const details = error.details as { statusCode?: number } | undefined;
  return details?.statusCode;
}
