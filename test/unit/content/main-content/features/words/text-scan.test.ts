import { expect, test } from "vitest";
import { collectHeadWords } from "../../../../../../src/content/main-content/features/words/head-words.ts";
import { TextScan } from "../../../../../../src/content/main-content/features/words/text-scan.ts";
import { textWords } from "../../../../../../src/content/main-content/features/words/word-odds.ts";
import { hashWord } from "../../../../../../src/content/main-content/features/words/word-hash.ts";

const HEAD = {
  title: "Storm lantern – Lighthouse shop",
  metas: [{ name: "Description", content: "Burns all night in any weather." }],
  links: [],
  baseHref: "",
  jsonLd: [],
  language: "",
};

function scanOf(text: string): TextScan {
  const scan = new TextScan(collectHeadWords(HEAD));
  scan.read(text);
  return scan;
}

test.each([
  { text: "Two words", counted: { spaces: 1, runs: 2, capitals: 1, digits: 0 } },
  { text: "$12.99 – été", counted: { runs: 3, digits: 4, hasPrice: true, punctuation: 1 } },
  { text: "100 €, not € alone", counted: { hasPrice: false } },
  { text: "from 100€", counted: { hasPrice: true } },
  { text: "日本語。", counted: { unspacedWords: 1.5, pairs: 2, runs: 2, punctuation: 1 } },
  { text: "这是灯塔的故事", counted: { runs: 6, stopShare: 3 / 6 } },
  { text: "ราคา", counted: { unspacedWords: 0.8, pairs: 3 } },
  { text: "나는 학교에 간다", counted: { runs: 3, unspacedWords: 0 } },
  { text: "هل هذا صحيح؟ نعم، هذا", counted: { runs: 5, punctuation: 2, stopShare: 2 / 5 } },
  { text: "यह है। और", counted: { runs: 3, punctuation: 1, stopShare: 1 } },
  { text: "МОСКВА Łódź", counted: { capitals: 7, runs: 2 } },
  { text: "1.280 zł", counted: { hasPrice: true } },
  { text: "1,280円", counted: { hasPrice: true } },
  { text: "₩ 12,000 or ₩12,000", counted: { hasPrice: true } },
  { text: "page 12 of 40", counted: { hasPrice: false } },
  { text: "a_b/c{d}", counted: { symbols: 4, runs: 3 } },
  { text: "the cat and the hat", counted: { stopShare: 3 / 5 } },
  { text: "Storm lantern", counted: { inTitle: 2 } },
  { text: "It burns all night", counted: { inDescription: 2, inTitle: 0 } },
  { text: "", counted: { runs: 0, stopShare: 0 } },
])("counts what “$text” is made of", ({ text, counted }) => {
  expect(scanOf(text)).toMatchObject(counted);
});

test("what was read before leaves no trace", () => {
  const scan = scanOf("$5 Storm lantern, burns all night!");
  scan.read("calm");
  expect(scan).toMatchObject({ runs: 1, hasPrice: false, inTitle: 0, inDescription: 0, punctuation: 0, wordCount: 1 });
});

test("a text's words are hashed as they are learned", () => {
  const text = "Read MORE: 12 of 40, read Été Москва x2 2x 灯塔的 iPhone を ŁÓDŹ Kommentare";
  const scan = scanOf(text);
  expect([...scan.firstWords.subarray(0, scan.wordCount)]).toEqual(textWords(text, 24).map(hashWord));
});

test("words around content are the same in every language", () => {
  const first = (text: string) => scanOf(text).firstWords[0];
  const english = first("comments");
  for (const word of ["Kommentare", "Комментарии", "評論", "YORUMLAR", "تعليقات"]) expect(first(word)).toBe(english);
  expect(first("lighthouse")).not.toBe(english);
});

test("a title without spaces is compared by pairs of characters, however long it is", () => {
  const title = Array.from({ length: 400 }, (_, index) => String.fromCharCode(0x4e00 + index)).join("");
  const scan = new TextScan(collectHeadWords({ ...HEAD, title, metas: [{ name: "description", content: title }] }));
  scan.read(title.slice(100, 110));
  expect(scan).toMatchObject({ inTitle: 9, inDescription: 8 });
});
