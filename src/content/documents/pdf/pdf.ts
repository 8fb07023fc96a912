import { getDocument } from "#pdfjs";
import { AppError } from "../../../core/errors.ts";
import { LOW_CONFIDENCE } from "../../../core/ocr/confidence.ts";
import type { RecognisedPage } from "../../../core/ocr/recognised-page.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import type { DocumentContent, PdfOptions } from "../document-content.ts";
import { ofPages, pageList } from "../listed.ts";
import { CharacterMaps } from "./character-maps.ts";
import type { FontFaces } from "./pages/page-runs.ts";
import type { PdfDocument, PdfPage } from "./pdf-document.ts";
import { MAX_RUNS, readPageRuns } from "./pages/page-runs.ts";
import { pdfMetadata } from "./pdf-metadata.ts";
import { PdfWork } from "./pdf-work.ts";
import { readingOrder } from "./reading-order.ts";
import { runsOf } from "./pages/recognised-runs.ts";
import { MAX_PICTURES } from "./pages/page-pictures.ts";
import { showsShapes } from "./pages/ruling-lines.ts";
import type { PageText } from "./text-run.ts";
import { PackedPages } from "./pages/packed-pages.ts";
import { MAX_FIGURES, toContent } from "./to-content.ts";
import { checkReading } from "../vision/check-reading.ts";
import { VisionNotes } from "../vision/vision-notes.ts";
import { toSafeMarkdown } from "../vision/vision-text.ts";

/** Default page limit; an isolate has 128 MB, and a dense page holds some 50 kB until the end. */
const DEFAULT_MAX_PAGES = 1_000;
/** pdf.js retains every object that it read until its cleanup is called. */
const PAGES_BETWEEN_CLEANUPS = 50;

interface ReadPages {
  pages: PackedPages;
  /** Pages that show something, and have no words. */
  wordless: number[];
  blank: number[];
  /** Pages with a picture that was drawn, of which nothing is seen. */
  undrawn: number[];
  /** Recognised pages whose text is uncertain. */
  uncertain: number[];
  failed: number[];
  /** Pages of which only the first part was read. */
  cut: number[];
  /** Pages of which only the first pictures were read. */
  crowded: number[];
  /** Number of pictures of all pages. */
  pictures: number;
  /** Names the fonts that have no map from their glyphs to characters. */
  characterMaps: CharacterMaps;
  vision: VisionNotes;
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
  // The file is closed before its text is laid out, since both together need more memory.
  const { read, metadata, totalPages } = await readFile(work, bytes, options);
  const content = toContent(read.pages, url, options, work.budget);
  const warning = [work.warning, warningOf(read, options, totalPages)].filter((words) => words !== "").join(" ");
  return {
    ...content,
    metadata,
    numPages: read.pages.length,
    totalPages,
    ...(read.wordless.length === 0 ? {} : { wordlessPages: read.wordless }),
    ...(warning === "" ? {} : { warning }),
  };
}

/** Reads the pages and the metadata of a file, and closes it. */
async function readFile(
  work: PdfWork,
  bytes: Uint8Array,
  options: PdfOptions,
): Promise<{ read: ReadPages; metadata: Record<string, string>; totalPages: number }> {
  const characterMaps = new CharacterMaps();
  const document = await openPdf(bytes, characterMaps, work.budget);
  work.startPages();
  try {
    const totalPages = document.numPages;
    const numPages = Math.min(totalPages, options.maxPages ?? DEFAULT_MAX_PAGES);
    assertAffordable(numPages, options);
    const read = await readPages(
      document,
      { numPages, recognised: options.recognised ?? [], figures: options.figures === true, characterMaps },
      work,
    );
    return { read, metadata: await pdfMetadata(document), totalPages };
  } finally {
    await document.loadingTask.destroy().catch(() => undefined);
  }
}

function assertAffordable(numPages: number, { affordablePages = Infinity }: PdfOptions): void {
  if (numPages <= affordablePages) return;
  const words = `Insufficient credits: ${numPages} pages of the PDF are to be read, and the key has credits for ${affordablePages}. Ask for fewer pages with parsers[].maxPages.`;
  throw new AppError("INSUFFICIENT_CREDITS", words);
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

async function readPages(
  document: PdfDocument,
  {
    numPages,
    recognised,
    figures,
    characterMaps,
  }: { numPages: number; recognised: readonly RecognisedPage[]; figures: boolean; characterMaps: CharacterMaps },
  work: PdfWork,
): Promise<ReadPages> {
  const fonts: FontFaces = new Map();
  const read: ReadPages = {
    pages: new PackedPages(), wordless: [], blank: [], undrawn: [], uncertain: [], failed: [], cut: [], crowded: [], pictures: 0, characterMaps, vision: new VisionNotes(),
  }; // prettier-ignore
  const byNumber = new Map(recognised.map((page) => [page.pageNumber, page]));
  for (let pageNumber = 1; pageNumber <= numPages && !work.budget.isSpent; pageNumber++) {
    try {
      const seen = byNumber.get(pageNumber);
      const written = seen?.vision && (await writtenPage(read, { seen, document, fonts }, work));
      if (seen !== undefined && (seen.lines.length > 0 || written !== undefined)) {
        addRecognised(read, seen, { work, written });
      } else await addPage(read, { page: await document.getPage(pageNumber), pageNumber, fonts, figures, seen }, work);
    } catch {
      if (read.pages.length === pageNumber) continue;
      read.failed.push(pageNumber);
      read.pages.add({ pageNumber, width: 0, height: 0, regions: [], asides: [], rules: [] });
    }
    if (pageNumber % PAGES_BETWEEN_CLEANUPS === 0) await document.cleanup().catch(() => undefined);
  }
  return read;
}

/** Returns the text that a vision model wrote for a page, when the words of the page do not speak against it. */
async function writtenPage(
  read: ReadPages,
  { seen, document, fonts }: { seen: RecognisedPage; document: PdfDocument; fonts: FontFaces },
  work: PdfWork,
): Promise<string | undefined> {
  const { vision, pageNumber } = seen;
  if (vision === undefined || vision.markdown === "") return undefined;
  const page = await document.getPage(pageNumber);
  const { runs, asides } = await readPageRuns(page, { fonts }, work);
  page.cleanup();
  const lines = readingOrder(runs, work.budget).flatMap((region) => region.map((line) => line.text));
  const textLayer = [...lines, ...asides.map((aside) => aside.text)];
  const checked = checkReading(vision, { ocr: seen, textLayer }, work.budget);
  read.vision.add(pageNumber, checked, vision.isCut);
  return checked.isUsable ? toSafeMarkdown(vision.markdown) : undefined;
}

function addRecognised(
  read: ReadPages,
  page: RecognisedPage,
  { work: { budget }, written }: { work: PdfWork; written: string | undefined },
): void {
  const { pageNumber, width, height, confidence } = page;
  if (confidence < LOW_CONFIDENCE && written === undefined) read.uncertain.push(pageNumber);
  read.pages.add({
    pageNumber,
    width,
    height,
    regions: readingOrder(runsOf(page), budget),
    asides: [],
    rules: [],
    ...(written === undefined ? {} : { written }),
  });
}

async function addPage(
  read: ReadPages,
  options: {
    page: PdfPage;
    pageNumber: number;
    fonts: FontFaces;
    figures: boolean;
    seen: RecognisedPage | undefined;
  },
  work: PdfWork,
): Promise<void> {
  const { page, pageNumber, fonts, figures, seen } = options;
  const wanted = { fonts, pictures: figures };
  const text = await readPageRuns(page, wanted, work);
  const { runs, asides, rules, pictures, rotation, width, height, isCut, isPlain } = text;
  if (isCut) read.cut.push(pageNumber);
  if (text.hasMorePictures) read.crowded.push(pageNumber);
  read.pictures += pictures.length;
  const words = [...runs, ...asides].map((piece) => piece.text).join("");
  if (!hasWords(words) && !work.budget.isSpent) {
    const hasUnknownText = read.characterMaps.missing.size > 0;
    const isEmpty = isPlain && !hasUnknownText;
    const shows = !isEmpty && seen?.isBlank !== false && (await showsShapes(page, { hasUnknownText }, work));
    const isBlank = seen?.isBlank ?? !shows;
    if (!work.budget.isSpent && !(isBlank && NUMBERS.test(words))) {
      const blank = shows ? read.undrawn : read.blank;
      (isBlank && words.trim() === "" ? blank : read.wordless).push(pageNumber);
    }
  }
  const regions = readingOrder(runs, work.budget, rules);
  read.pages.add({ pageNumber, width, height, regions, asides, rules, pictures, turn: turnBack(rotation) });
  page.cleanup();
}

/** Returns the clockwise turn that makes writing in a direction upright. */
function turnBack(rotation: number): NonNullable<PageText["turn"]> {
  return rotation === 90 ? 270 : rotation === 270 ? 90 : rotation === 180 ? 180 : 0;
}

/** All that a page shows which has its number alone. */
const NUMBERS = /^[\s\p{P}]*\p{N}[\s\p{N}\p{P}]*$/u;
/** A number alone is a stamp on a scan; many of them are a table. */
const MIN_CHARACTERS = 30;

function hasWords(text: string): boolean {
  return /\p{L}/u.test(text) || text.replace(/[^\p{N}]/gu, "").length >= MIN_CHARACTERS;
}

function warningOf(read: ReadPages, options: PdfOptions, totalPages: number): string {
  const warnings: string[] = [];
  const { wordless, blank, undrawn, uncertain, failed, cut, characterMaps } = read;
  const numPages = read.pages.length;
  if (characterMaps.missing.size > 0) {
    warnings.push("Some text of the PDF could not be read: its font does not say which characters it shows.");
  }
  if (wordless.length > 0) warnings.push(wordlessWarning(read, options.recognised));
  if (blank.length > 0) warnings.push(ofPages(blank, "of the PDF is blank.", "of the PDF are blank."));
  if (undrawn.length > 0)
    warnings.push(
      `${ofPages(undrawn, "of the PDF shows", "of the PDF show")} a picture that is blank, or that could not be drawn.`,
    );
  if (uncertain.length > 0) {
    warnings.push(
      `${ofPages(uncertain, "of the PDF was", "of the PDF were")} recognised with low confidence; the text may be wrong.`,
    );
  }
  if (read.vision.warning !== "") warnings.push(read.vision.warning);
  if (failed.length > 0)
    warnings.push(`${ofPages(failed, "of the PDF is", "of the PDF are")} damaged and could not be read.`);
  if (cut.length > 0) warnings.push(`Only ${MAX_RUNS} pieces of text were read of ${pageList(cut)}.`);
  if (options.figures === true) warnings.push(...figureWarnings(read));
  if (numPages < Math.min(totalPages, options.maxPages ?? totalPages))
    warnings.push(`Only ${numPages} of ${totalPages} pages were read.`);
  return warnings.join(" ");
}

function figureWarnings({ crowded, pictures }: ReadPages): string[] {
  const warnings: string[] = [];
  if (crowded.length > 0) warnings.push(`Only ${MAX_PICTURES} pictures were read of ${pageList(crowded)}.`);
  if (pictures > MAX_FIGURES) warnings.push(`Only the first ${MAX_FIGURES} of ${pictures} figures are listed.`);
  return warnings;
}

function wordlessWarning({ wordless, pages, characterMaps }: ReadPages, recognised: PdfOptions["recognised"]): string {
  const has = ofPages(wordless, "of the PDF has", "of the PDF have");
  const isRecognised = wordless.every((number) => recognised?.some(({ pageNumber }) => pageNumber === number));
  if (isRecognised) return `${has} no words.`;
  if (characterMaps.missing.size > 0) return `${has} no readable words.`;
  if (wordless.length === pages.length) return "The PDF has no text layer (it is made of scanned images).";
  return `${has} no text layer.`;
}
