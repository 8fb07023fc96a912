import { LOW_CONFIDENCE } from "../../core/ocr/confidence.ts";
import { guessLanguage, type OcrLanguage } from "../../core/ocr/guess-language.ts";
import type { RecognisedLine, RecognisedPage } from "../../core/ocr/recognised-page.ts";
import type { GreyPicture } from "./grey-picture.ts";
import { greyOf, isBlank, isSideways, turned } from "./pictures.ts";
import { readHocr } from "./read-hocr.ts";
import { openPdf, openPicture, openTiff, type DrawnPage, type PageSource } from "./sources.ts";
import { SEGMENTATION, Tesseract } from "./tesseract.ts";
import { trialPart } from "./trial-part.ts";

/** The service calls these functions by the name `reader`; arguments and results are JSON. */
export interface OcrReader {
  /** Loads the file, in the parts in which the service sends it, and the data of the language if text is to be recognised. */
  open(file: { type: string; parts: number; language?: OcrLanguage }): Promise<void>;
  /** Draws a page, which the next call for it uses. */
  draw(page: { pageNumber: number }): Promise<void>;
  read(page: { pageNumber: number; mayTurn: boolean }): Promise<RecognisedPage>;
  /** Returns a page, or a box of it in points, as a JPEG in Base64, turned upright, with at most this many pixels. */
  picture(page: WantedPicture): Promise<string>;
}

interface WantedPicture {
  pageNumber: number;
  /** Clockwise turn in degrees. */
  rotation: number;
  maxPixels: number;
  /** Left, top, right, bottom on the page as it is upright. */
  box?: [left: number, top: number, right: number, bottom: number];
}

let source: PageSource | undefined;
let tesseract: Tesseract | undefined;
/** The page that was drawn last, of which parts may be wanted. */
let last: { pageNumber: number; drawn: DrawnPage } | undefined;
/** Quarter turns that made the last page upright; a scanner turns all of them. */
let lastTurns = 0;
/** Set when the last page was read with enough confidence. */
let isTurnKnown = false;
/** The language is looked for once in a file. */
let isLanguageKnown = false;

const reader: OcrReader = {
  async open({ type, parts, language }) {
    const [loaded, bytes] = await Promise.all([language && Tesseract.load(), loadFile(parts)]);
    if (loaded && language) {
      tesseract = loaded;
      await tesseract.use(language);
    }
    if (type === "application/pdf") source = await openPdf(bytes);
    else source = type === "image/tiff" ? openTiff(bytes) : await openPicture(bytes, type);
  },

  async draw({ pageNumber }) {
    await draw(pageNumber);
  },

  async read({ pageNumber, mayTurn }) {
    const drawn = await draw(pageNumber);
    const picture = greyOf(drawn.canvas);
    if (isBlank(picture)) return toPage({ pageNumber, drawn, turns: 0, lines: [] }, true);
    const [first, ...others] = mayTurn && !isTurnKnown ? triedOrientations(picture, drawn) : orientations(picture);
    let best = recognise(picture, drawn, first);
    for (const turns of mayTurn ? others : []) {
      if (best.confidence >= LOW_CONFIDENCE) break;
      const other = recognise(picture, drawn, turns);
      if (other.score > best.score) best = other;
    }
    best = await inItsLanguage(best, picture, drawn);
    isTurnKnown = best.confidence >= LOW_CONFIDENCE;
    if (isTurnKnown) lastTurns = best.turns;
    return toPage({ pageNumber, drawn, ...best }, false);
  },

  async picture({ pageNumber, rotation, maxPixels, box }) {
    const { canvas, pointsPerPixel } = await draw(pageNumber);
    const isSideways = rotation % 180 !== 0;
    const [pageWidth, pageHeight] = isSideways ? [canvas.height, canvas.width] : [canvas.width, canvas.height];
    const [left, top, right, bottom] = box?.map((side) => side / pointsPerPixel) ?? [0, 0, pageWidth, pageHeight];
    const [width, height] = [Math.max(1, (right ?? 0) - (left ?? 0)), Math.max(1, (bottom ?? 0) - (top ?? 0))];
    const scale = Math.min(1, Math.sqrt(maxPixels / (width * height)));
    const upright = new OffscreenCanvas(
      Math.max(1, Math.floor(width * scale)),
      Math.max(1, Math.floor(height * scale)),
    );
    const context = upright.getContext("2d");
    context?.scale(scale, scale);
    context?.translate(pageWidth / 2 - (left ?? 0), pageHeight / 2 - (top ?? 0));
    context?.rotate((rotation * Math.PI) / 180);
    context?.drawImage(canvas, -canvas.width / 2, -canvas.height / 2);
    const blob = await upright.convertToBlob({ type: "image/jpeg", quality: 0.85 });
    return await base64Of(blob);
  },
};
Object.assign(globalThis, { reader });

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reading = new FileReader();
    reading.addEventListener("load", () => resolve(String(reading.result).replace(/^[^,]*,/, "")));
    reading.addEventListener("error", () => reject(new Error("The picture cannot be read")));
    reading.readAsDataURL(blob);
  });
}

async function loadFile(parts: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for (let part = 0; part < parts; part++) {
    const response = await fetch(`/file/${part}`);
    if (!response.ok) throw new Error("The file was not sent");
    pieces.push(new Uint8Array(await response.arrayBuffer()));
  }
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

async function draw(pageNumber: number): Promise<DrawnPage> {
  if (source === undefined) throw new Error("No file is open");
  if (last?.pageNumber !== pageNumber) last = { pageNumber, drawn: await source.draw(pageNumber) };
  return last.drawn;
}

/** Returns quarter turns in the order in which they are tried: first that of the last page, unless its lines run otherwise. */
function orientations(picture: GreyPicture): [number, number, number, number] {
  const sideways = isSideways(picture) ? 1 : 0;
  const first = lastTurns % 2 === sideways ? lastTurns : sideways;
  return [first, (first + 2) % 4, (first + 1) % 4, (first + 3) % 4];
}

/** A part of a page that is read with this confidence, and has so many characters, is the right way up. */
const SURE_CONFIDENCE = 0.75;
const MIN_TRIAL_CHARACTERS = 20;

/** Returns the quarter turns that are worth a try, by what a part of the page gives in each: one when that is clearly best. */
function triedOrientations(picture: GreyPicture, drawn: DrawnPage): [number, ...number[]] {
  const order = orientations(picture);
  const tried: { turns: number; score: number }[] = [];
  for (const turns of order) {
    const { confidence, score } = recognise(trialPart(turned(picture, turns)), drawn, 0);
    if (confidence >= SURE_CONFIDENCE && score >= MIN_TRIAL_CHARACTERS) return [turns];
    tried.push({ turns, score });
    if (tried.length < 2) continue;
    const [best, second] = tried.toSorted((one, other) => other.score - one.score);
    if (best !== undefined && best.score >= Math.max(MIN_TRIAL_CHARACTERS, (second?.score ?? 0) * 2))
      return [best.turns];
  }
  const [first = order[0], ...others] = tried
    .toSorted((one, other) => other.score - one.score)
    .map(({ turns }) => turns);
  return [first, ...others];
}

interface Attempt {
  turns: number;
  lines: RecognisedLine[];
  confidence: number;
  /** Characters of words that are probably right. */
  score: number;
}

function recognise(picture: GreyPicture, { pointsPerPixel }: DrawnPage, turns: number): Attempt {
  if (tesseract === undefined) throw new Error("No file is open");
  const upright = turned(picture, turns);
  const dpi = Math.round(72 / pointsPerPixel);
  const lines = readHocr(tesseract.read(upright, { dpi, mode: SEGMENTATION.automatic }), pointsPerPixel);
  return { turns, lines, ...judge(lines) };
}

function judge(lines: readonly RecognisedLine[]): Pick<Attempt, "confidence" | "score"> {
  let characters = 0;
  let sum = 0;
  let score = 0;
  for (const { text, confidence } of lines.flatMap(({ words }) => words)) {
    characters += text.length;
    sum += text.length * confidence;
    if (confidence >= LOW_CONFIDENCE && /[\p{L}\p{N}]/u.test(text)) score += text.length;
  }
  return { confidence: characters === 0 ? 0 : sum / characters, score };
}

/** Reads the first page with enough words again with the data of its language, when that is another one. */
async function inItsLanguage(attempt: Attempt, picture: GreyPicture, drawn: DrawnPage): Promise<Attempt> {
  if (isLanguageKnown || tesseract === undefined) return attempt;
  const language = guessLanguage(attempt.lines.flatMap(({ words }) => words.map(({ text }) => text)).join(" "));
  if (language === undefined) return attempt;
  isLanguageKnown = true;
  if (language === tesseract.language) return attempt;
  await tesseract.use(language);
  return recognise(picture, drawn, attempt.turns);
}

function toPage(
  {
    pageNumber,
    drawn,
    turns,
    lines,
    confidence = 0,
  }: Pick<Attempt, "turns" | "lines"> & {
    pageNumber: number;
    drawn: DrawnPage;
    confidence?: number;
  },
  blank: boolean,
): RecognisedPage {
  const { canvas, pointsPerPixel } = drawn;
  const [width, height] = turns % 2 === 0 ? [canvas.width, canvas.height] : [canvas.height, canvas.width];
  return {
    pageNumber,
    width: width * pointsPerPixel,
    height: height * pointsPerPixel,
    rotation: ([0, 90, 180, 270] as const)[turns] ?? 0,
    isBlank: blank,
    confidence,
    lines,
  };
}
