import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist";
import { decode, decodeImage, toRGBA8 } from "utif2";
import { boundTiff } from "../../core/ocr/bound-tiff.ts";
import { contextOf, MAX_PIXELS } from "./pictures.ts";

/** A page as a picture, and the size of one of its pixels. */
export interface DrawnPage {
  canvas: OffscreenCanvas;
  pointsPerPixel: number;
}

/** A file whose pages can be drawn. */
export interface PageSource {
  /** @throws Error for a page that does not exist or cannot be drawn */
  draw(pageNumber: number): Promise<DrawnPage>;
}

const POINTS_PER_INCH = 72;
const DOTS_PER_INCH = 250;
/** Letters of screens are smaller than those of print; small pictures are enlarged to about this many pixels. */
const WANTED_PIXELS = 3_000_000;
const MAX_ENLARGEMENT = 3;
/** An image of more pixels in a PDF is left out; a sheet of A3 at 600 dots an inch has 70 million. */
const MAX_IMAGE_PIXELS = 80_000_000;

export async function openPdf(bytes: Uint8Array): Promise<PageSource> {
  // In this thread: the page has nothing else to do, and a worker would load its program by itself.
  const worker = "/pdf-worker.mjs";
  Object.assign(globalThis, { pdfjsWorker: await import(/* @vite-ignore */ worker) });
  GlobalWorkerOptions.workerSrc = worker;
  const document = await getDocument({
    data: bytes,
    verbosity: 0,
    maxImageSize: MAX_IMAGE_PIXELS,
    wasmUrl: "/",
    standardFontDataUrl: "/",
    useWorkerFetch: true,
    isEvalSupported: false,
    stopAtErrors: false,
  }).promise;
  return { draw: (pageNumber) => drawPage(document, pageNumber) };
}

async function drawPage(document: PDFDocumentProxy, pageNumber: number): Promise<DrawnPage> {
  const page = await document.getPage(pageNumber);
  try {
    const { width, height } = page.getViewport({ scale: 1 });
    const scale = Math.min(DOTS_PER_INCH / POINTS_PER_INCH, Math.sqrt(MAX_PIXELS / (width * height)));
    const viewport = page.getViewport({ scale });
    const canvas = whiteCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
    // Pages for printing are drawn without waiting for the frames of a screen.
    const canvasContext = contextOf(canvas) as unknown as CanvasRenderingContext2D;
    await page.render({ canvas: null, canvasContext, viewport, intent: "print" }).promise;
    return { canvas, pointsPerPixel: 1 / scale };
  } finally {
    page.cleanup();
  }
}

export async function openPicture(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<PageSource> {
  const bitmap = await createImageBitmap(new Blob([bytes], { type }));
  return { draw: () => Promise.resolve(drawn(bitmap, bitmap)) };
}

/** The pages of a TIFF without previews, as `tiffPages` of the service counts them. */
export function openTiff(bytes: Uint8Array<ArrayBuffer>): PageSource {
  const { buffer } = bytes;
  const numberOf = (tag: unknown): number => (Array.isArray(tag) ? Number(tag[0]) : 0);
  boundTiff(bytes);
  const pages = decode(buffer).filter((page) => {
    return numberOf(page["t256"]) > 0 && numberOf(page["t257"]) > 0 && (numberOf(page["t254"]) & 1) === 0;
  });
  return {
    draw(pageNumber) {
      const page = pages[pageNumber - 1];
      if (page === undefined) throw new Error("There is no such page");
      decodeImage(buffer, page);
      const pixels = new Uint8ClampedArray(toRGBA8(page).buffer);
      const { width, height } = page;
      page.data = new Uint8Array();
      const whole = whiteCanvas(width, height);
      contextOf(whole).putImageData(new ImageData(pixels, width, height), 0, 0);
      // A fax has twice as many dots across as down.
      const [across, down] = [numberOf(page["t282"]), numberOf(page["t283"])];
      const stretch = across > 0 && down > 0 && across !== down ? Math.min(4, Math.max(0.25, across / down)) : 1;
      return Promise.resolve(drawn(whole, { width, height: height * stretch }));
    },
  };
}

/** Draws a picture in a size that is read well. */
function drawn(
  picture: ImageBitmap | OffscreenCanvas,
  { width, height }: { width: number; height: number },
): DrawnPage {
  const pixels = width * height;
  const enlarged = Math.min(MAX_ENLARGEMENT, Math.max(1, Math.sqrt(WANTED_PIXELS / pixels)));
  const scale = Math.min(enlarged, Math.sqrt(MAX_PIXELS / pixels));
  const canvas = whiteCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const context = contextOf(canvas);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return { canvas, pointsPerPixel: 1 / scale };
}

function whiteCanvas(width: number, height: number): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height);
  const context = contextOf(canvas);
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  return canvas;
}
