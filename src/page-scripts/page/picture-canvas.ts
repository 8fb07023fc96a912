import { byId } from "./by-id.ts";

/** The canvas on which the page shows its frames. */
export const canvas = byId("canvas", HTMLCanvasElement);
/** The area that the picture is fitted into. */
export const stage = byId("stage");
const context = canvas.getContext("2d", { alpha: false });

/** Draws a JPEG on the canvas, which takes the size of the picture. @throws DOMException when it cannot be decoded */
export async function drawJpeg(jpeg: Blob): Promise<void> {
  const bitmap = await createImageBitmap(jpeg);
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
  }
  context?.drawImage(bitmap, 0, 0);
  bitmap.close();
}

/** Width and height of a page in CSS pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Largest factor by which a picture is enlarged: more would blur it. */
const MAX_SCALE = 1;

/** Returns the factor that fits a picture into the stage. */
export function fittingScale({ width, height }: Size): number {
  const style = getComputedStyle(stage);
  const wide = stage.clientWidth - 2 * Number.parseFloat(style.paddingLeft);
  const high = stage.clientHeight - 2 * Number.parseFloat(style.paddingTop);
  return Math.min(wide / width, high / height, MAX_SCALE);
}

/** Gives an element the size of a scaled picture. */
export function resize(element: HTMLElement, { width, height }: Size, scale: number): void {
  element.style.width = `${Math.max(1, Math.round(width * scale))}px`;
  element.style.height = `${Math.max(1, Math.round(height * scale))}px`;
}
