import { expect, test } from "vitest";
import { isNearElement, testOnce } from "../../../../src/content/main-content/blocks.ts";
import { measurePage } from "../../../../src/content/main-content/features/page-measures.ts";
import { judgeRows, keepItemParts } from "../../../../src/content/main-content/like-items.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

const CARDS = Array.from(
  { length: 5 },
  (_, item) =>
    `<li><div class="title">Lantern ${item}</div><span class="price">€${item}9.00</span><div>Text ${item}</div></li>`,
).join("");

const measured = (html: string) => measurePage(parseHtml(html), "https://a.test/");
const textsOf = (page: ReturnType<typeof measured>) => page.outline.blocks.map(({ text }) => text);

test("blocks at the same place of like items are judged together", () => {
  const page = measured(`<ul>${CARDS}</ul>`);
  const probabilities = Float32Array.from(textsOf(page), (text) =>
    text === "Lantern 3" ? 0 : text.startsWith("Lantern") ? 1 : 0.2,
  );
  const judged = judgeRows(page, probabilities);
  const at = (text: string) => judged[textsOf(page).indexOf(text)];
  expect(at("Lantern 3")).toBeGreaterThan(0.4);
  expect(at("Lantern 1")).toBeLessThan(1);
  expect(at("Text 1")).toBeCloseTo(0.2);
});

test("paragraphs and headings of a text are judged one by one", () => {
  const page = measured("<h2>a</h2><p>one</p><p>two</p><p>three</p><p>four</p><h2>b</h2><h2>c</h2><h2>d</h2>");
  const probabilities = Float32Array.from(textsOf(page), (_, block) => block / 10);
  expect(judgeRows(page, probabilities)).toEqual(probabilities);
});

function keptTexts(html: string, isKept: (text: string) => boolean, probability = 0.3): string[] {
  const page = measured(html);
  const kept = Uint8Array.from(textsOf(page), (text) => (isKept(text) ? 1 : 0));
  keepItemParts({ page, probabilities: new Float32Array(kept.length).fill(probability), kept });
  return textsOf(page).filter((_, block) => kept[block] === 1);
}

test("where most products of a row are kept, all keep their names and prices", () => {
  const texts = keptTexts(`<ul>${CARDS}</ul>`, (text) => /Text [0-2]/.test(text));
  expect(texts.filter((text) => text.startsWith("Lantern"))).toHaveLength(5);
  expect(texts.filter((text) => text.startsWith("€"))).toHaveLength(5);
  expect(texts).not.toContain("Text 4");
});

test.each([
  { why: "most of a row is left out", isKept: (text: string) => text === "Text 0", probability: 0.15 },
  { why: "the classifier gives them no chance", isKept: (text: string) => text.startsWith("Text"), probability: 0.01 },
])("names and prices stay out where $why", ({ isKept, probability }) => {
  expect(keptTexts(`<ul>${CARDS}</ul>`, isKept, probability).every(isKept)).toBe(true);
});

test("a row of products that is likely as a whole is kept, even where each of it is left out", () => {
  expect(keptTexts(`<ul>${CARDS}</ul>`, () => false)).toHaveLength(10);
});

test("entries without prices get nothing back", () => {
  const entries = CARDS.replace(/€\d+\.00/g, "today");
  const isKept = (text: string) => text.startsWith("Text");
  expect(keptTexts(`<ul>${entries}</ul>`, isKept).every(isKept)).toBe(true);
});

test("elements are tested once, by the first 1,000 characters of their class", () => {
  const tested: string[] = [];
  const isNamed = testOnce((_tag, classes) => {
    tested.push(classes);
    return classes.includes("name");
  });
  const { outline } = measured(`<div class="${"a ".repeat(1000)}name"><p class="name">a</p><p>b</p></div>`);
  const isMarked = () => [0, 1].map((block) => isNearElement(outline, block, isNamed));
  expect([isMarked(), isMarked()]).toEqual(Array.from({ length: 2 }, () => [true, false]));
  expect(tested.map(({ length }) => length)).toEqual([4, 0, 1000]);
});
