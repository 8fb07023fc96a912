import { describe, expect, test } from "vitest";
import { FrameSizes } from "../../../../src/sessions/live-view/frame-sizes.ts";

const SESSION = { width: 1280, height: 720 };
const WINDOW = { width: 780, height: 493 };

/** The headers of a JPEG file. */
function jpeg({ width, height }: { width: number; height: number }): Uint8Array {
  const bytes = new Uint8Array(22);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xffd8);
  view.setUint16(2, 0xffe0);
  view.setUint16(4, 4);
  view.setUint16(8, 0xffc0);
  view.setUint16(10, 11);
  view.setUint16(13, height);
  view.setUint16(15, width);
  return bytes;
}

describe("the frames of a cast", () => {
  test("leave out pictures of another aspect ratio than the page's", () => {
    const sizes = new FrameSizes();
    expect(sizes.isShown(SESSION, jpeg(SESSION), 0)).toBe(true);
    expect(sizes.isShown(SESSION, jpeg({ width: 1139, height: 720 }), 40)).toBe(false);
    expect(sizes.isShown(SESSION, jpeg({ width: 640, height: 360 }), 80)).toBe(true);
  });

  test("leave out a size that lasts for a moment, and show one that stays", () => {
    const sizes = new FrameSizes();
    sizes.isShown(SESSION, jpeg(SESSION), 0);
    expect(sizes.isShown(WINDOW, jpeg(WINDOW), 40)).toBe(false);
    expect(sizes.isShown(SESSION, jpeg(SESSION), 80)).toBe(true);
    expect(sizes.isShown(WINDOW, jpeg(WINDOW), 1_000)).toBe(false);
    expect(sizes.isShown(WINDOW, jpeg(WINDOW), 1_150)).toBe(true);
  });

  test("are never all left out", () => {
    const sizes = new FrameSizes();
    const shown = Array.from({ length: 20 }, (_, at) => sizes.isShown(SESSION, jpeg(WINDOW), at * 40));
    expect(shown.filter(Boolean).length).toBe(2);
  });

  test("are shown when their size cannot be read", () => {
    expect(new FrameSizes().isShown(SESSION, new Uint8Array(3), 0)).toBe(true);
  });
});
