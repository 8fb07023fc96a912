import type { GreyPicture } from "./grey-picture.ts";

/** Pixels between two that are looked at. */
const STEP = 2;
/** Share of a page's height in a part of it that is read on trial, and its least height in pixels. */
const TRIAL_SHARE = 0.12;
const MIN_TRIAL_HEIGHT = 300;

/** Returns the part of an upright or upside-down picture, over its whole width, in which most lines of text begin and end. */
export function trialPart(picture: GreyPicture): GreyPicture {
  const { width, height, pixels } = picture;
  const part = Math.max(MIN_TRIAL_HEIGHT, Math.round(height * TRIAL_SHARE));
  if (part * 2 > height) return picture;
  const rows = Math.floor(height / STEP);
  const ink = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    const from = row * STEP * width;
    let sum = 0;
    for (let column = 0; column < width; column += STEP) sum += 255 - (pixels[from + column] ?? 255);
    ink[row] = sum;
  }
  // The change in a window of rows, which moves down by one row at a time. A picture changes slowly, lines of text at once.
  const changeAt = (row: number): number => Math.sqrt(Math.abs((ink[row] ?? 0) - (ink[row - 1] ?? 0)));
  const window = Math.floor(part / STEP);
  let [changes, most, best] = [0, -1, 0];
  for (let row = 1; row < rows; row++) {
    changes += changeAt(row);
    if (row > window) changes -= changeAt(row - window);
    if (row >= window && changes > most) [most, best] = [changes, row - window];
  }
  const top = Math.min(best * STEP, height - part);
  return { width, height: part, pixels: pixels.slice(top * width, (top + part) * width) };
}
