import { expect, test } from "vitest";
import { packCall, unpackCall } from "../../../src/core/packed-call.ts";

test.each([
  [{ url: "https://é.example/", list: [1, "\u{1F600}", null] }, new Uint8Array([0, 255, 1])],
  [{}, new Uint8Array()],
])("a value and bytes arrive as they were sent", (value, bytes) => {
  expect(unpackCall(packCall(value, bytes))).toEqual({ value, bytes });
});

test("a call that lies at an offset of a larger buffer is read from there", () => {
  const packed = packCall({ a: 1 }, new Uint8Array([7]));
  const buffer = new Uint8Array(packed.length + 5);
  buffer.set(packed, 5);
  expect(unpackCall(buffer.subarray(5))).toEqual({ value: { a: 1 }, bytes: new Uint8Array([7]) });
});

test.each([[[]], [[0, 0]], [[0, 0, 0, 2, 123]], [[255, 255, 255, 255, 1]]])("%j is refused", (bytes) => {
  expect(() => unpackCall(new Uint8Array(bytes))).toThrow();
});
