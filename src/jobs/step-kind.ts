import type { RankedPage } from "../core/crawl/rank-urls.ts";
import type { ScrapeDocument } from "../core/scrape/document.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { JobKindName } from "../core/jobs/job.ts";
import type { ScrapeOptions } from "../formats/scrape-options.ts";
import type { JsonSchemaObject, LanguageModel, ModelRequest, ModelStep, ModelTool } from "../ports/language-model.ts";
import type { JobSpecification } from "./kind.ts";

/** Everything that the turns of a job of steps need to know. It is kept as JSON with the job. */
export interface StepSpecification<Input = unknown> extends Pick<
  JobSpecification<Input>,
  | "id"
  | "kind"
  | "apiVersion"
  | "key"
  | "scrapeDefaults"
  | "zeroDataRetention"
  | "publicOrigin"
  | "ownHosts"
  | "webhook"
  | "createdAtMs"
  | "record"
  | "input"
> {
  /** Ms since the epoch, by which the job is to come to its end with what it has. */
  deadlineMs: number;
  maxCredits: number | undefined;
}

/** What came of something that may well not work; the job goes on either way. */
export type Tried<Value> = { kind: "done"; value: Value } | { kind: "failed"; code: ErrorCode; message: string };

/** A page that a site's map or a search has found. */
export type FoundPage = Pick<RankedPage, "url" | "title" | "description">;

/**
 * What a job may do. Whatever has an effect or costs something is a step with a key of its own: it is done once, its
 * result is kept, and after a restart it is read instead of being done again. Hence a kind must come by the same steps
 * whenever it is run with the same results: no clock, no chance, no order of arrival in keys.
 */
export interface StepTools {
  readonly specification: StepSpecification;
  /** Undefined where none is configured. */
  readonly llm: Pick<LanguageModel, "names" | "contextTokens"> | undefined;
  /** Credits that the job may still spend, as far as its own budget goes; Infinity without one. */
  creditsLeft(): Promise<number>;
  /** True when the job's time is over, so that it should end with what it has. Kept as a step, so that a replay agrees. */
  isLate(key: string): Promise<boolean>;
  scrape(key: string, request: { url: string; options: ScrapeOptions }): Promise<Tried<ScrapeDocument>>;
  map(key: string, request: MapOptions): Promise<Tried<FoundPage[]>>;
  search(key: string, request: { query: string; limit: number }): Promise<Tried<FoundPage[]>>;
  /** One step of a loop with tools. */
  converse(key: string, request: ModelRequestOptions & { tools: readonly ModelTool[] }): Promise<Tried<ModelStep>>;
  generateObject(key: string, request: ModelRequestOptions & { schema: JsonSchemaObject }): Promise<Tried<unknown>>;
  generateText(key: string, request: ModelRequestOptions): Promise<Tried<string>>;
  /** Any other work that is to be done once. */
  once<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
  /** What the job shows of itself while it runs. */
  show(progress: unknown): void;
  /** Tells the webhook of something on the way; once for each key. */
  tell(key: string, event: "action", data: unknown): Promise<void>;
}

export type ModelRequestOptions = Omit<ModelRequest, "deadlineMs" | "signal" | "onText">;

export interface MapOptions {
  url: string;
  search?: string | undefined;
  limit: number;
  includeSubdomains: boolean;
  ignoreSitemap: boolean;
}

/**
 * A kind of job of steps. Start, status, cancelling, webhooks, credits and going on after a restart are the same for all;
 * a kind is a function of its input and its tools, and tested with tools that are a few lines long.
 */
export interface StepKind<Input = unknown, Result = unknown> {
  name: JobKindName;
  /**
   * @returns what the job answers; it is kept as JSON.
   * @throws AppError when there is nothing to answer: the job has failed, with the error's message.
   */
  run(input: Input, tools: StepTools): Promise<Result>;
  /** What the webhook is told of the end; without it the whole result. */
  webhookData?(result: Result, credits: number): unknown;
}
