import type { z } from "zod";
import type { ScrapeDocument } from "../core/scrape/document.ts";
import type { PageFile, PageNeed } from "../core/scrape/page.ts";
import type { PageView } from "../content/page-view.ts";
import type { PageSnapshot } from "../ports/storage/change-history.ts";
import type { LanguageModel } from "../ports/language-model.ts";

/** What a page was when it was tracked before, under a tag. */
export interface PageHistory {
  nowMs: number;
  find(tag: string | null): Promise<PageSnapshot | undefined>;
  save(tag: string | null, snapshot: PageSnapshot): Promise<void>;
}

/** What a format may use beside the page. */
export interface FormatContext {
  /** Base64 pictures inside the page's text are replaced by a note. */
  removeBase64Images: boolean;
  /** Undefined where none is configured. */
  llm: LanguageModel | undefined;
  /** Ms since the epoch, by which the document is to be ready. */
  deadlineMs: number;
  /** Tells the caller what could not be done as asked. */
  warn(words: string): void;
  /** Words instead, where the page can be compared with nothing, that say why. */
  history: PageHistory | string;
  /** Keeps a file and tells its URL. */
  publish(file: PageFile): Promise<string>;
}

/** A way to answer a page: what it takes, what it needs, what it costs, how it is made. All of it in one file. */
export interface Format<Type extends string = string, Request extends { type: Type } = { type: Type }> {
  type: Type;
  request: z.ZodType<Request, unknown>;
  /** What the engine must bring along. */
  needs: readonly PageNeed[];
  /** Credits beyond the page's own one. */
  credits: number;
  /** The same for formats whose price depends on what is asked of them. */
  creditsFor?(request: Request): number;
  derive(
    page: PageView,
    request: Request,
    context: FormatContext,
  ): Partial<ScrapeDocument> | Promise<Partial<ScrapeDocument>>;
}

/** Keeps the literal type of a format's name. */
export function defineFormat<Type extends string, Request extends { type: Type }>(
  format: Format<Type, Request>,
): Format<Type, Request> {
  return format;
}
