import { markChanges } from "./mark-changes.ts";

/** Pixels of the largest images to compare: a full page of 1,280 by 30,000. */
const MAX_PIXELS = 40_000_000;
/**
 * Draws two images onto a canvas: pixels that differ in red, the others faded.
 * @returns The share of pixels that differ, 0 to 1; undefined if the images are too large.
 */
export function differenceOf(
  canvas: HTMLCanvasElement,
  one: HTMLImageElement,
  other: HTMLImageElement,
): number | undefined {
  const width = Math.max(one.naturalWidth, other.naturalWidth);
  const height = Math.max(one.naturalHeight, other.naturalHeight);
  if (width * height === 0 || width * height > MAX_PIXELS) return undefined;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) return undefined;
  const first = pixelsOf(context, one);
  const second = pixelsOf(context, other);
  const changed = markChanges(first.data, second.data);
  context.putImageData(second, 0, 0);
  return changed / (width * height);
}

function pixelsOf(context: CanvasRenderingContext2D, image: HTMLImageElement): ImageData {
  const { width, height } = context.canvas;
  context.clearRect(0, 0, width, height);
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, width, height);
}
