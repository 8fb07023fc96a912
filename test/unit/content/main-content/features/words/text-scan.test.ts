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
  { text: "日本語。", counted: { ideographs: 3, punctuation: 1 } },
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
  const text = "Read MORE: 12 of 40, read Été Москва x2 2x";
  const scan = scanOf(text);
  expect([...scan.firstWords.subarray(0, scan.wordCount)]).toEqual(textWords(text, 24).map(hashWord));
});
