import { expect, test } from "vitest";
import { spaceOut, wordsOf } from "../../../../src/core/search/words.ts";

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
