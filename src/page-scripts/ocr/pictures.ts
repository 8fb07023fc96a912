import type { GreyPicture } from "./grey-picture.ts";

/** Pixels of a page that are read at most: a sheet of A4 at 300 dots an inch has 8.7 million. */
export const MAX_PIXELS = 10_000_000;
/** Difference of brightness to the paper from which a pixel is ink. */
const INK = 48;
/** Share of ink below which a page is blank: some specks. */
const MIN_INK = 0.000_02;

/** Returns the brightness of the pixels of a canvas. */
export function greyOf(canvas: OffscreenCanvas): GreyPicture {
  const context = contextOf(canvas);
  const { width, height } = canvas;
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = new Uint8Array(width * height);
  for (let at = 0, from = 0; at < pixels.length; at++, from += 4) {
    pixels[at] = ((data[from] ?? 0) * 77 + (data[from + 1] ?? 0) * 150 + (data[from + 2] ?? 0) * 29) >> 8;
  }
  return { width, height, pixels };
}

export function contextOf(canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D {
  const context = canvas.getContext("2d", { willReadFrequently: true, alpha: false });
  if (context === null) throw new Error("There is no canvas");
  return context;
}

/** Reports whether a picture has one colour, but for some specks. */
export function isBlank({ pixels }: GreyPicture): boolean {
  const counts = new Uint32Array(256);
  for (const pixel of pixels) counts[pixel] = (counts[pixel] ?? 0) + 1;
  let paper = 0;
  for (let grey = 0; grey < 256; grey++) if ((counts[grey] ?? 0) > (counts[paper] ?? 0)) paper = grey;
  let ink = 0;
  for (let grey = 0; grey < 256; grey++) if (Math.abs(grey - paper) > INK) ink += counts[grey] ?? 0;
  return ink < pixels.length * MIN_INK;
}

/** Returns the picture after quarter turns clockwise. */
export function turned(picture: GreyPicture, turns: number): GreyPicture {
  const { width, height, pixels } = picture;
  if (turns === 0) return picture;
  const result = new Uint8Array(pixels.length);
  if (turns === 2) {
    for (let at = 0, to = pixels.length - 1; at < pixels.length; at++, to--) result[to] = pixels[at] ?? 0;
    return { width, height, pixels: result };
  }
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const to = turns === 1 ? x * height + (height - 1 - y) : (width - 1 - x) * height + y;
      result[to] = pixels[at] ?? 0;
    }
  }
  return { width: height, height: width, pixels: result };
}

/** Pixels between two that are compared when the direction of lines is looked for. */
const STEP = 2;

/** Reports whether the lines of text run from top to bottom: white lines between them then cross the picture upright. */
export function isSideways({ width, height, pixels }: GreyPicture): boolean {
  const rows = new Float64Array(Math.ceil(height / STEP));
  const columns = new Float64Array(Math.ceil(width / STEP));
  for (let row = 0; row < rows.length; row++) {
    for (let column = 0; column < columns.length; column++) {
      const ink = 255 - (pixels[row * STEP * width + column * STEP] ?? 255);
      rows[row] = (rows[row] ?? 0) + ink;
      columns[column] = (columns[column] ?? 0) + ink;
    }
  }
  return contrast(columns) > contrast(rows);
}

/** Returns the mean square of the changes along a profile, as a share of its mean square. */
function contrast(profile: Float64Array): number {
  const mean = profile.reduce((sum, value) => sum + value, 0) / profile.length;
  let changes = 0;
  for (let at = 1; at < profile.length; at++) changes += ((profile[at] ?? 0) - (profile[at - 1] ?? 0)) ** 2;
  return changes / profile.length / (mean ** 2 + 1);
}
