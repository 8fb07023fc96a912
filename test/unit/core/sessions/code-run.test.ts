import { expect, test } from "vitest";
import { fromJsonWithBytes, toJsonWithBytes } from "../../../../src/core/text/bytes-in-json.ts";
import { CodeFrameReader, codeFrames } from "../../../../src/core/code-frames.ts";
import { readCodeMessage, writeCodeMessage, type CodeMessage } from "../../../../src/core/sessions/code-run.ts";

test.each<CodeMessage>([
  { kind: "run", text: '{"a b": 1}' },
  { kind: "done", text: "" },
  { kind: "failed", text: "two words" },
  { kind: "open", channel: 3 },
  { kind: "answer", channel: 3, status: 101 },
  { kind: "data", channel: 12, text: '{"id": 1} and more' },
  { kind: "close", channel: 0 },
])("a message of kind $kind is read as it was written", (message) => {
  expect(readCodeMessage(writeCodeMessage(message))).toEqual(message);
});

test.each(["", "data x y", "else 1 2", "open 1.5"])("%j is no message", (wire) => {
  expect(readCodeMessage(wire)).toBeUndefined();
});

test("byte arrays survive JSON, wherever they are", () => {
  const value = {
    files: [{ bytes: new Uint8Array([0, 255, 7]) }, { bytes: Buffer.from("ab") }],
    text: "x",
    none: null,
  };
  expect(fromJsonWithBytes(toJsonWithBytes(value))).toEqual({
    files: [{ bytes: new Uint8Array([0, 255, 7]) }, { bytes: new Uint8Array([97, 98]) }],
    text: "x",
    none: null,
  });
  expect(fromJsonWithBytes(toJsonWithBytes(new Uint8Array([1])))).toEqual(new Uint8Array([1]));
});

test.each([47_999, 48_000, 48_001, 56_000, 64_000, 64_001])(
  "a byte array of %i bytes survives beside long ones",
  (length) => {
    const value = { body: new Uint8Array(length).fill(7), long: new Uint8Array(70_000) };
    const bytes: Uint8Array[] = [];
    expect(fromJsonWithBytes(toJsonWithBytes(value, bytes), bytes)).toEqual(value);
  },
);

test("a long message comes in parts and is put together", () => {
  const message: CodeMessage = { kind: "data", channel: 2, text: `part ${"ä".repeat(20_000_000)}` };
  const frames = codeFrames(message);
  expect(frames.map((frame) => frame.length)).toEqual([8_000_005, 8_000_005, 4_000_012]);
  const reader = new CodeFrameReader();
  const read = frames.map((frame) => reader.read(frame as string));
  expect(read.slice(0, 2)).toEqual([undefined, undefined]);
  expect(read[2]).toEqual({ message, bytes: [] });
  expect(reader.read("close 2")).toEqual({ message: { kind: "close", channel: 2 }, bytes: [] });
});

test("long byte arrays come before the message that refers to them", () => {
  const long = new Uint8Array(40_000_000);
  long[39_999_999] = 7;
  const value = { long, short: new Uint8Array([1]), also: new Uint8Array(70_000) };
  const bytes: Uint8Array[] = [];
  const frames = codeFrames({ kind: "run", text: toJsonWithBytes(value, bytes) }, bytes);
  expect(frames.slice(0, -1).map((frame) => frame.length)).toEqual([
    ...Array.from({ length: 20 }, () => 2_000_000),
    5,
    70_000,
    5,
  ]);
  const reader = new CodeFrameReader();
  const read = frames.map((frame) => reader.read(typeof frame === "string" ? frame : new Uint8Array(frame).buffer));
  const last = read.at(-1);
  const text = last?.message.kind === "run" ? last.message.text : "";
  const { long: same, short } = fromJsonWithBytes(text, last?.bytes) as typeof value;
  expect([same.byteLength, same[39_999_999], short[0]]).toEqual([40_000_000, 7, 1]);
});

test("a message that is too long is dropped, and the next one is read", () => {
  const reader = new CodeFrameReader();
  const part = `part ${"x".repeat(100_000_000)}`;
  for (let count = 0; count < 3; count++) expect(reader.read(part)).toBeUndefined();
  expect(reader.read("done {}")).toBeUndefined();
  expect(reader.read("done {}")).toMatchObject({ message: { kind: "done", text: "{}" } });
});

test("long texts cross as bytes beside the message, and half of a surrogate pair as JSON", () => {
  const value = { long: "ä😀".repeat(50_000), broken: `${"x".repeat(70_000)}\ud83d`, short: ["ä"], mark: { $text: 9 } };
  const bytes: Uint8Array[] = [];
  const text = toJsonWithBytes(value, bytes);
  expect(bytes.map((each) => each.byteLength)).toEqual([300_000]);
  expect(fromJsonWithBytes(text, bytes)).toEqual(value);
});

test.each([
  { title: "x", $base64: "aGk=" },
  { $base64: "aGk=" },
  { $text: 0 },
  { $bytes: 0, $$bytes: 1, $$$bytes: [{ $base64: "" }] },
  [{ $text: 0, bytes: new Uint8Array([1]) }],
  { $base64: undefined, $text: new Uint8Array([1]) },
])("a value's own names are not taken for byte arrays: %j", (value) => {
  const bytes: Uint8Array[] = [];
  expect(fromJsonWithBytes(toJsonWithBytes({ value, long: "y".repeat(70_000) }, bytes), bytes)).toEqual({
    value,
    long: "y".repeat(70_000),
  });
  expect(fromJsonWithBytes(toJsonWithBytes(value))).toEqual(value);
});
