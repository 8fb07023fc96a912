import { describe, expect, test } from "vitest";
import { MessageFrames, SHORT_BYTES } from "../../../../src/tools/ingress/message-frames.ts";

const [TEXT, CONTINUED, PING] = [1, 0, 9];

/** A masked frame of a client. */
function frame(payload: number, { opcode = TEXT, isFinal = true } = {}): Buffer {
  const size = payload < 126 ? [payload] : payload < 65_536 ? [126] : [127];
  const header = Buffer.from([(isFinal ? 0x80 : 0) | opcode, 0x80 | (size[0] ?? 0)]);
  const length = Buffer.alloc(payload < 126 ? 0 : payload < 65_536 ? 2 : 8);
  if (length.byteLength === 2) length.writeUInt16BE(payload);
  if (length.byteLength === 8) length.writeBigUInt64BE(BigInt(payload));
  return Buffer.concat([header, length, Buffer.from("mask"), Buffer.alloc(payload, 0x81)]);
}

/** Reads bytes in pieces. @returns what waits, with the number of bytes before it and the size of its message */
function read(bytes: Buffer, pieceBytes: number): { whole: Buffer; waits: unknown[] } {
  const frames = new MessageFrames();
  const steps = [];
  for (let at = 0; at < bytes.byteLength; at += pieceBytes)
    steps.push(...frames.read(bytes.subarray(at, at + pieceBytes)));
  let before = 0;
  const waits = [];
  for (const { bytes: own, waitsFor, messageBytes } of steps) {
    if (waitsFor === "begin") waits.push({ waitsFor, before });
    if (waitsFor === "end") waits.push({ waitsFor, before: before + own.byteLength, messageBytes });
    before += own.byteLength;
  }
  return { whole: Buffer.concat(steps.map((step) => step.bytes)), waits };
}

const LONG = SHORT_BYTES + 1;
const HEADER = 14;

describe.each([1, 2, 7, 1_000, 1_000_000])("in pieces of %i bytes", (pieceBytes) => {
  test.each([
    ["short messages", [frame(0), frame(5), frame(125), frame(126), frame(65_535), frame(SHORT_BYTES)]],
    ["control frames", [frame(0, { opcode: PING }), frame(125, { opcode: PING })]],
    [
      "a short message in many frames",
      [frame(9, { isFinal: false }), frame(0, { opcode: PING }), frame(9, { opcode: CONTINUED })],
    ],
  ])("%s wait for nothing, and stay as they are", (_what, frames) => {
    const bytes = Buffer.concat(frames);
    const { whole, waits } = read(bytes, pieceBytes);
    expect(whole.equals(bytes)).toBe(true);
    expect(waits).toEqual([]);
  });

  test("a long message waits before its header and before its end", () => {
    const bytes = Buffer.concat([frame(5), frame(LONG), frame(5)]);
    const { whole, waits } = read(bytes, pieceBytes);
    expect(whole.equals(bytes)).toBe(true);
    const begin = frame(5).byteLength;
    expect(waits).toEqual([
      { waitsFor: "begin", before: begin },
      { waitsFor: "end", before: begin + HEADER + LONG, messageBytes: LONG },
    ]);
  });

  test("a message that becomes long in its second frame waits there, and ends with its last frame", () => {
    const [first, second] = [frame(SHORT_BYTES, { isFinal: false }), frame(10, { opcode: CONTINUED, isFinal: false })];
    const rest = [
      frame(3, { opcode: PING }),
      frame(10, { opcode: CONTINUED, isFinal: false }),
      frame(0, { opcode: CONTINUED }),
    ];
    const bytes = Buffer.concat([first, second, ...rest, frame(7)]);
    const { whole, waits } = read(bytes, pieceBytes);
    expect(whole.equals(bytes)).toBe(true);
    expect(waits).toEqual([
      { waitsFor: "begin", before: first.byteLength },
      { waitsFor: "end", before: bytes.byteLength - frame(7).byteLength, messageBytes: SHORT_BYTES + 20 },
    ]);
  });
});

test("many frames in one piece are one step, and thousands of empty ones are several", () => {
  const many = (count: number) => Buffer.concat(Array.from({ length: count }, () => frame(0)));
  const read = (bytes: Buffer) => new MessageFrames().read(bytes);
  expect(read(many(2_000)).map(({ frames }) => frames)).toEqual([2_000]);
  const steps = read(Buffer.concat([many(4_500), frame(LONG), many(3)]));
  expect(steps.map(({ frames, waitsFor }) => [frames, waitsFor])).toEqual([
    [2_000, "nothing"],
    [2_000, "nothing"],
    [500, "nothing"],
    [1, "begin"],
    [0, "end"],
    [3, "nothing"],
  ]);
  expect(
    Buffer.concat(steps.map(({ bytes }) => bytes)).equals(Buffer.concat([many(4_500), frame(LONG), many(3)])),
  ).toBe(true);
});
