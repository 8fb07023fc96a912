import { jpegSize } from "../../core/jpeg-size.ts";

/** A size in CSS pixels or in pixels of a picture. */
export interface Size {
  width: number;
  height: number;
}

/** Aspect ratios of a page and its picture may differ by this, since both are rounded to pixels. */
const MAX_STRETCH = 0.02;
/** A new size is shown when it has lasted this long. */
const SETTLE_MS = 150;
/** A cast is never frozen: after so many frames in a row that were left out, the next one is shown as it is. */
const MAX_LEFT_OUT = 8;

/**
 * Chooses the frames of a cast to show. Around a change of a page's size the browser makes pictures of one size for a page
 * of another, and a page that a driver leaves has the size of its window until its own size is set again. Both are left out.
 */
export class FrameSizes {
  #shown: Size | undefined;
  #next: { size: Size; sinceMs: number } | undefined;
  #leftOut = 0;

  /**
   * Reports whether to show a frame.
   * @param page The page's visible part, of which the frame is a picture.
   * @param jpeg The picture, which may be scaled down.
   */
  isShown(page: Size, jpeg: Uint8Array, atMs: number): boolean {
    const isDue = this.#leftOut >= MAX_LEFT_OUT;
    if (!isDue && (isStretched(page, sizeOf(jpeg)) || !this.#hasSettled(page, atMs))) {
      this.#leftOut++;
      return false;
    }
    this.#leftOut = 0;
    this.#shown = page;
    this.#next = undefined;
    return true;
  }

  #hasSettled(page: Size, atMs: number): boolean {
    if (this.#shown === undefined || isSame(this.#shown, page)) return true;
    if (this.#next === undefined || !isSame(this.#next.size, page)) this.#next = { size: page, sinceMs: atMs };
    return atMs - this.#next.sinceMs >= SETTLE_MS;
  }
}

function sizeOf(jpeg: Uint8Array): Size | undefined {
  try {
    return jpegSize(new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength));
  } catch {
    return undefined;
  }
}

function isStretched(page: Size, picture: Size | undefined): boolean {
  if (picture === undefined || page.width <= 0 || page.height <= 0) return false;
  const stretch = (picture.width * page.height) / (picture.height * page.width);
  // A pixel of a small picture is a large part of it.
  const rounding = 1 / picture.width + 1 / picture.height;
  return Math.abs(stretch - 1) > MAX_STRETCH + rounding;
}

function isSame(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height;
}
