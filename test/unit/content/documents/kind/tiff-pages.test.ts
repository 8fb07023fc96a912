import { describe, expect, test } from "vitest";
import { documentKind } from "../../../../../src/content/documents/kind/kind.ts";
import { pictureSize } from "../../../../../src/content/documents/kind/picture-size.ts";
import { tiffPages } from "../../../../../src/content/documents/kind/tiff-pages.ts";
import { pictureTiff } from "../../../../site/picture-tiff.ts";

const page = (width: number, height: number) => ({ bytes: new Uint8Array(11), width, height });
const FILE = pictureTiff([page(1240, 1754), { ...page(62, 88), isPreview: true }, page(640, 480)]);

describe("a TIFF", () => {
  test("is a picture of several pages, previews not counted", () => {
    expect(documentKind({ contentType: undefined, name: "scan", bytes: FILE })).toBe("image");
    expect(tiffPages(FILE)).toEqual([
      { width: 1240, height: 1754 },
      { width: 640, height: 480 },
    ]);
    expect(pictureSize(FILE)).toEqual({ width: 1240, height: 1754 });
  });

  test("of the other byte order has its size", () => {
    const head = [
      0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 2, 1, 0, 0, 3, 0, 0, 0, 1, 2, 128, 0, 0, 1, 1, 0, 3, 0, 0, 0, 1, 1, 224, 0, 0,
    ];
    expect(tiffPages(Uint8Array.from([...head, 0, 0, 0, 0]))).toEqual([{ width: 640, height: 480 }]);
  });

  test("that breaks off has the pages up to there", () => {
    expect(tiffPages(FILE.slice(0, 200))).toEqual([{ width: 1240, height: 1754 }]);
    expect(tiffPages(FILE.slice(0, 6))).toEqual([]);
  });

  test("whose directories form a ring ends", () => {
    const ring = pictureTiff([page(10, 10)]);
    new DataView(ring.buffer).setUint32(8 + 2 + 10 * 12, 8, true);
    expect(tiffPages(ring)).toEqual([{ width: 10, height: 10 }]);
  });
});
