import { expect, test } from "vitest";
import { boundTiff } from "../../../../src/core/ocr/bound-tiff.ts";

const DIRECTORY = 8;

/** A little-endian TIFF of one directory with one entry. */
function tiffOf(entry: { tag: number; type: number; count: number; value: number }, next: number) {
  const bytes = new Uint8Array(64);
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0]);
  view.setUint32(4, DIRECTORY, true);
  view.setUint16(DIRECTORY, 1, true);
  view.setUint16(DIRECTORY + 2, entry.tag, true);
  view.setUint16(DIRECTORY + 4, entry.type, true);
  view.setUint32(DIRECTORY + 6, entry.count, true);
  view.setUint32(DIRECTORY + 10, entry.value, true);
  view.setUint32(DIRECTORY + 14, next, true);
  return { bytes, view };
}

const WIDTH = { tag: 256, type: 4, count: 1, value: 10 };

test.each([
  ["itself", DIRECTORY],
  ["a place outside of the file", 4_000_000_000],
])("a chain of directories that leads to %s ends", (_name, next) => {
  const { bytes, view } = tiffOf(WIDTH, next);
  boundTiff(bytes);
  expect(view.getUint32(DIRECTORY + 14, true)).toBe(0);
});

test("a directory of metadata is left out", () => {
  const { bytes, view } = tiffOf({ tag: 330, type: 4, count: 1, value: DIRECTORY }, 0);
  boundTiff(bytes);
  expect(view.getUint16(DIRECTORY + 2, true)).toBe(65_001);
});

test("a list that is longer than the file is refused", () => {
  const { bytes } = tiffOf({ ...WIDTH, count: 0xffffffff }, 0);
  expect(() => boundTiff(bytes)).toThrow("longer than the file");
});

test("a file as it should be stays as it is", () => {
  const { bytes } = tiffOf(WIDTH, 0);
  const before = [...bytes];
  boundTiff(bytes);
  expect([...bytes]).toEqual(before);
});
