import type { PdfPage } from "../pdf-document.ts";
import { COMPARISONS_PER_STEP, DRAWING_STEPS, type PdfWork } from "../pdf-work.ts";
import { mostCommonRotation, multiply, rotated, type Rotation, rotationOf, turnedOnce } from "./page-rotation.ts";
import { type ActualText, type MarkedRun, withActualTexts } from "./actual-text.ts";
import { withDrawnBullets } from "./drawn-bullets.ts";
import { linkAreas, splitAtLinks } from "./link-areas.ts";
import { type Drawing, NO_DRAWING, readDrawing } from "./ruling-lines.ts";
import { texDecoder, withAccents } from "./tex-glyphs.ts";
import { stackedLetters, upperMiddle } from "./stacked-letters.ts";
import { type Aside, type TextRun, WIDE_LETTERS } from "../text-run.ts";

export interface FontFace {
  isBold: boolean;
  isItalic: boolean;
  isMonospaced: boolean;
  isMath?: boolean;
  isSmallCaps?: boolean;
  /** Set for a bitmap font of TeX, whose glyphs are named by their codes. */
  isBitmap?: boolean;
}

/** Faces by pdf.js' name of a font in this document. */
export type FontFaces = Map<string, FontFace>;

/** Text, lines and pictures of a page. */
export interface PageRuns extends Omit<Drawing, "dots"> {
  width: number;
  height: number;
  /** Turn of the writing on the page, in degrees. */
  rotation: Rotation;
  runs: TextRun[];
  asides: Aside[];
  /** Set when the page has more text than the limit. */
  isCut: boolean;
  /** Set when the page has no paths and images. */
  isPlain: boolean;
}

/** Contextual shapes of letters within a word; search needs the letters themselves. */
const ARABIC_FORMS = /[\uFB50-\uFDFB\uFE70-\uFEFC]+/g;
/** Shapes of punctuation in vertical text, and radicals, with which fonts name letters that look the same. */
const OTHER_FORMS = /[\uFE10-\uFE19\uFE30-\uFE48\u2F00-\u2FD5]/g;

/** Maximum number of pieces of text of one page; a dense one has some 5,000. */
export const MAX_RUNS = 20_000;
/** Characters of a text that stands for glyphs: letters, ligatures and words are shorter, and a long text is no glyph's. */
const MAX_ACTUAL_CHARS = 200;
/** Characters of such a text that count as one step: a short mark may stand for a long text, and many marks for one. */
const ACTUAL_CHARS_PER_STEP = 4;
/** Levels of marked content that are told apart. */
const MAX_OPEN_MARKS = 1_000;
/** With fewer pieces of text there is neither a table nor a running head; its drawn lines are not read. */
const MIN_RUNS = 4;

/** A text that is drawn twice is shifted by less than this, in multiples of its size. */
const MAX_SHIFT = 0.15;

/** Fonts of formulas by the names of TeX, STIX, Cambria, MathType and others. */
const MATH_FONT = /cmmi|cmsy|cmex|cmbsy|msam|msbm|eufm|math|mtmi|mtsy|mtex|rmtmi|txmi|txsy|pxmi|symbolmt/i;
const SMALL_CAPS_FONT = /csc\d|smallcap|romancaps|smcp|sfcc|eccc|[-_]sc(?:osf)?(?:[-_]|$)/i;
/** Names of weights and slopes, also as TeX and URW abbreviate; short ones begin a part of the name, unlike in `Digital`. */
const BOLD_NAME = /bold|black|heavy|semibold|(?:^|[^a-z])demi|-medi\b|medi$|cmbx|cmssbx|sfbx/i;
const ITALIC_NAME = /italic|(?:^|[^a-z])ital(?!ian)|oblique|slanted|cmti|cmsl|sfti/i;
const MONOSPACED_NAME = /mono(?!type)|nimbusmon|courier|consol|typewriter|menlo|cmtt|sftt|[^a-z]tt\d/i;
const PLAIN: FontFace = { isBold: false, isItalic: false, isMonospaced: false };

/**
 * Reads the text of a page, turned so that most of it runs from left to right, with fonts, links, drawn lines and pictures.
 * @param options.pictures reads the pictures of pages with hardly any text too
 */
export async function readPageRuns(
  page: PdfPage,
  { fonts, pictures = false }: { fonts: FontFaces; pictures?: boolean | undefined },
  work: PdfWork,
): Promise<PageRuns> {
  const [stepsBefore, paintedBefore] = [work.budget.steps, work.painted];
  const content = await textOfPage(page, work);
  // The list of drawing operations takes about as much work as the text, which passes over the same operations.
  const newFonts = Object.keys(content.styles).filter((name) => !fonts.has(name)).length;
  const isDrawing = work.budget.steps - stepsBefore > DRAWING_STEPS.page + newFonts * DRAWING_STEPS.font;
  await learnFonts(page, Object.keys(content.styles), fonts);
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const items = content.items.map(({ item, actual }) => {
    return { item, actual, matrix: multiply(transform, item.transform) };
  });
  const stacked = stackedLetters(items);
  const placed = items.map((each) => {
    const isStacked = stacked.has(each);
    const matrix = isStacked ? upperMiddle(each.matrix) : each.matrix;
    const isVertical = isStacked || content.styles[each.item.fontName]?.vertical === true;
    // Columns of vertical text, from right to left, are lines from top to bottom once the page is turned.
    const item = isStacked ? { ...each.item, str: each.item.str.trim() } : each.item;
    return {
      ...each,
      item,
      matrix,
      isVertical,
      rotation: isVertical ? turnedOnce(rotationOf(matrix)) : rotationOf(matrix),
    };
  });
  const rotation = mostCommonRotation(
    placed.map((each) => ({ rotation: each.rotation, weight: each.item.str.length })),
  );

  const decode = bitmapDecoder(placed, fonts);
  const wide = wideFonts(placed);
  const marked: MarkedRun[] = [];
  const asides: Aside[] = [];
  for (const { item, actual, matrix, isVertical, rotation: own } of placed) {
    if (own !== rotation) {
      const [x = 0, y = 0] = matrix.slice(4);
      asides.push({ text: withPlainForms(item.str.trim()), x: x / width, y: y / height });
      continue;
    }
    const [left, baseline] = rotated([matrix[4] ?? 0, matrix[5] ?? 0], rotation, width, height);
    const { isBitmap = false, ...face } = fonts.get(item.fontName) ?? PLAIN;
    const run: TextRun = {
      text: withPlainForms(isBitmap ? decode(item) : item.str),
      left,
      right: left + (isVertical ? item.height : item.width) * page.userUnit,
      baseline,
      size: Math.round(Math.hypot(matrix[2] ?? 0, matrix[3] ?? 0) * 10) / 10,
      ...face,
      isMonospaced: face.isMonospaced && !wide.has(item.fontName),
      isRightToLeft: item.dir === "rtl",
      ...(isVertical ? { isVertical } : {}),
      href: undefined,
    };
    marked.push({ run, actual });
  }
  const runs = withAccents(withActualTexts(marked));
  const isSideways = rotation === 90 || rotation === 270;
  const annotations: unknown[] = await page.getAnnotations().catch(() => []);
  const areas = linkAreas(annotations, page, rotation);
  // The text passes over the same operations, except those of annotations.
  const isPlain = work.painted === paintedBefore && !annotations.some(isDrawn);
  const skipsDrawing = content.isCut || isDrawing || isPlain || (runs.length < MIN_RUNS && !pictures);
  const { dots, ...drawing } = skipsDrawing ? NO_DRAWING : await readDrawing(page, rotation, work);
  const single = withoutDoubles(runs);
  const isBudgeted = work.budget.take((dots.length * single.length) / COMPARISONS_PER_STEP);
  const withBullets = isBudgeted ? withDrawnBullets(single, dots) : single;
  return {
    ...drawing,
    width: isSideways ? height : width,
    height: isSideways ? width : height,
    rotation,
    runs: withBullets.flatMap((run) => splitAtLinks(run, areas, work.budget)),
    asides,
    isCut: content.isCut,
    isPlain,
  };
}

/** Returns a function that reads the text of an item in a bitmap font, by all texts of this font on the page. */
function bitmapDecoder(placed: readonly { item: TextItem }[], fonts: FontFaces): (item: TextItem) => string {
  const texts = new Map<string, string[]>();
  for (const { item } of placed) {
    if (fonts.get(item.fontName)?.isBitmap !== true) continue;
    const own = texts.get(item.fontName);
    if (own === undefined) texts.set(item.fontName, [item.str]);
    else own.push(item.str);
  }
  const decoders = new Map([...texts].map(([name, own]) => [name, texDecoder(own)]));
  return (item) => decoders.get(item.fontName)?.(item.str) ?? item.str;
}

/** Returns the fonts whose text on a page is mostly letters of East Asia: all of these are as wide, also in prose. */
function wideFonts(placed: readonly { item: TextItem }[]): Set<string> {
  const balances = new Map<string, number>();
  for (const { item } of placed) {
    const wide = item.str.match(WIDE_LETTERS)?.length ?? 0;
    balances.set(item.fontName, (balances.get(item.fontName) ?? 0) + wide * 2 - item.str.length);
  }
  return new Set([...balances].flatMap(([name, balance]) => (balance > 0 ? [name] : [])));
}

type TextContent = Awaited<ReturnType<PdfPage["getTextContent"]>>;
type TextItem = Exclude<TextContent["items"][number], { type: string }>;

interface PageContent {
  items: { item: TextItem; actual: ActualText | undefined }[];
  styles: TextContent["styles"];
  isCut: boolean;
}

/** Reads the text of a page piece by piece, and stops pdf.js when there is too much of it. */
async function textOfPage(page: PdfPage, work: PdfWork): Promise<PageContent> {
  const reader: ReadableStreamDefaultReader<TextContent> = page
    .streamTextContent({ includeMarkedContent: true })
    .getReader();
  const content: PageContent = { items: [], styles: {}, isCut: false };
  const open = new OpenMarks();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      Object.assign(content.styles, read.value.styles);
      if (content.isCut) continue;
      for (const item of read.value.items) {
        if (!("str" in item)) open.follow(item);
        else if (item.str.trim() !== "") {
          const { actual } = open;
          const isShown = actual !== undefined && work.budget.take(actual.text.length / ACTUAL_CHARS_PER_STEP);
          content.items.push({ item, actual: isShown ? actual : undefined });
        }
      }
      content.isCut = content.items.length >= MAX_RUNS;
      if (content.isCut) work.skipRest();
    }
    return content;
  } finally {
    work.goOn();
  }
}

type ContentMark = Extract<TextContent["items"][number], { type: string }>;

/** The texts of the marked content that is open; the outermost text stands for all that is in it. */
class OpenMarks {
  readonly #texts: (ActualText | undefined)[] = [];
  /** Marks beyond the limit. */
  #deeper = 0;

  get actual(): ActualText | undefined {
    return this.#texts.at(-1);
  }

  follow(mark: ContentMark): void {
    if (mark.type === "endMarkedContent") {
      if (this.#deeper > 0) this.#deeper--;
      else this.#texts.pop();
    } else if (this.#texts.length >= MAX_OPEN_MARKS) this.#deeper++;
    else {
      const text: unknown = Reflect.get(mark, "actualText");
      const isShort = typeof text === "string" && text.length <= MAX_ACTUAL_CHARS;
      this.#texts.push(this.actual ?? (isShort ? { text: withPlainForms(text) } : undefined));
    }
  }
}

function withPlainForms(text: string): string {
  return text
    .replace(ARABIC_FORMS, (letters) => letters.normalize("NFKC"))
    .replace(OTHER_FORMS, (mark) => mark.normalize("NFKC"));
}

/** Only the list of drawing operations loads the fonts themselves, so it is computed once for each new font. */
async function learnFonts(page: PdfPage, names: string[], fonts: FontFaces): Promise<void> {
  if (names.every((name) => fonts.has(name))) return;
  await page.getOperatorList().catch(() => undefined);
  for (const name of names) {
    if (fonts.has(name)) continue;
    const font: unknown = page.commonObjs.has(name) ? page.commonObjs.get(name) : undefined;
    fonts.set(name, faceOf(font));
  }
}

/** Returns bold and italic by the flags of the font, or by its name. */
function faceOf(font: unknown): FontFace {
  if (typeof font !== "object" || font === null) return PLAIN;
  const name = "name" in font && typeof font.name === "string" ? font.name : "";
  const flag = (key: string): boolean => key in font && Reflect.get(font, key) === true;
  return {
    isBold: flag("bold") || flag("black") || BOLD_NAME.test(name) || /[a-z]Demi/.test(name),
    isItalic: flag("italic") || ITALIC_NAME.test(name) || /[a-z]Ital/.test(name),
    isMonospaced: flag("isMonospace") || MONOSPACED_NAME.test(name),
    ...(MATH_FONT.test(name) ? { isMath: true } : {}),
    ...(SMALL_CAPS_FONT.test(name) ? { isSmallCaps: true } : {}),
    ...(flag("isType3Font") && hasCodesForNames(font) ? { isBitmap: true } : {}),
  };
}

/** The names that pdfTeX gives to the glyphs of bitmap fonts: "a" and the decimal code. */
const CODE_NAME = /^a\d{1,3}$/;

function hasCodesForNames(font: object): boolean {
  const names = Object.keys(Object(Reflect.get(font, "charProcOperatorList")));
  return names.length > 0 && names.every((name) => CODE_NAME.test(name));
}

function isDrawn(annotation: unknown): boolean {
  return Reflect.get(Object(annotation), "hasAppearance") === true;
}

/** Removes duplicates: text drawn twice with a tiny shift looks bold, and is one text. */
function withoutDoubles(runs: TextRun[]): TextRun[] {
  // By text, height and the place in steps of the shift: a step holds one of the runs that are kept, or two.
  const seen = new Map<string, TextRun[]>();
  return runs.filter((run) => {
    const shift = run.size * MAX_SHIFT;
    if (!(shift > 0)) return true;
    const step = Math.floor(run.left / shift);
    const keyOf = (at: number): string => `${Math.round(run.baseline)}:${run.size}:${at}:${run.text}`;
    const near = [step - 1, step, step + 1].flatMap((at) => seen.get(keyOf(at)) ?? []);
    if (near.some((other) => Math.abs(other.left - run.left) < shift)) return false;
    seen.set(keyOf(step), [...(seen.get(keyOf(step)) ?? []), run]);
    return true;
  });
}
