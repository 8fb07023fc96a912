import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist";
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
  return {
    draw() {
      const { width, height } = bitmap;
      const pixels = width * height;
      const enlarged = Math.min(MAX_ENLARGEMENT, Math.max(1, Math.sqrt(WANTED_PIXELS / pixels)));
      const scale = Math.min(enlarged, Math.sqrt(MAX_PIXELS / pixels));
      const canvas = whiteCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
      const context = contextOf(canvas);
      context.imageSmoothingQuality = "high";
      context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      return Promise.resolve({ canvas, pointsPerPixel: 1 / scale });
    },
  };
}

function whiteCanvas(width: number, height: number): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height);
  const context = contextOf(canvas);
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  return canvas;
}
