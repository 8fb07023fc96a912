import { expect, test } from "vitest";
import { labelBlocks } from "../../../../src/tools/train-main-content/align.ts";
import { siteOf } from "../../../../src/tools/train-main-content/corpus.ts";
import { hasContent, weighBlocks } from "../../../../src/tools/train-main-content/dataset.ts";
import { createTally, learnOdds } from "../../../../src/tools/train-main-content/learn-odds.ts";
import { wordF1 } from "../../../../src/tools/train-main-content/word-f1.ts";

const coverage = (blocks: string[], gold: string) => [...labelBlocks(blocks, gold).coverage];

test.each([
  { prediction: "", gold: "", f1: 1 },
  { prediction: "a", gold: "", f1: 0 },
  { prediction: "", gold: "a", f1: 0 },
  { prediction: "The cat", gold: "the CAT", f1: 1 },
  { prediction: "a a b", gold: "a b b", f1: 2 / 3 },
  { prediction: "a b c d", gold: "a b", f1: 2 / 3 },
])("word F1 of “$prediction” against “$gold” is $f1", ({ prediction, gold, f1 }) => {
  expect(wordF1(prediction, gold).f1).toBeCloseTo(f1);
});

test("blocks that stand in the gold text are covered, others are not", () => {
  expect(coverage(["Home News", "One two three.", "Four five."], "One two three. Four five.")).toEqual([0, 1, 1]);
});

test("a run in the gold text outweighs the same words here and there", () => {
  const blocks = ["the bridge", "we saw that the bridge was old"];
  expect(coverage(blocks, "we saw that the bridge was old")).toEqual([0, 1]);
});

test("a long block in another order is found by its sequences", () => {
  const late = "seven words that come last in gold";
  const early = "other words that come first in gold";
  expect(coverage([late, early], `${early}. ${late}`).every((share) => share === 1)).toBe(true);
});

test("the labels say how much of the gold text the page has", () => {
  expect(labelBlocks(["One two three."], "one two four five").found).toBe(0.5);
});

test("characters of scripts without spaces are words", () => {
  expect(coverage(["灯塔 在 海边", "菜单"], "灯塔在海边。")).toEqual([1, 0]);
});

test("a second copy of a text is no content when the gold text has it once", () => {
  const text = "seven words that come twice on page";
  expect(coverage([text, text], text).filter((share) => share === 1)).toHaveLength(1);
  expect(coverage([text, text], `${text} ${text}`)).toEqual([1, 1]);
});

test.each([
  { url: "https://www.example.com/a", site: "example.com" },
  { url: "https://uk.glossier.com/", site: "glossier.com" },
  { url: "https://shop.example.co.uk/", site: "example.co.uk" },
  { url: "", site: "" },
])("$url belongs to the site “$site”", ({ url, site }) => {
  expect(siteOf(url)).toBe(site);
});

test("pages weigh the same, whatever their length, and nothing when their gold text is elsewhere", () => {
  const labels = (words: number) => ({
    coverage: Float32Array.of(1, 0),
    wordCounts: Int32Array.of(words, words),
    copies: new Uint8Array(2),
    found: 1,
  });
  const sum = (words: number) => weighBlocks(labels(words)).reduce((total, weight) => total + weight, 0);
  expect(sum(1000)).toBeCloseTo(sum(100), -1);
  expect(hasContent(labels(5))).toBe(false);
  expect(sum(5)).toBe(0);
});

test("odds count each site once, and leave the held-out fold out", () => {
  const site = (fold: number, content: number, other: number) => {
    const tally = createTally(fold);
    tally.classes.set("footer", [0, other]);
    tally.classes.set("story", [content, 0]);
    return tally;
  };
  const sites = Array.from({ length: 12 }, (_, index) => site(index % 2, index === 0 ? 1e6 : 1, 1));
  const odds = learnOdds(sites, -1).classes;
  expect(odds.get("footer")).toBeCloseTo(-(odds.get("story") ?? 0));
  expect(odds.get("story")).toBeGreaterThan(1);
  expect(learnOdds(sites.slice(0, 10), 0).classes.size).toBe(0);
});
