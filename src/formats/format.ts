import type { z } from "zod";
import type { ScrapeDocument } from "../core/scrape/document.ts";
import type { PageFile, PageNeed } from "../core/scrape/page.ts";
import type { PagePart } from "../content/page-parts.ts";
import type { PageView } from "../content/page-view.ts";
import type { RunTextTask } from "../content/text-tasks/text-tasks.ts";
import type { PageSnapshot } from "../ports/storage/change-history.ts";
import type { LanguageModel } from "../ports/language-model.ts";

/** Access to the snapshots of a page that earlier scrapes stored under a tag. */
export interface PageHistory {
  nowMs: number;
  find(tag: string | null): Promise<PageSnapshot | undefined>;
  save(tag: string | null, snapshot: PageSnapshot): Promise<void>;
}

/** The context of a derivation, besides the page. */
export interface FormatContext {
  /** True to replace base64 pictures in the page's text by a note. */
  removeBase64Images: boolean;
  /** Undefined when no model is configured. */
  llm: LanguageModel | undefined;
  /** Ms since the epoch by which the document must be ready. */
  deadlineMs: number;
  /** Adds a text to the document's warning. */
  warn(words: string): void;
  /** Returns credits of a format that found nothing; the document then costs as many less. */
  refund(credits: number): void;
  /** A string instead gives the reason why the page cannot be compared. */
  history: PageHistory | string;
  /** Runs work on a text, which takes no time of the service when the text is large. */
  task: RunTextTask;
  /** Stores a file and returns its URL. */
  publish(file: PageFile): Promise<string>;
}

/** An output format: its request schema, its needs, its price and its derivation, all in one file. */
export interface Format<Type extends string = string, Request extends { type: Type } = { type: Type }> {
  type: Type;
  request: z.ZodType<Request, unknown>;
  /** Data that the engine must return. */
  needs: readonly PageNeed[];
  /** Returns the parts of the page that are read besides its text, for a page that is read in another isolate. */
  reads?(request: Request): readonly PagePart[];
  /** Reports whether the page's source is read, which is redacted beforehand when redaction is requested. */
  readsSource?(request: Request): boolean;
  /** Credits in addition to the page's own. */
  credits: number;
  /** Returns the credits of formats whose price depends on the request. */
  creditsFor?(request: Request): number;
  derive(
    page: PageView,
    request: Request,
    context: FormatContext,
  ): Partial<ScrapeDocument> | Promise<Partial<ScrapeDocument>>;
}

/** Preserves the literal type of a format's name. */
export function defineFormat<Type extends string, Request extends { type: Type }>(
  format: Format<Type, Request>,
): Format<Type, Request> {
  return format;
}
