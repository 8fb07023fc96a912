import { expect, test } from "vitest";
import { chooseBlocks, chooseThreshold } from "../../../../src/content/main-content/choose-blocks.ts";
import { measurePage } from "../../../../src/content/main-content/features/page-measures.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

const page = (blocks: string[]) =>
  measurePage(parseHtml(blocks.map((text) => `<p>${text}</p>`).join("")), "https://a.test/");
const words = (count: number) => "word ".repeat(count).trim();

test("the cut maximises the expected F1", () => {
  const probabilities = Float32Array.of(0.9, 0.5, 0.1);
  const sizes = Float64Array.of(10, 10, 10);
  const { threshold, expectedF1 } = chooseThreshold(probabilities, sizes);
  // Keeping two: 2·(9 + 5) / (20 + 15); keeping one: 2·9 / (10 + 15); keeping all: 2·15 / (30 + 15).
  expect(threshold).toBeCloseTo(0.5);
  expect(expectedF1).toBeCloseTo(28 / 35);
});

test("on a hard page the unlikely is kept, when it is most of what there is", () => {
  const { kept } = chooseBlocks(page([words(5), words(200)]), Float32Array.of(0.6, 0.4));
  expect([...kept]).toEqual([1, 1]);
});

test("on a clear page a doubtful stray is dropped", () => {
  const { kept, confidence } = chooseBlocks(page([words(300), words(4)]), Float32Array.of(0.99, 0.35));
  expect([...kept]).toEqual([1, 0]);
  expect(confidence).toBeGreaterThan(0.9);
});

test("of a clear page that says that it is an article, a stray needs more", () => {
  const html = (type: string) =>
    `<html><head><meta property="og:type" content="${type}"></head><body><p>${words(300)}</p><p>${words(4)}</p></body></html>`;
  const kept = (type: string) =>
    chooseBlocks(measurePage(parseHtml(html(type)), "https://a.test/"), Float32Array.of(0.99, 0.55)).kept[1];
  expect(kept("article")).toBe(0);
  expect(kept("product")).toBe(1);
});

test("something is kept even when nothing looks like content", () => {
  const { kept, confidence } = chooseBlocks(page(["Home", "About us"]), Float32Array.of(0.01, 0.02));
  expect([...kept]).toEqual([0, 1]);
  expect(confidence).toBeLessThan(0.5);
});

test("a page without blocks has no choice and no confidence", () => {
  expect(chooseBlocks(page([]), new Float32Array(0))).toEqual({
    kept: new Uint8Array(0),
    confidence: 0,
    repeatedShare: 0,
  });
});

const chosen = (html: string) => {
  const measures = measurePage(parseHtml(html), "https://a.test/");
  return [...chooseBlocks(measures, new Float32Array(measures.outline.blocks.length).fill(0.9)).kept];
};

test.each([
  {
    why: "a copy for other widths is dropped",
    html: `<div><p>${words(9)}</p></div><div><p>${words(9)}</p></div>`,
    kept: [1, 0],
  },
  {
    why: "a refrain between the paragraphs of one text may repeat",
    html: `<div><p>${words(9)}</p><p>Verse.</p><p>${words(9)}</p></div>`,
    kept: [1, 1, 1],
  },
  {
    why: "lines of one element may repeat",
    html: `<p>${words(9)}<br><br>Verse.<br><br>${words(9)}</p>`,
    kept: [1, 1, 1],
  },
  { why: "a word or two may repeat", html: "<p>Reply now</p><p>Reply now</p>", kept: [1, 1] },
  { why: "cells may repeat", html: "<table><tr><td>Yes it does</td><td>Yes it does</td></tr></table>", kept: [1, 1] },
  { why: "code may repeat", html: "<pre>a b c d</pre><pre>a b c d</pre>", kept: [1, 1] },
  {
    why: "a quotation above an answer may repeat what was said before",
    html: `<div>${words(9)}</div><p>Yes.</p><blockquote>${words(9)}</blockquote><p>No.</p>`,
    kept: [1, 1, 1, 1],
  },
  {
    why: "so may one in several paragraphs that a class alone marks",
    html: `<div><p>${words(9)}</p><p>${words(8)}</p></div><div class="bbcode_quote"><p>${words(9)}</p><p>${words(8)}</p></div>No.`,
    kept: [1, 1, 1, 1, 1],
  },
  {
    why: "clones of a slider's quotations are dropped",
    html: `<blockquote>${words(9)}</blockquote><p>Ann</p><blockquote>${words(9)}</blockquote><p>Ann</p>`,
    kept: [1, 1, 0, 1],
  },
  {
    why: "a post that is quoted as a whole is dropped",
    html: `<p>${words(90)}</p><blockquote>${words(90)}</blockquote><p>No.</p>`,
    kept: [1, 0, 1],
  },
  {
    why: "what a magazine pulls out of its text is dropped",
    html: `<p>${words(9)}</p><div class="pull-quote">${words(9)}</div><p>More.</p>`,
    kept: [1, 0, 1],
  },
])("$why", ({ html, kept }) => {
  expect(chosen(html)).toEqual(kept);
});

test("texts that nearly repeat others count as repeated", () => {
  const text = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
  const measures = measurePage(parseHtml(`<p>${text}</p><div><p>${text} too</p></div><p>${words(179)}</p>`), "");
  const { kept, repeatedShare } = chooseBlocks(measures, new Float32Array(3).fill(0.9));
  expect([...kept]).toEqual([1, 0, 1]);
  expect(repeatedShare).toBeCloseTo(61 / 300);
});

test("sizes are counted as words are compared", () => {
  const { text } = measurePage(parseHtml("<p>Price: $12.99 – été</p><p>***</p><p>日本語</p>"), "");
  expect([...text.sizes]).toEqual([4, 0.2, 1.5]);
});
