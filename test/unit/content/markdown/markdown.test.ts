import { describe, expect, test } from "vitest";
import { BROKEN, CODE, HYGIENE, LISTS, MATH, QUOTES, TABLES } from "./block-cases.ts";
import { HEADINGS, IMAGES, INLINE, LINKS } from "./inline-cases.ts";
import { leastProcessorMs } from "../../../processor-time.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { all, markdownOf, markdownOfTree, read, text } from "./render.ts";

describe.each([
  ["headings", HEADINGS],
  ["running text", INLINE],
  ["links", LINKS],
  ["images", IMAGES],
  ["lists", LISTS],
  ["code", CODE],
  ["tables", TABLES],
  ["quotes", QUOTES],
  ["formulas", MATH],
  ["hygiene", HYGIENE],
  ["broken HTML", BROKEN],
])("%s", (_kind, cases) => {
  test.each(cases)("$what", ({ html, markdown }) => {
    expect(markdownOf(html)).toBe(markdown === "" ? "" : `${markdown}\n`);
  });
});

test("base64 pictures stay when asked for", () => {
  const html = '<p><img src="data:image/png;base64,AAAA" alt="c"></p>';
  expect(markdownOf(html, { removeBase64Images: false })).toBe("![c](data:image/png;base64,AAAA)\n");
});

test("50,000 nested elements come out", () => {
  const html = `${"<div>".repeat(50_000)}deep${"</div>".repeat(50_000)}`;
  expect(markdownOf(html)).toBe("deep\n");
});

test.each(["b", "a href=/x", "ul><li", "blockquote", "table><tr><td", "span"])(
  "5,000 nested <%s> do not overflow",
  (tag) => {
    expect(markdownOf(`${`<${tag}>`.repeat(5000)}deep`)).toContain("deep");
  },
);

test("a colspan of 100,000 stays small", () => {
  const markdown = markdownOf('<table><tr><th colspan="100000">A</th></tr><tr><td>1</td><td>2</td></tr></table>');
  expect(markdown.length).toBeLessThan(1000);
});

test("what is written reads as what was meant", () => {
  const tree = read(
    markdownOf("<h2>T</h2><ol><li>a<ul><li>b</li></ul></li></ol><pre>x</pre><blockquote>q</blockquote>"),
  );
  expect(all(tree, "listItem").map(text)).toEqual(["ab", "b"]);
  expect(all(tree, "code").map(({ value }) => value)).toEqual(["x"]);
  expect(all(tree, "blockquote").map(text)).toEqual(["q"]);
});

test.each([
  { what: "nested lists", html: "<ul><li>x".repeat(2000) },
  { what: "nested quotes", html: "<blockquote>x".repeat(2000) },
  {
    what: "a row of 2,000 cells above short rows",
    html: `<table><tr>${"<td>x".repeat(2000)}${"<tr><td>y".repeat(2000)}`,
  },
  { what: "cells that span 65,000 rows", html: `<table>${"<tr><td rowspan=65000>some text<td>y".repeat(2000)}` },
  {
    what: "heads that span 1,000 columns",
    html: `<table><tr>${"<th>x".repeat(1000)}${Array.from({ length: 1000 }, (_, row) => `<tr><th colspan=1000>y${row}`).join("")}<tr><td>z`,
  },
  {
    what: "listings in listings",
    html: `<table class=highlight><tr><td>${"<pre>".repeat(400)}${"x = 1\n".repeat(1000)}`,
  },
  { what: "cells that span 1,000 columns", html: `<table>${"<tr><td colspan=1000>some text<td>y".repeat(2000)}` },
])("$what come out in proportion to their source", ({ html }) => {
  const markdown = markdownOf(html);
  expect(markdown).toMatch(/[xy]/);
  expect(markdown.length).toBeLessThan(3 * html.length);
});

test("rows that span 1,000 columns take no more work than their cells", async () => {
  const tree = parseHtml(`<table><tr>${"<td>x".repeat(1000)}${"<tr><td colspan=1000>a".repeat(4000)}`);
  expect(await leastProcessorMs(() => markdownOfTree(tree), 80)).toBeLessThan(80);
});

test.each([
  { what: "columns before a cell", rows: "<tr><td colspan=999>a<td>b".repeat(100) },
  { what: "cells above a row", rows: `<tr><td>x${"<td rowspan=900>x".repeat(999)}${"<tr><td colspan=1000>a".repeat(100)}` },
  { what: "characters of listings", rows: `</table><pre>${"x".repeat(400_000)}</pre>` },
])("$what take steps", ({ rows }) => {
  const budget = new WorkBudget();
  const tree = parseHtml(`<table><tr>${"<td>x".repeat(1000)}${rows}</table>`);
  markdownOfTree(tree, { budget });
  expect(budget.steps).toBeGreaterThan(25_000);
}); // prettier-ignore

test("a head of thousands of rows takes no more work than their cells", async () => {
  const rows = Array.from({ length: 3_000 }, (_, row) => `<tr><td>${row} ${"w".repeat(150)}<td>${row}`).join("");
  const tree = parseHtml(`<table><thead>${rows}</thead><tbody><tr><td>a<td>b</table>`);
  expect(await leastProcessorMs(() => markdownOfTree(tree), 250)).toBeLessThan(250);
  expect(markdownOfTree(tree)).toContain("| a | b |");
});
