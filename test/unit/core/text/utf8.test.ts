import { afterEach, expect, test, vi } from "vitest";
import { cutUtf8 } from "../../../../src/core/text/utf8.ts";

afterEach(() => void vi.restoreAllMocks());

test.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "abc"],
  ["aéb", 2, "a"],
  ["aéb", 3, "aé"],
  ["ab🕷", 3, "ab"],
  ["ab🕷", 5, "ab"],
  ["ab🕷", 6, "ab🕷"],
  ["abc🕷def", 3, "abc"],
  ["蜘蛛", 5, "蜘"],
])("%s is cut to %i bytes between characters", (text, maxBytes, cut) => {
  expect(cutUtf8(text, maxBytes)).toBe(cut);
});

test("what lies behind the limit is not encoded", () => {
  const encode = vi.spyOn(TextEncoder.prototype, "encode");
  expect(cutUtf8("a".repeat(1_000_000), 1000)).toHaveLength(1000);
  expect(encode.mock.calls.map(([text]) => text?.length)).toEqual([1001]);
});
