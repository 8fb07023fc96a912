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
    pieces.push(...[...unpacker.write(packed.subarray(at, at + pieceBytes))].flat());
  }
  return Buffer.concat([...pieces, ...[...unpacker.end()].flat()]);
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
  expect(() => [...unpacker.write(bomb)]).toThrow(expect.objectContaining({ code: "SCRAPE_BODY_TOO_LARGE" }));
});

test.each([gzipSync(TEXT), deflateSync(TEXT), gzipSync(gzipSync(TEXT))])("what breaks off is an error", (packed) => {
  expect(() => unpack(packed.subarray(0, packed.byteLength >> 1))).toThrow();
});

const inARow = (count: number, member: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => member));

test("a body of many files in a row is unpacked as long as they have content", () => {
  const text = Buffer.from("a line of a page\n".repeat(1_000));
  const packed = inARow(600, gzipSync(text));
  expect(unpack(packed, { maxBytes: 100_000_000, pieceBytes: 65_536 })).toHaveLength(600 * text.byteLength);
});

test.each([1, 2])("files without content in a row are refused after some hundred, in %i layers", (layers) => {
  const members = inARow(200_000, gzipSync(Buffer.alloc(0)));
  const unpacker = new Unpacker({ layers, maxBytes: 10_000_000 });
  const steps = unpacker.write(layers === 1 ? members : gzipSync(members));
  const refused = (): void => {
    for (let step = 0; step < 10; step++) steps.next();
  };
  expect(refused).toThrow("packed bytes unpack to no more than 0");
});

test("blocks without content are refused, and the padding of a server that flushes each byte is not", () => {
  const flush = Buffer.from([0, 0, 0, 0xff, 0xff]);
  const empty = Buffer.concat([...Array.from({ length: 20_000 }, () => flush), deflateRawSync(Buffer.from("end"))]);
  expect(() => unpack(empty)).toThrow("unpack to no more than 0");
  const letter = Buffer.from([1, 1, 0, 0xfe, 0xff, 0x61]);
  const block = Buffer.concat([Buffer.from([0]), letter.subarray(1)]);
  const flushed = Buffer.concat([...Array.from({ length: 50_000 }, () => block), letter]);
  expect(unpack(flushed)).toHaveLength(50_001);
});

/** Enough content for what follows to be read. */
const ZEROS = Buffer.alloc(500_000);

test.each([
  { what: "a name without an end", bytes: [gzipSync(ZEROS), Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3])] },
  { what: "bytes behind the end of zlib", bytes: [deflateSync(ZEROS)] },
  { what: "bytes behind the end of deflate", bytes: [deflateRawSync(ZEROS)] },
])("$what is refused as soon as it is longer than a block", ({ bytes }) => {
  const unpacker = new Unpacker({ layers: 1, maxBytes: 10_000_000 });
  const start = Buffer.concat(bytes);
  const steps = unpacker.write(Buffer.concat([start, Buffer.alloc(1_000_000, "a")]));
  const refused = (): void => {
    for (let step = 0; step < 40; step++) steps.next();
  };
  expect(refused).toThrow("without an end, or go on behind their end");
});

test("the longest blocks and headers of the formats are read, in pieces of any size", () => {
  const random = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 2_654_435_761) % 251));
  const stored = deflateRawSync(random, { level: 0 });
  const extra = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 0xff, 0xff]), Buffer.alloc(65_535)]);
  const withExtra = Buffer.concat([extra, gzipSync(TEXT).subarray(10)]);
  for (const pieceBytes of [777, 1_000_000]) {
    expect(unpack(stored, { pieceBytes }).equals(random)).toBe(true);
    expect(unpack(withExtra, { pieceBytes }).equals(TEXT)).toBe(true);
  }
});

test("gives way between steps of a piece whose layers unpack to much", () => {
  const unpacker = new Unpacker({ layers: 2, maxBytes: 10_000_000 });
  const packed = gzipSync(gzipSync(Buffer.alloc(5_000_000), { level: 0 }));
  const steps = [...unpacker.write(packed)];
  expect(packed.byteLength).toBeLessThan(30_000);
  expect(steps.length).toBeGreaterThan(1_000);
});
