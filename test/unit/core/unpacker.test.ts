import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Unpacker } from "../../../src/core/unpacker.ts";
import { sampleOf } from "../../sample.ts";

const TEXT = Buffer.from("a line of a page\n".repeat(50_000));

function unpack(packed: Uint8Array, { layers = 1, maxBytes = 10_000_000, pieceBytes = 777 } = {}): Buffer {
  const unpacker = new Unpacker({ layers, maxBytes });
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < packed.byteLength; at += pieceBytes) {
    pieces.push(...unpacker.write(packed.subarray(at, at + pieceBytes)));
  }
  return Buffer.concat([...pieces, ...unpacker.end()]);
}

test.each([
  { why: "gzip", packed: gzipSync(TEXT), layers: 1 },
  { why: "zlib", packed: deflateSync(TEXT), layers: 1 },
  { why: "deflate without a header", packed: deflateRawSync(TEXT), layers: 1 },
  { why: "gzip within deflate within gzip", packed: gzipSync(deflateSync(gzipSync(TEXT))), layers: 3 },
  {
    why: "two gzip files in a row",
    packed: Buffer.concat([gzipSync(TEXT.subarray(0, 9)), gzipSync(TEXT.subarray(9))]),
    layers: 1,
  },
])("unpacks $why", ({ packed, layers }) => {
  for (const pieceBytes of sampleOf([777, 1, 1_000_000], 2)) {
    expect(unpack(packed, { layers, pieceBytes }).equals(TEXT)).toBe(true);
  }
});

test("nothing at all is empty", () => {
  expect(unpack(new Uint8Array(0), { layers: 2 })).toHaveLength(0);
});

test.each([1, 2, 3])("%i layers are given up at the limit", (layers) => {
  let bomb = Buffer.alloc(30_000_000);
  for (let layer = 0; layer < layers; layer++) bomb = gzipSync(bomb, { level: 9 });
  const unpacker = new Unpacker({ layers, maxBytes: 8_000_000 });
  expect(() => unpacker.write(bomb)).toThrow(expect.objectContaining({ code: "SCRAPE_BODY_TOO_LARGE" }));
});

test.each([gzipSync(TEXT), deflateSync(TEXT), gzipSync(gzipSync(TEXT))])("what breaks off is an error", (packed) => {
  expect(() => unpack(packed.subarray(0, packed.byteLength >> 1))).toThrow();
});
