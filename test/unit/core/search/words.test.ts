import { expect, test } from "vitest";
import { foldText, spaceOut, withShortMarks, wordsOf } from "../../../../src/core/search/words.ts";

test.each([
  { text: "The Ferry, at 9:30!", words: ["the", "ferry", "at", "9", "30"] },
  { text: "Café Über ÎLE", words: ["cafe", "uber", "ile"] },
  { text: "東京都", words: ["東京", "京都"] },
  { text: "港", words: ["港"] },
  { text: "Tokyo東京 2026年", words: ["tokyo", "東京", "2026", "年"] },
  { text: "ﾌｪﾘｰ", words: ["フェ", "ェリ", "リー"] },
  { text: "한국어", words: ["한국", "국어"] },
  { text: "Привет, мир", words: ["привет", "мир"] },
  { text: "", words: [] },
])("$text is read as its words", ({ text, words }) => {
  expect(wordsOf(text)).toEqual(words);
});

test("an index that splits at spaces holds the same pairs", () => {
  expect(spaceOut("東京都 is big").trim().split(/\s+/)).toEqual(["東京", "京都", "is", "big"]);
  expect(spaceOut("plain text")).toBe("plain text");
});

// Sorting the marks takes time by the square of their number.
test.each(["\u05bf\u05b0", "\u0315\u0300", "\u3099\uff9e", "\u{1d165}\u{1d17b}"])("%j in a long run is cut before it is sorted", (marks) => {
  expect([...withShortMarks(`a${marks.repeat(100)}b${marks.repeat(15)}c`)]).toHaveLength(63);
  expect([...foldText(`a${marks.repeat(100)}b`)].length).toBeLessThanOrEqual(62);
}); // prettier-ignore

test("the marks of words are kept", () => {
  const text = "Z\u0351\u036b\u0343a\u034d\u0321l\u0320g\u0334o \u05e9\u05c1\u05c2\u05bc ngựa ก็ที่ हिन्दी ﾊﾞｽ";
  expect(withShortMarks(text)).toBe(text);
});
