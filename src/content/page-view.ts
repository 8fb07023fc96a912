import type { DocumentKind } from "./documents/kind/document-kind.ts";
import type { HtmlView } from "./html/html-view.ts";
import { isFreeStatus, type LoadedPage } from "../core/scrape/page.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { WorkBudget } from "../core/work-budget.ts";
import { answerByRules, type AskedPage } from "./answers/answer-by-rules.ts";
import { readAttributeValues } from "./html/attributes.ts";
import { decodeBody, decodeInTurns } from "./text/charset.ts";
import type { DocumentContent, PdfOptions } from "./documents/document-content.ts";
import { attachmentName } from "./documents/kind/attachment-name.ts";
import { documentKind } from "./documents/kind/kind.ts";
import { readPictureFile } from "./documents/picture.ts";
import { readDocument } from "./documents/read-document.ts";
import { withDescriptions } from "./documents/describe-figures.ts";
import { isSvg, readSvg } from "./documents/svg.ts";
import { pagesToRecognise, withRecognisedPages } from "./documents/recognise-pages.ts";
import { shapeOf } from "./structured-data/schema/schema-shape.ts";
import { fillSchema } from "./structured-data/schema/fill-schema.ts";
import { readMenuFacts } from "./structured-data/products/menus.ts";
import { readProduct } from "./structured-data/products/products.ts";
import type { StructuredData } from "./structured-data/facts.ts";
import { readStructuredData } from "./structured-data/read-structured-data.ts";
import { baseUrlOf } from "./html/resolve-url.ts";
import { readImages } from "./html/images.ts";
import { readLinks } from "./crawling/links.ts";
import { readMetadata } from "./html/metadata.ts";
import { readPageFacts, type PageFacts } from "./html/page-facts.ts";
import { fingerprintPage } from "./main-content/site-template.ts";
import { once } from "./once.ts";
import { keyOf, wholeOf, type PagePart, type ReadApart } from "./page-parts.ts";
import type { OpenOptions, PageView } from "./page-reading.ts";
import { readPart } from "./read-part.ts";
import { streamHtml } from "./stream-html.ts";
import { everythingOf, type Cleaned } from "./html/cleaned.ts";
import { cleanHtml, openHtml, toHtml, toMarkdown } from "./read-html.ts";

export type { OpenOptions, PageReader, PageToRead, PageView } from "./page-reading.ts";

/** Pages that are read of a PDF that costs no credit. */
const MAX_FREE_PAGES = 10;
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
  if (kind !== "pdf") return openFile(file, options);
  const { pdf } = options;
  if (pdf === undefined) return viewDocument(file, { markdown: toBase64(bytesOf(loaded)), metadata: {} });
  if (isFreeStatus(loaded.statusCode)) return await openFree(file, pdf, options);
  const affordablePages = (await options.affordablePages?.()) ?? Infinity;
  const paid = Number.isFinite(affordablePages) ? { ...pdf, affordablePages } : pdf;
  const view = await openPdf(file, paid, { ...options, pdf: paid });
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

/** Reads the first pages of a PDF that costs no credit. */
async function openFree(file: ReadableFile, pdf: PdfOptions, options: OpenOptions): Promise<PageView> {
  const maxPages = Math.min(MAX_FREE_PAGES, pdf.maxPages ?? MAX_FREE_PAGES);
  const view = await openFile(file, { ...options, pdf: { ...pdf, maxPages } });
  const { numPages = 0, totalPages = 0 } = view.document ?? {};
  if (numPages < Math.min(totalPages, pdf.maxPages ?? totalPages)) {
    const { statusCode } = file.loaded;
    const why = `a page with the status ${statusCode} costs nothing`;
    file.loaded.warnings.push(`Only ${numPages} of ${totalPages} pages were read, since ${why}.`);
  }
  return view;
}

async function openPicture(file: FileToView, { pictures = false, recognise }: OpenOptions): Promise<PageView> {
  if (!pictures) throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", PICTURE_NOT_ASKED);
  const { loaded, budget } = file;
  return viewDocument(file, await readPictureFile(bytesOf(loaded), { url: loaded.url, recognise, budget }));
}

async function openFile(file: ReadableFile, options: OpenOptions): Promise<PageView> {
  const { loaded, kind, budget } = file;
  const page = { loaded, kind, budget, open: options };
  let apart = await options.readApart?.(page);
  if (apart === undefined) {
    const small = options.stepsHere === undefined ? await openHere(file, options) : await openSmall(file, options);
    if (small !== undefined) return small;
    apart = await options.readApart?.({ ...page, isCostly: true });
    if (apart === undefined) throw new AppError("SCRAPE_WORK_LIMIT");
  }
  for (const words of apart.warnings) warn(loaded, words);
  const { document, isStreamed } = apart;
  const here = once(() =>
    document === undefined
      ? viewHtml(loaded, () => textOf(loaded), { ...options, budget, isStreamed })
      : viewDocument(file, document),
  );
  return viewParts(file, apart, here);
}

/**
 * Reads the parts of a page that is small, at once: a few kilobytes can take as much work as many megabytes, for which
 * every other request would wait.
 * @returns undefined when they take more than `stepsHere`
 */
async function openSmall(file: ReadableFile, options: OpenOptions): Promise<PageView | undefined> {
  const { budget } = file;
  const { stepsHere = Infinity, parts = [] } = options;
  const own = new WorkBudget({ steps: Math.min(stepsHere, budget.left.steps), bytes: budget.left.bytes });
  const takesMore = (error: unknown): boolean => isAppError(error) && error.code === "SCRAPE_WORK_LIMIT";
  const view = await openHere({ ...file, budget: own }, options).catch((error: unknown) => {
    if (!takesMore(error)) throw error;
    return undefined;
  });
  try {
    if (view !== undefined) for (const part of parts) readPart(view, part);
  } catch (error) {
    // Other errors are those of a format, which meets them again.
    if (takesMore(error)) return undefined;
  }
  if (view === undefined || own.isSpent) return undefined;
  own.joinTo(budget);
  return { ...view, budget };
}

/**
 * Returns a page whose parts were read in another isolate. A part that was not asked for is read here, from the page
 * that `readHere` opens when that is necessary for the first time.
 */
function viewParts(page: FileToView, apart: ReadApart, open: () => PageView): PageView {
  const { document, parts, values, refused } = apart;
  const readHere = (): PageView => {
    if (refused !== undefined) throw refused;
    return open();
  };
  const known = new Map(parts.map((part, index) => [keyOf(part), values[index]]));
  // The values were checked by the schemas of their parts when they were received.
  const get = <Value>(part: PagePart, read: () => Value): Value => {
    const whole = keyOf(wholeOf(part));
    const key = known.has(whole) ? whole : keyOf(part);
    return known.has(key) ? ((known.get(key) ?? undefined) as Value) : read();
  };
  return {
    ...page,
    document,
    markdown: (options) => get({ name: "markdown", ...options }, () => readHere().markdown(options)),
    html: () => get({ name: "html" }, () => readHere().html()),
    rawText: once(() => rawTextOf(page)),
    base64: () => open().base64(),
    links: (options) => get({ name: "links", ...options }, () => readHere().links(options)),
    images: () => get({ name: "images" }, () => readHere().images()),
    attributeValues: ({ selector, attribute }) =>
      get({ name: "attributeValues", selector, attribute }, () => readHere().attributeValues({ selector, attribute })),
    metadata: () => get({ name: "metadata" }, () => readHere().metadata()),
    fill: (schema) => get({ name: "fill", schema }, () => readHere().fill(schema)),
    structured: undefined,
    answer: (question) => get({ name: "answer", question }, () => readHere().answer(question)),
    product: () => get({ name: "product" }, () => readHere().product()),
    menuFacts: () => get({ name: "menuFacts" }, () => readHere().menuFacts()),
    facts: () => get({ name: "facts" }, () => readHere().facts()),
    fingerprints: () => get({ name: "fingerprints" }, () => readHere().fingerprints()),
  };
}

async function openHere(file: ReadableFile, options: OpenOptions): Promise<PageView> {
  const { loaded, kind, budget } = file;
  if (kind === "html") {
    const text = await textInTurns(loaded);
    return viewHtml(loaded, () => text, { ...options, budget });
  }
  const bytes = bytesOf(loaded);
  if (kind === "xml" && options.pictures === true && isSvg(bytes))
    return viewDocument(file, readSvg(bytes, { ...loaded, budget }));
  const { contentType, url } = loaded;
  return viewDocument(
    file,
    await readDocument(kind, bytes, { contentType, url, budget, ...(options.pdf && { pdf: options.pdf }) }),
  );
}

type FileToView = Pick<PageView, "loaded" | "kind" | "budget">;
type ReadableFile = FileToView & { kind: Exclude<DocumentKind, "image"> };
type HtmlOptions = OpenOptions & { budget: WorkBudget };

function kindOf(loaded: LoadedPage): DocumentKind {
  if (typeof loaded.body === "string") return "html";
  const { contentType, fileName, url, body } = loaded;
  // An empty body is an empty page.
  return documentKind({ contentType, name: fileName ?? attachmentName(loaded) ?? url, bytes: body }) ?? "html";
}

/** The tree of a longer text would not fit into an isolate beside everything else. */
const MAX_TREE_CHARS = 6_000_000;
const STREAMED =
  "The page is so large that it was read in a stream: main content was told by tags alone, and tables came out as lines.";

/** Share of the words above which a warning reports that repeated texts were left out. */
const MIN_REPEATED_SHARE = 0.1;
const REPEATED =
  "Main content leaves out texts that the page repeats word for word or nearly so; onlyMainContent: false keeps each of them.";

function viewHtml(loaded: LoadedPage, read: () => string, options: HtmlOptions): PageView {
  const text = once(read);
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
    images: () => readImages(view(), options.budget),
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
  const headView = (): HtmlView => {
    const { head } = page();
    return { tree: { ...emptyTree, head }, url: loaded.url, baseUrl: baseUrlOf(head.baseHref, loaded.url) };
  };
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
    metadata: once(() => readMetadata(headView())),
    ...structure(headView, budget),
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
    data: view.kind === "html" ? view.structured?.() : undefined,
  };
}

/** Reads the page once, for any number of schemas. */
function structure(
  view: () => HtmlView,
  budget: WorkBudget,
): { structured: () => StructuredData } & Pick<PageView, "fill" | "product" | "menuFacts"> {
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
    // A feed has markup of others, which other documents do not.
    html: () =>
      kind === "feed"
        ? toHtml(view(), everythingOf(view().tree.root), budget)
        : (document.html ?? escapedText(document.markdown)),
    rawText: () => rawTextOf({ loaded, kind }),
    base64: () => toBase64(bytesOf(loaded)),
    links: () => readLinks(view()),
    images: () => readImages(view(), budget),
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

async function rawTextOf({ loaded, kind }: Pick<PageView, "loaded" | "kind">): Promise<string> {
  return kind === "html" || isTextKind(kind) ? await textInTurns(loaded) : toBase64(bytesOf(loaded));
}

async function textInTurns({ body, contentType }: LoadedPage): Promise<string> {
  return typeof body === "string" ? body : (await decodeInTurns(body, contentType)).text;
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
