import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Unpacker } from "../../../src/core/unpacker.ts";
import { sampleOf } from "../../sample.ts";

const TEXT = Buffer.from("a line of a page\n".repeat(10_000));
/** Each piece copies the 32 KB that its bytes may refer to: a text of more than twice as much, in single bytes, takes long enough. */
const SHORT_TEXT = TEXT.subarray(0, 70_000);
const PIECES = [
  { text: TEXT, pieceBytes: 777 },
  { text: SHORT_TEXT, pieceBytes: 1 },
  { text: TEXT, pieceBytes: 1_000_000 },
];

function unpack(packed: Uint8Array, { layers = 1, maxBytes = 10_000_000, pieceBytes = 777 } = {}): Buffer {
  const unpacker = new Unpacker({ layers, maxBytes });
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < packed.byteLength; at += pieceBytes) {
    pieces.push(...unpacker.write(packed.subarray(at, at + pieceBytes)));
  }
  return Buffer.concat([...pieces, ...unpacker.end()]);
}

test.each<{ why: string; pack: (text: Buffer) => Uint8Array; layers: number }>([
  { why: "gzip", pack: (text) => gzipSync(text), layers: 1 },
  { why: "zlib", pack: (text) => deflateSync(text), layers: 1 },
  { why: "deflate without a header", pack: (text) => deflateRawSync(text), layers: 1 },
  {
    why: "gzip within deflate within gzip",
    pack: (text) => gzipSync(deflateSync(gzipSync(text))),
    layers: 3,
  },
  {
    why: "two gzip files in a row",
    pack: (text) => Buffer.concat([gzipSync(text.subarray(0, 9)), gzipSync(text.subarray(9))]),
    layers: 1,
  },
])("unpacks $why", ({ pack, layers }) => {
  for (const { text, pieceBytes } of sampleOf(PIECES, 2)) {
    expect(unpack(pack(text), { layers, pieceBytes }).equals(text)).toBe(true);
  }
});

test("nothing at all is empty", () => {
  expect(unpack(new Uint8Array(0), { layers: 2 })).toHaveLength(0);
});

test.each([1, 2, 3])("%i layers are given up at the limit", (layers) => {
  let bomb = Buffer.alloc(3_000_000);
  for (let layer = 0; layer < layers; layer++) bomb = gzipSync(bomb, { level: 9 });
  const unpacker = new Unpacker({ layers, maxBytes: 2_000_000 });
  expect(() => unpacker.write(bomb)).toThrow(expect.objectContaining({ code: "SCRAPE_BODY_TOO_LARGE" }));
});

test.each([gzipSync(TEXT), deflateSync(TEXT), gzipSync(gzipSync(TEXT))])("what breaks off is an error", (packed) => {
  expect(() => unpack(packed.subarray(0, packed.byteLength >> 1))).toThrow();
});
