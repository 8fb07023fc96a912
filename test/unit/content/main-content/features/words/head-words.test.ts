import { expect, test } from "vitest";
import {
  collectHeadWords,
  IN_DESCRIPTION,
  IN_TITLE,
} from "../../../../../../src/content/main-content/features/words/head-words.ts";
import {
  hashPair,
  hashWord,
  HashTable,
  randomFactor,
} from "../../../../../../src/content/main-content/features/words/word-hash.ts";
import { leastProcessorMs } from "../../../../../processor-time.ts";
import { parseHtml } from "../../../../../../src/content/html/tree/tree.ts";

const description = (text: string): string => `<meta name="description" content="${text}">`;

test("of the title, the first 1,000 characters count", () => {
  const { head } = parseHtml(`<title>lantern ${"x".repeat(1_000)} island</title>`);
  const table = collectHeadWords(head);
  expect(table.get(hashWord("lantern"))).toBe(IN_TITLE);
  expect(table.get(hashWord("island"))).toBe(0);
});

test.each([
  ["one description", description(`old lantern ${"x".repeat(10_000)} far island`)],
  ["all descriptions", description(`old lantern ${"x".repeat(9_000)}`) + description("y".repeat(1_000)) + description("far island")],
])("of %s, the first 10,000 characters count", (_what, html) => {
  const { head } = parseHtml(html);
  const table = collectHeadWords(head);
  const inDescription = (first: string, second: string) => table.get(hashPair(hashWord(first), hashWord(second)));
  expect(inDescription("old", "lantern")).toBe(IN_DESCRIPTION);
  expect(inDescription("far", "island")).toBe(0);
}); // prettier-ignore

test("no choice of words makes a table slow", async () => {
  const count = 20_000;
  const fill = (hashOf: (index: number) => number): void => {
    const table = new HashTable(count, randomFactor());
    for (let index = 0; index < count; index++) table.set(hashOf(index), 1);
  };
  // The same lower bits, the same upper bits, a sequence, and those that a fold of the halves makes one.
  const choices = [(index: number) => index << 16, (index: number) => index, (index: number) => (index << 15) ^ index];
  for (const hashOf of choices) expect(await leastProcessorMs(() => fill(hashOf), 100)).toBeLessThan(100);
});
