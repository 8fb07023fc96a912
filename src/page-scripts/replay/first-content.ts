import type { Part } from "./recording.ts";
import { loadFrames } from "./segments.ts";

/** Frames, and segments, in which the first one with content is searched for. */
const MAX_FRAMES = 60;
const MAX_PARTS = 6;
/** Width and height in pixels to which a frame is reduced before its colours are compared. */
const SIDE = 64;
/** Difference of a colour channel that is more than the noise of JPEG. */
const MIN_DIFFERENCE = 8;
const CHANNELS = 4;

/**
 * Returns the time in ms since the epoch of the first frame that is more than one colour: a tab begins empty.
 * @returns undefined when there is none among the first frames
 */
export async function firstContentMs(parts: readonly Part[]): Promise<number | undefined> {
  const context = new OffscreenCanvas(SIDE, SIDE).getContext("2d", { alpha: false, willReadFrequently: true });
  if (context === null) return undefined;
  let looks = 0;
  for (const part of parts.slice(0, MAX_PARTS)) {
    for (const { atMs, jpeg } of await loadFrames(part)) {
      if (looks++ === MAX_FRAMES) return undefined;
      const picture = await createImageBitmap(jpeg);
      context.drawImage(picture, 0, 0, SIDE, SIDE);
      picture.close();
      if (!isOneColour(context.getImageData(0, 0, SIDE, SIDE).data)) return part.startMs + atMs;
    }
  }
  return undefined;
}

/** Reports whether all pixels (RGBA) have the colour of the first one. */
export function isOneColour(pixels: Uint8ClampedArray): boolean {
  return pixels.every((value, at) => Math.abs(value - (pixels[at % CHANNELS] ?? value)) < MIN_DIFFERENCE);
}
