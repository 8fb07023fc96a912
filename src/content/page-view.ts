import type { DocumentKind } from "./documents/kind/document-kind.ts";
import type { HtmlView } from "./html/html-view.ts";
import type { LoadedPage } from "../core/scrape/page.ts";
import type { Product } from "../core/scrape/product.ts";
import { AppError } from "../core/errors.ts";
import type { DescribeFigures, RecogniseText } from "../core/ocr/recognition.ts";
import { WorkBudget } from "../core/work-budget.ts";
import { answerByRules, type AskedPage, type RuledAnswer } from "./answers/answer-by-rules.ts";
import { readAttributeValues } from "./html/attributes.ts";
import { decodeBody } from "./text/charset.ts";
import type { DocumentContent, PdfOptions } from "./documents/document-content.ts";
import { documentKind } from "./documents/kind/kind.ts";
import { readPictureFile } from "./documents/picture.ts";
import { readDocument } from "./documents/read-document.ts";
import { withDescriptions } from "./documents/describe-figures.ts";
import { isSvg, readSvg } from "./documents/svg.ts";
import { pagesToRecognise, withRecognisedPages } from "./documents/recognise-pages.ts";
import type { JsonSchema } from "../core/schema/json-schema.ts";
import { shapeOf } from "./structured-data/schema/schema-shape.ts";
import { fillSchema, type Filled } from "./structured-data/schema/fill-schema.ts";
import type { MenuFacts } from "./structured-data/products/menu-source.ts";
import { readMenuFacts } from "./structured-data/products/menus.ts";
import { readProduct } from "./structured-data/products/products.ts";
import type { StructuredData } from "./structured-data/facts.ts";
import { readStructuredData } from "./structured-data/read-structured-data.ts";
import { readImages } from "./html/images.ts";
import { readLinks } from "./crawling/links.ts";
import { readMetadata, type PageMetadata } from "./html/metadata.ts";
import { readPageFacts, type PageFacts } from "./html/page-facts.ts";
import { fingerprintPage } from "./main-content/site-template.ts";
import { once } from "./once.ts";
import { keyOf, type PagePart, type ReadApart } from "./page-parts.ts";
import { streamHtml } from "./stream-html.ts";
import type { Cleaned } from "./html/cleaned.ts";
import type { CleanOptions } from "./main-content/clean.ts";
import { cleanHtml, openHtml, toHtml, toMarkdown } from "./read-html.ts";

export interface OpenOptions {
  clean: CleanOptions;
  /** Options for PDFs; when undefined, a PDF's bytes are returned in Base64 instead of its text. */
  pdf: PdfOptions | undefined;
  /** Only the bytes are needed: nothing is parsed, and any type of file is accepted. */
  bytesOnly: boolean;
  /** Budget for reading; a separate one by default. */
  budget?: WorkBudget;
  /** Parts that will be read, as far as they are known: a page that is read in another isolate comes with these. */
  parts?: readonly PagePart[];
  /** Reads the HTML in one pass, without a tree, as large pages are. */
  isStreamed?: boolean;
  /** Length of HTML above which it is read in one pass. Default: 6,000,000 characters. */
  maxTreeChars?: number;
  /** Reads the pages that are not read in this isolate; undefined for those that are. */
  readApart?: PageReader;
  /** True when the text of pictures is read. */
  pictures?: boolean;
  /** Recognises text in pictures and scans; undefined where no engine is available. */
  recognise?: RecogniseText;
  /** Describes the pictures of PDFs; undefined where no vision model is available. */
  describe?: DescribeFigures;
  /** True in an isolate that reads for another one, which recognises text itself. */
  isApart?: boolean;
}

/** A page that may be read in another isolate. */
export interface PageToRead {
  loaded: LoadedPage;
  kind: DocumentKind;
  budget: WorkBudget;
  open: Omit<OpenOptions, "budget" | "readApart" | "recognise">;
}

/** @returns undefined when the page is to be read in this isolate. */
export type PageReader = (page: PageToRead) => Promise<ReadApart | undefined>;

/** A loaded page, ready to be read in any format. Each step of reading is done once, when it is first needed. */
export interface PageView {
  readonly loaded: LoadedPage;
  readonly kind: DocumentKind;
  /** Counts the work of every reader of this page; its `warning` names the parts that were cut. */
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
  /** Fills the parts of a JSON Schema that the page states in a form that rules can read; never anything else. */
  fill(schema: JsonSchema): Filled;
  /** Returns everything that the page states in a form that rules can read. */
  structured(): StructuredData;
  /** Answers a question by rules, from the markdown and what the page states. */
  answer(question: string): RuledAnswer;
  /** Returns the product that the page's structured data describes. */
  product(): Product | undefined;
  /** Returns the menu that the page's structured data describes. */
  menuFacts(): MenuFacts;
  /** The facts that page signals are read from. */
  facts(): PageFacts;
  /** Returns the fingerprints of the page's blocks, from which a site's template is learned; none without a tree. */
  fingerprints(): number[];
}

const PICTURE_NOT_ASKED =
  'This is a picture. The parser image (parsers: ["image"]) reads its text; the rawBase64 format returns the file.';

/**
 * Opens a loaded page: detects its kind, decodes text, reads documents.
 * Text in scans and pictures is recognised where the options ask for it.
 * @throws AppError `SCRAPE_UNSUPPORTED_FILE_ERROR` for files that hold no text, and the errors of `readDocument`,
 * `readApart` and `recognisePicture`.
 */
export async function openPage(loaded: LoadedPage, options: OpenOptions): Promise<PageView> {
  const kind = kindOf(loaded);
  const budget = options.budget ?? new WorkBudget();
  if (options.bytesOnly) return viewDocument({ loaded, kind, budget }, { markdown: "", metadata: {} });
  if (kind === "image") return openPicture({ loaded, kind, budget }, options);
  const file: ReadableFile = { loaded, kind, budget };
  if (kind === "xml" && options.pictures === true && isSvg(bytesOf(loaded)))
    return viewDocument(file, readSvg(bytesOf(loaded), { ...loaded, budget }));
  if (kind !== "pdf") return openFile(file, options);
  const { pdf } = options;
  if (pdf === undefined) return viewDocument(file, { markdown: toBase64(bytesOf(loaded)), metadata: {} });
  const view = await openPdf(file, pdf, options);
  // Pages with an error are no documents of the site, and their pictures are not described.
  if (options.describe === undefined || loaded.statusCode >= 400) return view;
  return await withDescriptions(view, bytesOf(loaded), options.describe);
}

async function openPdf(file: ReadableFile, pdf: PdfOptions, options: OpenOptions): Promise<PageView> {
  const { loaded } = file;
  const { recognise } = options;
  const view = await openFile(file, options);
  const pages = view.document === undefined ? [] : pagesToRecognise(view.document, pdf);
  // A page with an error is no document of the site.
  if (pages.length === 0 || loaded.statusCode >= 400 || options.isApart === true) return view;
  return await withRecognisedPages(view, { pages, bytes: bytesOf(loaded), mode: pdf.mode, recognise }, (recognised) =>
    openFile(file, { ...options, pdf: { ...pdf, recognised } }),
  );
}

async function openPicture(file: FileToView, { pictures = false, recognise }: OpenOptions): Promise<PageView> {
  if (!pictures) throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", PICTURE_NOT_ASKED);
  const { loaded, budget } = file;
  return viewDocument(file, await readPictureFile(bytesOf(loaded), { url: loaded.url, recognise, budget }));
}

async function openFile(file: ReadableFile, options: OpenOptions): Promise<PageView> {
  const { loaded, kind, budget } = file;
  const apart = await options.readApart?.({ loaded, kind, budget, open: options });
  if (apart === undefined) return openHere(file, options);
  for (const words of apart.warnings) warn(loaded, words);
  const { document, isStreamed } = apart;
  const here = once(() =>
    document === undefined ? viewHtml(loaded, { ...options, budget, isStreamed }) : viewDocument(file, document),
  );
  return viewParts(file, apart, here);
}

/**
 * Returns a page whose parts were read in another isolate. A part that was not asked for is read here, from the page
 * that `readHere` opens when that is necessary for the first time.
 */
function viewParts(page: FileToView, { document, parts, values }: ReadApart, readHere: () => PageView): PageView {
  const known = new Map(parts.map((part, index) => [keyOf(part), values[index]]));
  // The values were checked by the schemas of their parts when they were received.
  const get = <Value>(part: PagePart, read: () => Value): Value => {
    const key = keyOf(part);
    return known.has(key) ? ((known.get(key) ?? undefined) as Value) : read();
  };
  return {
    ...page,
    document,
    markdown: ({ removeBase64Images }) =>
      get({ name: "markdown", removeBase64Images }, () => readHere().markdown({ removeBase64Images })),
    html: () => get({ name: "html" }, () => readHere().html()),
    rawText: () => readHere().rawText(),
    base64: () => readHere().base64(),
    links: () => get({ name: "links" }, () => readHere().links()),
    images: () => get({ name: "images" }, () => readHere().images()),
    attributeValues: ({ selector, attribute }) =>
      get({ name: "attributeValues", selector, attribute }, () => readHere().attributeValues({ selector, attribute })),
    metadata: () => get({ name: "metadata" }, () => readHere().metadata()),
    fill: (schema) => get({ name: "fill", schema }, () => readHere().fill(schema)),
    structured: () => readHere().structured(),
    answer: (question) => get({ name: "answer", question }, () => readHere().answer(question)),
    product: () => get({ name: "product" }, () => readHere().product()),
    menuFacts: () => get({ name: "menuFacts" }, () => readHere().menuFacts()),
    facts: () => get({ name: "facts" }, () => readHere().facts()),
    fingerprints: () => get({ name: "fingerprints" }, () => readHere().fingerprints()),
  };
}

async function openHere(file: ReadableFile, options: OpenOptions): Promise<PageView> {
  const { loaded, kind, budget } = file;
  if (kind === "html") return viewHtml(loaded, { ...options, budget });
  const { contentType, url } = loaded;
  return viewDocument(
    file,
    await readDocument(kind, bytesOf(loaded), { contentType, url, budget, ...(options.pdf && { pdf: options.pdf }) }),
  );
}

type FileToView = Pick<PageView, "loaded" | "kind" | "budget">;
type ReadableFile = FileToView & { kind: Exclude<DocumentKind, "image"> };
type HtmlOptions = OpenOptions & { budget: WorkBudget };

function kindOf(loaded: LoadedPage): DocumentKind {
  if (typeof loaded.body === "string") return "html";
  const { contentType, fileName, url, body } = loaded;
  // An empty body is an empty page.
  return documentKind({ contentType, name: fileName ?? url, bytes: body }) ?? "html";
}

/** The tree of a longer text would not fit into an isolate beside everything else. */
const MAX_TREE_CHARS = 6_000_000;
const STREAMED =
  "The page is so large that it was read in a stream: main content was told by tags alone, and tables came out as lines.";

/** Share of the words above which a warning reports that repeated texts were left out. */
const MIN_REPEATED_SHARE = 0.1;
const REPEATED =
  "Main content leaves out texts that the page repeats word for word or nearly so; onlyMainContent: false keeps each of them.";

function viewHtml(loaded: LoadedPage, options: HtmlOptions): PageView {
  const text = once(() => textOf(loaded));
  const { maxTreeChars = MAX_TREE_CHARS } = options;
  const isLarge = sizeOf(loaded) > maxTreeChars && text().length > maxTreeChars;
  if (isLarge || options.isStreamed === true) return viewStreamed(loaded, text(), options);
  const view = once((): HtmlView => openHtml(text(), loaded.url, options.budget));
  const cleaned = once((): Cleaned => {
    const result = cleanHtml(view(), options.clean, options.budget);
    if ((result.repeatedShare ?? 0) >= MIN_REPEATED_SHARE) warn(loaded, REPEATED);
    return result;
  });
  return withAnswers({
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
    fingerprints: () => fingerprintPage(view().tree),
  });
}

/**
 * Returns the view of a page that is read once, from start to end. Selectors find nothing in it, and the warning says
 * so.
 */
function viewStreamed(loaded: LoadedPage, text: string, { clean, budget }: HtmlOptions): PageView {
  const { onlyMainContent, includeTags, excludeTags } = clean;
  const page = once(() => streamHtml(text, { baseUrl: loaded.url, onlyMainContent }, budget));
  const emptyTree = openHtml("", loaded.url).tree;
  const ignored = includeTags.length + excludeTags.length > 0 ? " includeTags and excludeTags were not applied." : "";
  warn(loaded, STREAMED + ignored);
  return withAnswers({
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
    fingerprints: () => [],
  });
}

function withAnswers(view: Omit<PageView, "answer">): PageView {
  return { ...view, answer: (question) => answerByRules(askedPageOf(view), question, view.budget) };
}

/** Returns what questions about a page are answered from. */
export function askedPageOf(view: Omit<PageView, "answer">): AskedPage {
  const { title, description } = view.metadata();
  return {
    url: view.loaded.url,
    title: typeof title === "string" ? title : "",
    text: view.markdown({ removeBase64Images: true }),
    description: typeof description === "string" ? description : "",
    data: view.kind === "html" ? view.structured() : undefined,
  };
}

/** Reads the page once, for any number of schemas. */
function structure(
  view: () => HtmlView,
  budget: WorkBudget,
): Pick<PageView, "structured" | "fill" | "product" | "menuFacts"> {
  const structured = once(() => readStructuredData(view(), budget));
  return {
    structured,
    fill: (schema) => fillSchema(shapeOf(schema), structured(), budget),
    product: () => readProduct(structured()),
    menuFacts: () => readMenuFacts(structured()),
  };
}

/** Adds a warning that the page does not have yet. */
function warn({ warnings }: LoadedPage, words: string): void {
  if (!warnings.includes(words)) warnings.push(words);
}

/** Length of a document's text in which labelled facts are searched for. */
const MAX_LABELLED_CHARS = 1_000_000;

/** Returns text without mark-up as HTML, one line per line: labelled facts are found by lines. */
function asLines(text: string, budget: WorkBudget): string {
  if (text.length > MAX_LABELLED_CHARS) budget.cut("structured data");
  return `<p>${escapedLines(text.slice(0, MAX_LABELLED_CHARS)).replaceAll("\n", "<br>")}</p>`;
}

function escapedLines(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function sizeOf({ body }: LoadedPage): number {
  return typeof body === "string" ? body.length : body.byteLength;
}

/** Returns the view of a document. It has no tree; its HTML, where it has any, is the source of links and images. */
function viewDocument({ loaded, kind, budget }: FileToView, document: DocumentContent): PageView {
  const view = once((): HtmlView => openHtml(document.html ?? "", loaded.url));
  const nothing: PageFacts = readPageFacts(openHtml("", loaded.url).tree, "");
  return withAnswers({
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
      () => (document.html === undefined ? openHtml(asLines(document.markdown, budget), loaded.url, budget) : view()),
      budget,
    ),
    facts: () => nothing,
    fingerprints: () => [],
  });
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

/** Returns Base64 (RFC 4648 § 4). */
function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
