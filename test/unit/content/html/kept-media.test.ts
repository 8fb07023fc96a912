import { expect, test } from "vitest";
import { measurePage } from "../../../../src/content/main-content/features/page-measures.ts";
import { keptMedia } from "../../../../src/content/html/kept-media.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

const TEXT = "Some words that make a paragraph of ordinary length.";

test.each([
  { why: "between two kept blocks", html: `<p>${TEXT}</p><img><p>${TEXT}</p>`, kept: [1, 1], expected: true },
  { why: "between two dropped blocks", html: `<p>${TEXT}</p><img><p>${TEXT}</p>`, kept: [0, 0], expected: false },
  { why: "inside a kept block", html: `<p>${TEXT} <img> more</p>`, kept: [1], expected: true },
  { why: "leading a kept article", html: `<div><img><p>${TEXT}</p></div><p>Foot</p>`, kept: [1, 0], expected: true },
  {
    why: "in a dropped card after kept text",
    html: `<p>${TEXT}</p><div><img><b>Card</b></div>`,
    kept: [1, 0],
    expected: false,
  },
])("an image $why: $expected", ({ html, kept, expected }) => {
  const page = measurePage(parseHtml(html), "https://a.test/");
  expect(keptMedia(page, Uint8Array.from(kept)).media).toEqual([expected]);
});

const LINK = '<a href="/x" aria-label="To read"></a>';
const LONG = TEXT.repeat(30);

test.each([
  { why: "over a kept card", html: `<div>${LINK}<h3>Card</h3></div><p>${TEXT}</p>`, kept: [1, 0], expected: [true] },
  { why: "in a kept line", html: `<p>${TEXT} ${LINK} more</p>`, kept: [1], expected: [true] },
  { why: "between kept paragraphs", html: `<p>${TEXT}</p>${LINK}<p>${TEXT}</p>`, kept: [1, 1], expected: [true] },
  {
    why: "beside others between kept paragraphs",
    html: `<p>${TEXT}</p><ul><li>${LINK}<li>${LINK}</ul><p>${TEXT}</p>`,
    kept: [1, 1],
    expected: [false, false],
  },
  {
    why: "beside others in a cell",
    html: `<table><tr><td>Links ${LINK} ${LINK}</td></tr></table>`,
    kept: [1],
    expected: [true, true],
  },
  { why: "below a long kept text", html: `<p>${LONG}</p>${LINK}`, kept: [1], expected: [false] },
  { why: "in a dropped card", html: `<p>${TEXT}</p><div>${LINK}<b>Card</b></div>`, kept: [1, 0], expected: [false] },
])("a link without text $why: $expected", ({ html, kept, expected }) => {
  const page = measurePage(parseHtml(html), "https://a.test/");
  expect(keptMedia(page, Uint8Array.from(kept)).bareLinks).toEqual(expected);
});
