import { expect, test } from "vitest";
import { dropNearCopies } from "../../../../src/content/main-content/drop-near-copies.ts";
import { hashWord } from "../../../../src/content/main-content/features/words/word-hash.ts";
import { measurePage } from "../../../../src/content/main-content/features/page-measures.ts";
import { leastProcessorMs } from "../../../processor-time.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `word${from + index}`).join(" ");

function keptOf(html: string): number[] {
  const page = measurePage(parseHtml(html), "https://a.test/");
  const kept = new Uint8Array(page.outline.blocks.length).fill(1);
  dropNearCopies(page, kept);
  return [...kept];
}

test.each([
  {
    why: "a text that is nearly one above is dropped",
    html: `<p>${words(0, 50)}</p><div><p>${words(0, 49)} instead</p></div><p>${words(100, 190)}</p>`,
    kept: [1, 0, 1],
  },
  {
    why: "a short text that differs in a word stays",
    html: `<p>${words(0, 20)}</p><div><p>${words(0, 19)} instead</p></div><p>${words(100, 140)}</p>`,
    kept: [1, 1, 1],
  },
  {
    why: "a short text that has a part of one above and nothing else is dropped",
    html: `<p>${words(0, 20)}</p><div><p>${words(0, 12)}</p></div><p>${words(100, 140)}</p>`,
    kept: [1, 0, 1],
  },
  {
    why: "a text with a number of its own stays",
    html: `<p>${words(0, 50)} 2021</p><div><p>${words(0, 50)} 2022</p></div><p>${words(100, 190)}</p>`,
    kept: [1, 1, 1],
  },
  {
    why: "a number that is in the same words above does not count as its own",
    html: `<p>2021 ${words(0, 50)}</p><div><p>2021 ${words(0, 49)} instead</p></div><p>${words(100, 190)}</p>`,
    kept: [1, 0, 1],
  },
  {
    why: "of long texts of which each repeats its words, the last stays",
    html: `${`<div>${words(0, 65)} ${words(0, 65)}</div>`.repeat(3)}<p>${words(100, 400)}</p>`,
    kept: [0, 0, 1, 1],
  },
  {
    why: "a text that has a part of one above stays",
    html: `<p>${words(0, 20)}</p><div><p>${words(0, 10)} ${words(40, 50)}</p></div><p>${words(100, 140)}</p>`,
    kept: [1, 1, 1],
  },
  {
    why: "short texts may be alike",
    html: `<p>${words(0, 7)}</p><div><p>${words(0, 7)}</p></div><p>${words(100, 140)}</p>`,
    kept: [1, 1, 1],
  },
  {
    why: "a paragraph that its author repeats with another end stays",
    html: `<div><p>${words(0, 20)}</p><p>${words(0, 19)} again</p><p>${words(100, 140)}</p></div>`,
    kept: [1, 1, 1],
  },
  {
    why: "rows of tables may be alike",
    html: `<table><tr><td>${words(0, 20)}</td></tr><tr><td>${words(0, 20)}</td></tr></table><p>${words(100, 140)}</p>`,
    kept: [1, 1, 1],
  },
  {
    why: "the whole text as one long block is dropped, also when it comes first",
    html: `<div>${words(0, 130)}</div><div><p>${words(0, 65)}</p><p>${words(65, 130)}</p></div><p>${words(200, 400)}</p>`,
    kept: [0, 1, 1, 1],
  },
  {
    why: "a page that consists of texts that are alike keeps them",
    html: Array.from({ length: 4 }, (_, line) => `<div><p>${words(0, 20)} line${line}</p></div>`).join(""),
    kept: [1, 1, 1, 1],
  },
])("$why", ({ html, kept }) => {
  expect(keptOf(html)).toEqual(kept);
});

test("texts in scripts without spaces are compared too", () => {
  const text =
    "灯塔建于一八三四年，每天晚上看守人都会记录海水的高度，然后把数字写进一本厚厚的旧书里，再点亮海边的灯火。";
  const other = "船只驶过港口进入大海然后返回家园，渔民在码头修补渔网，孩子们在沙滩上等待父亲归来，海鸥围着桅杆飞翔。";
  expect(keptOf(`<p>${text}</p><div><p>${text}完</p></div><p>${other}</p>`)).toEqual([1, 0, 1]);
});

test.each([
  { script: "Thai", first: 0xe01, letters: 46 },
  { script: "Lao", first: 0xe94, letters: 16 },
  { script: "Khmer", first: 0x1780, letters: 35 },
  { script: "Burmese", first: 0x1000, letters: 33 },
])("texts of any length in $script letters are compared", ({ first, letters }) => {
  let state = 1;
  const letter = () => first + (((state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16) % letters);
  for (let length = 40; length <= 400; length++) {
    const [one = "", other = ""] = [0, 1].map(() => String.fromCharCode(...Array.from({ length }, letter)));
    expect(keptOf(`<p>${one}</p><div><p>${other}</p></div>`)).toEqual([1, 1]);
    expect(keptOf(`<p>${one}</p><div><p>${one}</p></div><p>${other}</p>`)).toEqual([1, 0, 1]);
  }
});

test("reports of several years all stay, and texts that are dropped are counted", () => {
  const report = (year: number) =>
    `<li><a href="/${year}">Annual financial report of Example Corporation for the year ${year}</a></li>`;
  const years = `<ul>${[2021, 2022, 2023].map(report).join("")}</ul>`;
  const [shared, own] = [words(0, 40), words(100, 140)];
  expect(keptOf(`${years}<p>${own}</p>`)).toEqual([1, 1, 1, 1]);
  const page = measurePage(parseHtml(`<p>${shared} ${own}</p><div><p>${shared}</p></div>`), "https://a.test/");
  expect(dropNearCopies(page, Uint8Array.of(1, 1))).toBeCloseTo(1 / 3);
  expect(dropNearCopies(page, Uint8Array.of(1, 0))).toBe(0);
});

test("each word that is compared takes a step, and pages of more than 300,000 words are not compared", () => {
  const stepsOf = (count: number) => {
    const html = `<p>${words(0, count)}</p><div><p>${words(0, 40)}</p></div>`;
    const page = measurePage(parseHtml(html), "https://a.test/");
    const before = page.budget.steps;
    return { dropped: dropNearCopies(page, Uint8Array.of(1, 1)), steps: page.budget.steps - before };
  };
  expect(stepsOf(100)).toEqual({ dropped: 40 / 140, steps: 140 });
  expect(stepsOf(300_000).dropped).toBe(0);
});

test("no choice of words makes the comparison slow", async () => {
  const page = measurePage(parseHtml(`<p>${crowdedWords(22_000)}</p><p>${words(0, 40)}</p>`), "https://a.test/");
  const compare = (): number => dropNearCopies(page, Uint8Array.of(1, 1));
  expect(await leastProcessorMs(compare, 75)).toBeLessThan(75);
});

/** Returns words of which any five in a row have a number with the same lowest bits, as far as a table of a fixed order used them. */
function crowdedWords(count: number): string {
  const hashes: number[] = [];
  const chosen: string[] = [];
  for (let tried = 0; chosen.length < count; tried++) {
    const word = `w${tried.toString(36)}`;
    const run = [...hashes.slice(-4), hashWord(word)];
    const key = run.reduce((sum, hash) => (Math.imul(sum, 31) + hash) | 0, 17);
    if (run.length === 5 && ((key ^ (key >>> 15)) & 0xffff) > 8_000) continue;
    hashes.push(hashWord(word));
    chosen.push(word);
  }
  return chosen.join(" ");
}
