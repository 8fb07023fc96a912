import { z } from "zod";
import type { RankedPage } from "../core/crawl/rank-urls.ts";
import type { ScrapeDocument } from "../core/scrape/document.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { JobKindName } from "../core/jobs/job.ts";
import type { ScrapeOptions } from "../formats/scrape-options.ts";
import type { JsonSchemaObject, LanguageModel, ModelRequest, ModelStep, ModelTool } from "../ports/language-model.ts";
import { CommonSpecification } from "./kind.ts";

/** Everything that a worker run needs to know about a step job. Stored as JSON with the job. */
export const StepSpecification = CommonSpecification.extend({
  /** Ms since the epoch by which the job is to end with the results that it has. */
  deadlineMs: z.number(),
  maxCredits: z.number().optional(),
});
export type StepSpecification<Input = unknown> = Omit<z.infer<typeof StepSpecification>, "input"> & { input: Input };

/** Result of an operation that may fail; the job continues in either case. */
export type Tried<Value> = { kind: "done"; value: Value } | { kind: "failed"; code: ErrorCode; message: string };

/** A page that a site's map or a search has found. */
export type FoundPage = Pick<RankedPage, "url" | "title" | "description">;

/**
 * Operations of a step job. Each one that has an effect or costs something is a step with its own key: it is done once,
 * its result is stored, and after a restart the result is read instead. A kind must therefore perform the same steps on
 * each run with the same results: no clock, no random values, no order of arrival in keys.
 */
export interface StepTools {
  readonly specification: StepSpecification;
  /** Undefined where none is configured. */
  readonly llm: Pick<LanguageModel, "names" | "contextTokens"> | undefined;
  /** Credits that are left of the job's own budget; Infinity without one. */
  creditsLeft(): Promise<number>;
  /**
   * Returns the bytes that the pages of the job may take in memory together: fewer where more jobs of the team run. Stored as
   * a step.
   */
  roomForPages(): Promise<number>;
  /** Reports whether the job's deadline has passed. Stored as a step, so that a repeated run gets the same result. */
  isLate(key: string): Promise<boolean>;
  scrape(key: string, request: { url: string; options: ScrapeOptions }): Promise<Tried<ScrapeDocument>>;
  map(key: string, request: MapOptions): Promise<Tried<FoundPage[]>>;
  search(key: string, request: { query: string; limit: number }): Promise<Tried<FoundPage[]>>;
  /** Runs one step of a conversation with tools. */
  converse(key: string, request: ModelRequestOptions & { tools: readonly ModelTool[] }): Promise<Tried<ModelStep>>;
  generateObject(key: string, request: ModelRequestOptions & { schema: JsonSchemaObject }): Promise<Tried<unknown>>;
  generateText(key: string, request: ModelRequestOptions): Promise<Tried<string>>;
  /** Returns the result of an ended job of the same team as it is stored; undefined when it is not stored any more. */
  recall(key: string, jobId: string): Promise<unknown>;
  /** Does other work once. @param result parses the stored result. */
  once<Value>(key: string, result: z.ZodType<Value>, work: () => Promise<Value>): Promise<Value>;
  /** Sets the progress that the job reports while it runs. */
  show(progress: unknown): void;
  /** Sends an event to the webhook, once for each key. */
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
 * A kind of step job. Start, status, cancellation, webhooks, credits and continuation after a restart are the same for
 * all; a kind is a function of its input and its tools, and is tested with tools of a few lines.
 */
export interface StepKind<Input = unknown, Result = unknown> {
  name: JobKindName;
  /** Parses the input as any version has stored it: fields that were added later are optional. */
  input: z.ZodType<Input>;
  /**
   * @returns the job's result, which is stored as JSON.
   * @throws AppError when there is no result: the job fails with the error's message.
   */
  run(input: Input, tools: StepTools): Promise<Result>;
  /** Returns the data of the webhook's last event; without it, the whole result is sent. */
  webhookData?(result: Result, credits: number): unknown;
}
