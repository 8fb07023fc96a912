import { expect, test } from "vitest";
import {
  BLOCK_FEATURES,
  computeBlockFeatures,
} from "../../../../../src/content/main-content/features/block-features.ts";
import {
  computeContextFeatures,
  CONTEXT_FEATURES,
} from "../../../../../src/content/main-content/features/context-features.ts";
import { measurePage } from "../../../../../src/content/main-content/features/page-measures.ts";
import { compileOdds } from "../../../../../src/content/main-content/features/words/word-odds.ts";
import { parseHtml } from "../../../../../src/content/html/tree/tree.ts";

const ODDS = compileOdds({
  classes: new Map([
    ["story", 2],
    ["promo", -3],
  ]),
  texts: new Map([["subscribe", -2]]),
  headings: new Map([["related", -1.5]]),
});
const LONG = "This paragraph has more than ten words, and it ends the way that a sentence should end.";
const HTML = `<html><head><title>Bridges</title><meta property="og:type" content="article">
  <meta name="description" content="This paragraph has more than ten words"></head><body>
  <nav><ul><li><a href="/">Home</a></li><li><a href="/b">Bridges</a></li><li><a href="/c">Contact</a></li></ul></nav>
  <main class="story"><h1>Bridges</h1><p>${LONG}</p><p>${LONG} Really.</p></main>
  <div class="promo"><h2>Related</h2><p hidden>Subscribe now</p></div></body></html>`;

const page = measurePage(parseHtml(HTML), "https://example.com/2024/01/bridges-of-the-world");
const matrix = computeBlockFeatures(page, ODDS);
const blockOf = (text: string) => page.outline.blocks.findIndex((block) => block.text.startsWith(text));
const feature = (text: string, name: string) =>
  matrix[blockOf(text) * BLOCK_FEATURES.length + BLOCK_FEATURES.indexOf(name)];

test("every feature has one name and every value is a number", () => {
  expect(new Set(BLOCK_FEATURES).size).toBe(BLOCK_FEATURES.length);
  expect(matrix).toHaveLength(page.outline.blocks.length * BLOCK_FEATURES.length);
  expect(matrix.every((value) => Number.isFinite(value))).toBe(true);
});

test.each([
  { text: "Home", name: "linkDensity", value: 1 },
  { text: "Home", name: "in_nav", value: 1 / 3 },
  { text: "Home", name: "unitCount", value: Math.log1p(3) },
  { text: "Home", name: "inCore45", value: 0 },
  { text: "This", name: "inCore45", value: 1 },
  { text: "This", name: "linkDensity", value: 0 },
  { text: "This", name: "classOddsHigh", value: 2 },
  { text: "This", name: "sentenceEnd", value: 1 },
  { text: "This", name: "sinceHeading", value: 1 },
  { text: "This", name: "pageOpenGraphType", value: 1 },
  { text: "Subscribe", name: "classOddsLow", value: -3 },
  { text: "Subscribe", name: "textOddsSum", value: -2 },
  { text: "Subscribe", name: "headingOddsSum", value: -1.5 },
  { text: "Subscribe", name: "in_hidden", value: 1 },
  { text: "Bridges", name: "titleShare", value: 1 },
  { text: "This", name: "describedShare", value: 6 / 16 },
])("$name of the block “$text…” is $value", ({ text, name, value }) => {
  expect(feature(text, name)).toBeCloseTo(value, 5);
});

test("the second pass sees the first pass's view of the surroundings", () => {
  const probabilities = Float32Array.from(page.outline.blocks, ({ text }) => (text.startsWith("This") ? 0.9 : 0.1));
  const context = computeContextFeatures(page, probabilities);
  const value = (text: string, name: string) =>
    context[blockOf(text) * CONTEXT_FEATURES.length + CONTEXT_FEATURES.indexOf(name)];
  expect(context.every((number) => Number.isFinite(number))).toBe(true);
  expect(value("This", "first")).toBeCloseTo(0.9);
  expect(value("This", "first1")).toBeCloseTo(0.9);
  expect(value("Home", "firstSiblings")).toBeCloseTo(0.1);
  expect(value("Home", "first-1")).toBe(-1);
  expect(value("Related", "sinceContent")).toBeCloseTo(Math.log1p(1));
});

test("a page without blocks has no rows", () => {
  const empty = measurePage(parseHtml("<body></body>"), "");
  expect(computeBlockFeatures(empty, ODDS)).toHaveLength(0);
  expect(computeContextFeatures(empty, new Float32Array(0))).toHaveLength(0);
});
