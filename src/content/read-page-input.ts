import { isAppError, type ErrorCode } from "../core/errors.ts";
import type { LoadedPage } from "../core/scrape/page.ts";
import { WorkBudget } from "../core/work-budget.ts";
import type { DocumentContent, PdfOptions } from "./documents/document-content.ts";
import { SiteTemplate } from "./main-content/site-template.ts";
import type { PagePart } from "./page-parts.ts";
import { openPage, type OpenOptions } from "./page-view.ts";
import { readPart } from "./read-part.ts";

/** A loaded page that comes from another isolate, and the parts of it that are wanted. */
export interface PageInput {
  page: Pick<LoadedPage, "url" | "contentType" | "fileName">;
  body: Uint8Array;
  /** The body is HTML in UTF-8, whatever its content type says. */
  isText: boolean;
  /** The template of the site is serialized. */
  clean: Omit<OpenOptions["clean"], "site"> & { site?: { text: string; isCautious: boolean } };
  pdf: PdfOptions | undefined;
  /** True when the text of pictures in SVG is read. */
  pictures?: boolean;
  parts: PagePart[];
  isStreamed: boolean;
  /** The remainder of the request's work budget, and the time after which reading ends with what was read. */
  limits: { steps: number; bytes: number; timeMs: number };
}

/** The result. Errors are values, since error codes are lost when an exception crosses isolates. */
export type PageOutput = (
  | { kind: "read"; document?: DocumentContent; values: unknown[]; warnings: string[] }
  | { kind: "failed"; code: ErrorCode; message: string }
) & { spent: { steps: number; bytes: number; cut: string[] } };

/** Reads the wanted parts of a page within its limits. Null stands for a part that is undefined. */
export async function readPageInput(input: PageInput): Promise<PageOutput> {
  const { steps, bytes, timeMs } = input.limits;
  const now = (): number => Date.now();
  const budget = new WorkBudget({ steps, bytes, deadline: { atMs: now() + timeMs, now } });
  const spent = () => ({ steps: budget.steps, bytes: budget.bytes, cut: budget.cutParts });
  try {
    const loaded = loadedOf(input);
    const view = await openPage(loaded, openOptions(input, budget));
    const values = input.parts.map((part) => readPart(view, part) ?? null);
    const { document } = view;
    return { kind: "read", ...(document && { document }), values, warnings: loaded.warnings, spent: spent() };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { kind: "failed", code: error.code, message: error.message, spent: spent() };
  }
}

function loadedOf({ page, body, isText }: PageInput): LoadedPage {
  const text = isText ? new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(body) : body;
  return { engine: "fetch", statusCode: 200, headers: {}, ...page, body: text, warnings: [] };
}

function openOptions(input: PageInput, budget: WorkBudget): OpenOptions {
  const { clean: inputClean, pdf, pictures = false, isStreamed } = input;
  const { site, ...clean } = inputClean;
  const template = site === undefined ? {} : { site: SiteTemplate.parse(site.text, site) };
  return { clean: { ...clean, ...template }, pdf, pictures, bytesOnly: false, budget, isStreamed, isApart: true };
}
