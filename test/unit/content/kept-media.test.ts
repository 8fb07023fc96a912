import { expect, test } from "vitest";
import { measurePage } from "../../../src/content/features/page-measures.ts";
import { keptMedia } from "../../../src/content/kept-media.ts";
import { parseHtml } from "../../../src/content/tree.ts";

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
  expect(keptMedia(page, Uint8Array.from(kept))).toEqual([expected]);
});
