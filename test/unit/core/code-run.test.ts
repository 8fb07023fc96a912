import { expect, test } from "vitest";
import { fromJsonWithBytes, toJsonWithBytes } from "../../../src/core/bytes-in-json.ts";
import { readCodeMessage, writeCodeMessage, type CodeMessage } from "../../../src/core/code-run.ts";

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
