import { getDocument } from "#pdfjs";
import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import type { DocumentContent, PageBlocks, PdfOptions } from "../document-content.ts";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import type { Block } from "./block.ts";
import { linesOf } from "./block.ts";
import { blocksToHtml, toLayoutBlock } from "./blocks-to-html.ts";
import { CharacterMaps } from "./character-maps.ts";
import { type Vocabulary, wholeWords } from "./join-lines.ts";
import { layoutBlocks } from "./layout-blocks.ts";
import { withMonospacedProse } from "./monospaced-prose.ts";
import type { FontFaces } from "./page-runs.ts";
import type { PdfDocument } from "./pdf-document.ts";
import { isPainted, MAX_RUNS, readPageRuns } from "./page-runs.ts";
import { pdfMetadata } from "./pdf-metadata.ts";
import { PdfWork } from "./pdf-work.ts";
import { readingOrder } from "./reading-order.ts";
import { withoutRunningHeads } from "./running-heads.ts";
import type { Aside, Line, PageText } from "./text-run.ts";
import { typeScale } from "./type-scale.ts";
import { escapeHtml } from "../html/html-text.ts";

/** Default page limit; an isolate has 128 MB, and a dense page holds some 50 kB until the end. */
const DEFAULT_MAX_PAGES = 1_000;
/** pdf.js retains every object that it read until its cleanup is called. */
const PAGES_BETWEEN_CLEANUPS = 50;

interface ReadPages {
  pages: PageText[];
  scanned: number[];
  failed: number[];
  /** Pages of which only the first part was read. */
  cut: number[];
  /** Set when a font has no map from its glyphs to characters. */
  hasUnknownText: boolean;
}

/** The part of a PDF that is read, and the budget for reading it. */
interface ReadOptions extends PdfOptions {
  budget?: WorkBudget | undefined;
}

/**
 * Reads the text layer of a PDF (ISO 32000) in reading order, with headings, lists, tables, links and emphasis as far
 * as the layout shows them. The bytes are not changed. A file that takes too much work is read as far as its budget
 * allows, and the warning says so.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for a password, SCRAPE_PDF_PREFETCH_FAILED for a broken file
 */
export async function readPdf(bytes: Uint8Array, url: string, options: ReadOptions = {}): Promise<DocumentContent> {
  const work = new PdfWork(bytes.byteLength, options.budget);
  return work.run(() => readWithin(work, bytes, url, options));
}

async function readWithin(
  work: PdfWork,
  bytes: Uint8Array,
  url: string,
  options: PdfOptions,
): Promise<DocumentContent> {
  const characterMaps = new CharacterMaps();
  const document = await openPdf(bytes, characterMaps, work.budget);
  try {
    const totalPages = document.numPages;
    const numPages = Math.min(totalPages, options.maxPages ?? DEFAULT_MAX_PAGES);
    const read = await readPages(document, numPages, work);
    read.hasUnknownText = characterMaps.missing.size > 0;
    const metadata = await pdfMetadata(document);
    const content = toContent(read.pages, url, options, work.budget);
    const warning = [work.warning, warningOf(read, options, totalPages)].filter((words) => words !== "").join(" ");
    return { ...content, metadata, numPages: read.pages.length, totalPages, ...(warning === "" ? {} : { warning }) };
  } finally {
    await document.loadingTask.destroy().catch(() => undefined);
  }
}

async function openPdf(bytes: Uint8Array, characterMaps: CharacterMaps, budget: WorkBudget): Promise<PdfDocument> {
  class BinaryData {
    /** Fonts and decoders of images are requested too; text needs neither. */
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      if (kind !== "cMapUrl") throw new Error(`${filename} is not needed`);
      return characterMaps.read(filename);
    }
  }
  try {
    // pdf.js detaches the buffer that it receives, hence the copy.
    return await getDocument({
      data: bytes.slice(),
      verbosity: 0,
      disableFontFace: true,
      useSystemFonts: false,
      // Images are never needed; without a limit they would be decoded.
      maxImageSize: 0,
      stopAtErrors: false,
      // The address is never loaded; without one, pdf.js requests no character maps.
      cMapUrl: "none:/",
      cMapPacked: false,
      useWorkerFetch: false,
      BinaryDataFactory: BinaryData,
    }).promise;
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name === "PasswordException") {
      throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "The PDF is protected by a password", { cause: error });
    }
    if (budget.isSpent) throw new AppError("SCRAPE_WORK_LIMIT", undefined, { cause: error });
    throw new AppError("SCRAPE_PDF_PREFETCH_FAILED", "The file is damaged or is not a PDF", { cause: error });
  }
}

async function readPages(document: PdfDocument, numPages: number, work: PdfWork): Promise<ReadPages> {
  const fonts: FontFaces = new Map();
  const read: ReadPages = { pages: [], scanned: [], failed: [], cut: [], hasUnknownText: false };
  for (let pageNumber = 1; pageNumber <= numPages && !work.budget.isSpent; pageNumber++) {
    try {
      const page = await document.getPage(pageNumber);
      const { runs, asides, rules, width, height, isCut } = await readPageRuns(page, fonts, work);
      if (isCut) read.cut.push(pageNumber);
      // A number alone is a stamp on a scan.
      const hasWords = runs.some((run) => /\p{L}/u.test(run.text)) || asides.length > 0;
      if (!hasWords && (await isPainted(page)) && !work.budget.isSpent) read.scanned.push(pageNumber);
      read.pages.push({ pageNumber, width, height, regions: readingOrder(runs, work.budget), asides, rules });
      page.cleanup();
    } catch {
      if (read.pages.length === pageNumber) continue;
      read.failed.push(pageNumber);
      read.pages.push({ pageNumber, width: 0, height: 0, regions: [], asides: [], rules: [] });
    }
    if (pageNumber % PAGES_BETWEEN_CLEANUPS === 0) await document.cleanup().catch(() => undefined);
  }
  return read;
}

function toContent(
  pages: PageText[],
  url: string,
  options: PdfOptions,
  budget: WorkBudget,
): Pick<DocumentContent, "markdown" | "html" | "pages" | "blocks"> {
  const words = vocabularyOf(pages);
  const scale = typeScale(pages);
  const analysed = withMonospacedProse(withoutRunningHeads(pages)).map((page) => ({
    page,
    regions: page.regions.map((lines) => layoutBlocks(lines, scale, budget, page.rules)),
  }));
  const isPaged = options.pages === true || options.pageMarkers === true || options.blocks === true;
  if (!isPaged) joinBroken(analysed.flatMap(({ regions }) => regions));
  else for (const { regions } of analysed) joinBroken(regions);
  const laidOut = analysed.map(({ page, regions }) => ({ page, blocks: regions.flat() }));

  const html = laidOut.map(({ page, blocks }) => blocksToHtml(blocks, words) + asidesToHtml(page.asides));
  const perPage = isPaged ? html.map((each) => htmlToMarkdown(each, url)) : [htmlToMarkdown(html.join("\n"), url)];
  return {
    markdown: options.pageMarkers === true ? withMarkers(perPage) : perPage.filter((text) => text !== "").join("\n\n"),
    html: html.join("\n"),
    ...(options.pages === true ? { pages: perPage.map((markdown, at) => ({ pageNumber: at + 1, markdown })) } : {}),
    ...(options.blocks === true ? { blocks: laidOut.map((each) => toPageBlocks(each.page, each.blocks, words)) } : {}),
  };
}

/** Joins a sentence that the end of a column or of a page cut with the block in which it began. */
function joinBroken(regions: Block[][]): void {
  let last: Block | undefined;
  for (const blocks of regions) {
    const first = blocks[0];
    if (last?.type === "table" && first?.type === "table" && continuesTable(last, first)) {
      addRows(last, first);
      blocks.shift();
    } else if (last !== undefined && first?.type === "paragraph" && goesOn(last, first.lines[0])) {
      const lines = last.type === "list" ? last.items.at(-1)?.lines : linesOf(last);
      for (const line of first.lines) lines?.push(line);
      blocks.shift();
    }
    last = blocks.at(-1) ?? last;
  }
}

type Table = Extract<Block, { type: "table" }>;

/** Reports whether a table at a page's start has the columns of the one at the end of the page before. */
function continuesTable(last: Table, first: Table): boolean {
  const [above, below] = [linesOf(last), linesOf(first)].map((lines) => ({
    left: Math.min(...lines.map((line) => line.left)),
    right: Math.max(...lines.map((line) => line.right)),
  }));
  const isAlike = (one = 0, other = 0): boolean => Math.abs(one - other) < 20;
  const isAbove = (linesOf(last).at(-1)?.baseline ?? 0) > (linesOf(first)[0]?.baseline ?? 0);
  return (
    isAbove &&
    last.columns === first.columns &&
    isAlike(above?.left, below?.left) &&
    isAlike(above?.right, below?.right)
  );
}

/** Adds the rows of a continued table, without the head that is repeated. */
function addRows(last: Table, first: Table): void {
  const textOf = (row: readonly Line[] = []): string => row.map((line) => line.text).join("\n");
  const start = textOf(last.rows[0]) === textOf(first.rows[0]) ? 1 : 0;
  for (const row of first.rows.slice(start)) last.rows.push(row);
  for (const row of first.cells.slice(start)) last.cells.push(row);
}

function goesOn(last: Block, start: Line | undefined): boolean {
  if ((last.type !== "paragraph" && last.type !== "list") || start === undefined) return false;
  const end = linesOf(last).at(-1);
  if (end === undefined || Math.abs(end.size - start.size) > 0.5) return false;
  return /[\p{L}\p{N},;-]$/u.test(end.text) && /^\p{Ll}/u.test(start.text);
}

function withMarkers(pages: readonly string[]): string {
  return pages
    .map((markdown, at) => (at === 0 ? markdown : `---\n\n<!-- page ${at + 1} -->\n\n${markdown}`.trim()))
    .join("\n\n");
}

function asidesToHtml(asides: readonly Aside[]): string {
  const text = asides
    .map((aside) => aside.text)
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
  return text === "" ? "" : `\n<p>${escapeHtml(text)}</p>`;
}

function toPageBlocks(page: PageText, blocks: readonly Block[], words: Vocabulary): PageBlocks {
  return {
    pageNumber: page.pageNumber,
    width: page.width,
    height: page.height,
    blocks: blocks.map((block) => toLayoutBlock(block, words)),
  };
}

function vocabularyOf(pages: readonly PageText[]): Vocabulary {
  const words = new Set<string>();
  for (const line of pages.flatMap((page) => page.regions.flat())) {
    for (const word of wholeWords(line.text.toLowerCase())) words.add(word);
  }
  return words;
}

function warningOf(read: ReadPages, options: PdfOptions, totalPages: number): string {
  const warnings: string[] = [];
  const { scanned, failed, cut, hasUnknownText } = read;
  const numPages = read.pages.length;
  if (hasUnknownText) {
    warnings.push("Some text of the PDF could not be read: its font does not say which characters it shows.");
  } else if (scanned.length > 0 && scanned.length === numPages) {
    warnings.push("The PDF has no text layer (it is made of scanned images), and OCR is not available.");
  } else if (scanned.length > 0) {
    warnings.push(`Page ${listed(scanned)} of the PDF has no text layer, and OCR is not available.`);
  }
  if (options.mode === "ocr" && scanned.length === 0)
    warnings.push("OCR is not available; the text layer of the PDF was read.");
  if (failed.length > 0) warnings.push(`Page ${listed(failed)} of the PDF is damaged and could not be read.`);
  if (cut.length > 0) warnings.push(`Only ${MAX_RUNS} pieces of text were read of page ${listed(cut)}.`);
  if (numPages < Math.min(totalPages, options.maxPages ?? totalPages))
    warnings.push(`Only ${numPages} of ${totalPages} pages were read.`);
  return warnings.join(" ");
}

function listed(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 10).join(", ");
  return numbers.length > 10 ? `${shown} and ${numbers.length - 10} more` : shown;
}
