import { expect, test } from "vitest";
import { dropStraysOfArticle } from "../../../../src/content/main-content/article-container.ts";
import { declaresArticle } from "../../../../src/content/main-content/features/page-features.ts";
import { measurePage } from "../../../../src/content/main-content/features/page-measures.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";
import { processorMs } from "../../../processor-time.ts";

const BODY = `<div><article><p>${"word ".repeat(60)}</p><p>short</p></article><aside><p>Most read</p><p>More</p></aside></div>`;

function keptOf(head: string, probabilities: number[]): number[] {
  const page = measurePage(parseHtml(`<html><head>${head}</head><body>${BODY}</body></html>`), "https://a.test/");
  const kept = new Uint8Array(probabilities.length).fill(1);
  dropStraysOfArticle(page, Float32Array.from(probabilities), kept);
  return [...kept];
}

test.each([
  { head: '<meta property="og:type" content="article">', kept: [1, 1, 0, 1] },
  { head: '<script type="application/ld+json">{"@type":"NewsArticle"}</script>', kept: [1, 1, 0, 1] },
  { head: '<meta property="og:type" content="website">', kept: [1, 1, 1, 1] },
  { head: "", kept: [1, 1, 1, 1] },
])("of a page with “$head”, unlikely texts beside the article", ({ head, kept }) => {
  expect(keptOf(head, [0.9, 0.4, 0.4, 0.7])).toEqual(kept);
});

test.each([
  { json: '{"@type" : "BlogPosting"}', isArticle: true },
  { json: '{"@type": [ "NewsArticle"]}', isArticle: true },
  { json: '{"@type": "Product"}', isArticle: false },
])("$json declares an article: $isArticle", ({ json, isArticle }) => {
  const { head } = parseHtml(`<script type="application/ld+json">${json}</script>`);
  expect(declaresArticle(head)).toBe(isArticle);
});

test.each(['{"@type":', '{"@type"', '{"@type": ['])("white space behind %s is read once", async (start) => {
  const { head } = parseHtml(`<script type="application/ld+json">${start}${" ".repeat(1_000_000)}}</script>`);
  expect(head.jsonLd[0]?.length).toBeGreaterThan(1_000_000);
  expect(await processorMs(() => declaresArticle(head))).toBeLessThan(1000);
});
