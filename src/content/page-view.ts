import type { LoadedPage } from "../core/scrape/page.ts";
import { WorkBudget } from "../core/work-budget.ts";
import { readAttributeValues } from "./html/attributes.ts";
import { decodeBody } from "./text/charset.ts";
import type { DocumentContent, PdfOptions } from "./documents/document-content.ts";
import { documentKind, type DocumentKind } from "./documents/kind/kind.ts";
import { readDocument, type DocumentReader } from "./documents/read-document.ts";
import type { JsonSchema } from "../core/schema/json-schema.ts";
import { shapeOf } from "./structured-data/schema/schema-shape.ts";
import { fillSchema, type Filled } from "./structured-data/schema/fill-schema.ts";
import type { StructuredData } from "./structured-data/facts.ts";
import { readStructuredData } from "./structured-data/read-structured-data.ts";
import { readImages } from "./html/images.ts";
import { readLinks } from "./crawling/links.ts";
import { readMetadata, type PageMetadata } from "./html/metadata.ts";
import { readPageFacts, type PageFacts } from "./html/page-facts.ts";
import type { SiteTemplate } from "./main-content/site-template.ts";
import { streamHtml } from "./stream-html.ts";
import {
  cleanHtml,
  openHtml,
  toHtml,
  toMarkdown,
  type CleanOptions,
  type Cleaned,
  type HtmlView,
} from "./read-html.ts";

export interface OpenOptions {
  clean: CleanOptions;
  /** How PDFs are read; undefined hands a PDF's bytes over in Base64 instead of its text. */
  pdf: PdfOptions | undefined;
  /** Only the bytes are wanted: nothing is parsed, and any type of file will do. */
  bytesOnly: boolean;
  /** What reading may take; one of its own without. */
  budget?: WorkBudget;
  /** Reads documents; in this isolate without. */
  readDocument?: DocumentReader;
}

/** A loaded page, ready to be read in any format. Each step of reading is done once, when it is first needed. */
export interface PageView {
  readonly loaded: LoadedPage;
  readonly kind: DocumentKind;
  /** Counts the work of every reader of this page; its `warning` names what was cut. */
  readonly budget: WorkBudget;
  /** Pages and other parts of documents that are not HTML. */
  readonly document: DocumentContent | undefined;
  markdown(options: { removeBase64Images: boolean }): string;
  html(): string;
  rawText(): string;
  base64(): string;
  links(): string[];
  images(): string[];
  /** @throws AppError `BAD_REQUEST` for a selector that cannot be read. */
  attributeValues(wanted: { selector: string; attribute: string }): string[];
  metadata(): PageMetadata;
  /** What of a JSON Schema the page says in a form that rules can read; never anything else. */
  fill(schema: JsonSchema): Filled;
  /** Everything that the page says in a form which rules can read. */
  structured(): StructuredData;
  /** What page signals are read from. */
  facts(): PageFacts;
  /** Counts the page among those that a site's template is learned from. Pages without a tree tell nothing. */
  teach(template: SiteTemplate): void;
}

/**
 * Opens a loaded page: tells what it is, decodes text, reads documents.
 * @throws AppError `SCRAPE_UNSUPPORTED_FILE_ERROR` for files that hold no text, and what `readDocument` throws.
 */
export async function openPage(loaded: LoadedPage, options: OpenOptions): Promise<PageView> {
  const kind = kindOf(loaded);
  const budget = options.budget ?? new WorkBudget();
  const file: FileToView = { loaded, kind, budget };
  if (options.bytesOnly) return viewDocument(file, { markdown: "", metadata: {} });
  if (kind === "html") return viewHtml(loaded, { ...options, budget });
  if (kind === "pdf" && options.pdf === undefined) {
    return viewDocument(file, { markdown: toBase64(bytesOf(loaded)), metadata: {} });
  }
  const { contentType, url } = loaded;
  const read = options.readDocument ?? readDocument;
  return viewDocument(file, await read(kind, bytesOf(loaded), { contentType, url, pdf: options.pdf, budget }));
}

type FileToView = Pick<PageView, "loaded" | "kind" | "budget">;
type HtmlOptions = OpenOptions & { budget: WorkBudget };

function kindOf(loaded: LoadedPage): DocumentKind {
  if (typeof loaded.body === "string") return "html";
  const { contentType, fileName, url, body } = loaded;
  // Nothing at all is an empty page.
  return documentKind({ contentType, name: fileName ?? url, bytes: body }) ?? "html";
}

/** A tree of more text than this would not fit into an isolate beside everything else. */
const MAX_TREE_CHARS = 6_000_000;
const STREAMED =
  "The page is so large that it was read in a stream: main content was told by tags alone, and tables came out as lines.";

/** Share of the words from which on a reader is told that repeated texts were left out. */
const MIN_REPEATED_SHARE = 0.1;
const REPEATED =
  "Main content leaves out texts that the page repeats word for word; onlyMainContent: false keeps each of them.";

function viewHtml(loaded: LoadedPage, options: HtmlOptions): PageView {
  const text = once(() => textOf(loaded));
  if (sizeOf(loaded) > MAX_TREE_CHARS && text().length > MAX_TREE_CHARS) return viewStreamed(loaded, text(), options);
  const view = once((): HtmlView => openHtml(text(), loaded.url, options.budget));
  const cleaned = once((): Cleaned => {
    const result = cleanHtml(view(), options.clean, options.budget);
    if ((result.repeatedShare ?? 0) >= MIN_REPEATED_SHARE) loaded.warnings.push(REPEATED);
    return result;
  });
  return {
    loaded,
    kind: "html",
    budget: options.budget,
    document: undefined,
    markdown: (markdownOptions) => toMarkdown(view(), cleaned(), { ...markdownOptions, budget: options.budget }),
    html: () => toHtml(view(), cleaned(), options.budget),
    rawText: text,
    base64: () => toBase64(bytesOf(loaded)),
    links: () => readLinks(view()),
    images: () => readImages(view()),
    attributeValues: (wanted) => readAttributeValues(view(), wanted, options.budget),
    metadata: once(() => readMetadata(view())),
    ...structure(view, options.budget),
    facts: once(() => readPageFacts(view().tree, text())),
    teach: (template) => template.addPage(view().tree),
  };
}

/** A page that is read once, from start to end. Selectors find nothing in it, and the warning says so. */
function viewStreamed(loaded: LoadedPage, text: string, { clean, budget }: HtmlOptions): PageView {
  const { onlyMainContent, includeTags, excludeTags } = clean;
  const page = once(() => streamHtml(text, { baseUrl: loaded.url, onlyMainContent }, budget));
  const emptyTree = openHtml("", loaded.url).tree;
  const ignored = includeTags.length + excludeTags.length > 0 ? " includeTags and excludeTags were not applied." : "";
  loaded.warnings.push(STREAMED + ignored);
  return {
    loaded,
    kind: "html",
    budget,
    document: undefined,
    markdown: () => page().markdown,
    html: () => page().html,
    rawText: () => text,
    base64: () => toBase64(bytesOf(loaded)),
    links: () => page().links,
    images: () => page().images,
    attributeValues: () => [],
    metadata: once(() =>
      readMetadata({ tree: { ...emptyTree, head: page().head }, url: loaded.url, baseUrl: loaded.url }),
    ),
    ...structure(() => ({ tree: { ...emptyTree, head: page().head }, url: loaded.url, baseUrl: loaded.url }), budget),
    facts: once(() => ({
      ...readPageFacts(emptyTree, ""),
      title: page().head.title,
      text: page().markdown.slice(0, 10_000),
    })),
    teach: () => undefined,
  };
}

/** Reads the page once, however many schemas are filled from it. */
function structure(view: () => HtmlView, budget: WorkBudget): Pick<PageView, "fill" | "structured"> {
  const structured = once(() => readStructuredData(view(), budget));
  return { structured, fill: (schema) => fillSchema(shapeOf(schema), structured(), budget) };
}

/** Text without any mark-up: what is labelled stands in lines. */
function asLines(text: string): string {
  return `<p>${escapedLines(text).replaceAll("\n", "<br>")}</p>`;
}

function escapedLines(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function sizeOf({ body }: LoadedPage): number {
  return typeof body === "string" ? body.length : body.byteLength;
}

/** A document has no tree of its own: what its HTML holds, where it has any, answers for links and images. */
function viewDocument({ loaded, kind, budget }: FileToView, document: DocumentContent): PageView {
  const view = once((): HtmlView => openHtml(document.html ?? "", loaded.url));
  const nothing: PageFacts = readPageFacts(openHtml("", loaded.url).tree, "");
  return {
    loaded,
    kind,
    budget,
    document,
    markdown: () => document.markdown,
    html: () => document.html ?? escapedText(document.markdown),
    rawText: () => (isTextKind(kind) ? textOf(loaded) : toBase64(bytesOf(loaded))),
    base64: () => toBase64(bytesOf(loaded)),
    links: () => readLinks(view()),
    images: () => readImages(view()),
    attributeValues: (wanted) => readAttributeValues(view(), wanted, budget),
    metadata: () => document.metadata,
    ...structure(
      () => (document.html === undefined ? openHtml(asLines(document.markdown), loaded.url) : view()),
      budget,
    ),
    facts: () => nothing,
    teach: () => undefined,
  };
}

const TEXT_KINDS: ReadonlySet<DocumentKind> = new Set(["json", "xml", "feed", "text", "csv", "tsv", "rtf"]);

function isTextKind(kind: DocumentKind): boolean {
  return TEXT_KINDS.has(kind);
}

function escapedText(text: string): string {
  return `<html><body><pre>${escapedLines(text)}</pre></body></html>`;
}

function textOf(loaded: LoadedPage): string {
  return typeof loaded.body === "string" ? loaded.body : decodeBody(loaded.body, loaded.contentType).text;
}

function bytesOf(loaded: LoadedPage): Uint8Array {
  return typeof loaded.body === "string" ? new TextEncoder().encode(loaded.body) : loaded.body;
}

/** Base64 (RFC 4648 § 4), in pieces that fit the argument limit of `fromCharCode`. */
export function toBase64(bytes: Uint8Array): string {
  const PIECE = 0x8000 - (0x8000 % 3);
  const pieces: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += PIECE) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(offset, offset + PIECE))));
  }
  return pieces.join("");
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
