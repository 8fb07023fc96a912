import { expect, test } from "vitest";
import {
  collectHeadWords,
  IN_DESCRIPTION,
} from "../../../../../../src/content/main-content/features/words/head-words.ts";
import { hashPair, hashWord } from "../../../../../../src/content/main-content/features/words/word-hash.ts";
import { parseHtml } from "../../../../../../src/content/html/tree/tree.ts";

test("of each description, the first 10,000 characters count", () => {
  const description = `old lantern ${"x".repeat(10_000)} far island`;
  const { head } = parseHtml(`<meta name="description" content="${description}">`);
  const table = collectHeadWords(head);
  const inDescription = (first: string, second: string) => table.get(hashPair(hashWord(first), hashWord(second)));
  expect(inDescription("old", "lantern")).toBe(IN_DESCRIPTION);
  expect(inDescription("far", "island")).toBe(0);
});
