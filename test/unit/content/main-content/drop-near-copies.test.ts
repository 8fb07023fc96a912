import { expect, test } from "vitest";
import { dropNearCopies } from "../../../../src/content/main-content/drop-near-copies.ts";
import { measurePage } from "../../../../src/content/main-content/features/page-measures.ts";
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
    html: `<p>${words(0, 20)}</p><div><p>${words(0, 19)} instead</p></div><p>${words(100, 140)}</p>`,
    kept: [1, 0, 1],
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
  const text = "灯塔建于一八三四年，每天晚上看守人都会记录海水的高度。";
  expect(
    keptOf(`<p>${text}</p><div><p>${text}完</p></div><p>${"船只驶过港口进入大海然后返回家园。".repeat(1)}</p>`),
  ).toEqual([1, 0, 1]);
});
