import fc from "fast-check";
import { expect, test } from "vitest";
import { readLinks } from "../../../../src/content/crawling/links.ts";
import { cleanHtml, toMarkdown } from "../../../../src/content/read-html.ts";
import { emitHtml } from "../../../../src/content/html/emit-html.ts";
import {
  parseHtml,
  textOf,
  walkElements,
  type ElementNode,
  type HtmlTree,
} from "../../../../src/content/html/tree/tree.ts";
import { processorMs } from "../../../processor-time.ts";
import { viewOf } from "../reading.ts";

/** The page as HTML, hidden parts and all. */
function written({ root }: HtmlTree): string {
  const cleaned = {
    roots: [root],
    droppedElements: new Set<never>(),
    droppedText: new Map(),
    revealed: "all" as const,
  };
  return emitHtml(cleaned, "https://shop.example/").replace(/^<html><body>|<\/body><\/html>$/g, "");
}

const pending = (id: string, meanwhile: string) => `<!--$?--><template id="${id}"></template>${meanwhile}<!--/$-->`;

test.each([
  {
    why: "where a script says",
    html: `<main>${pending("B:0", "<i>wait</i>")}<p>a</p></main><div hidden id="S:4"><h1>b</h1>c</div><script>$RC=function(b,c){};$RC("B:0","S:4")</script>`,
    page: "<main><h1>b</h1>c<p>a</p></main>",
  },
  {
    why: "where the number says, without scripts",
    html: `<main>${pending("B:a", "wait")}</main><div hidden id="S:a"><p>b</p></div>`,
    page: "<main><p>b</p></main>",
  },
  {
    why: "between texts, which become one with theirs",
    html: `<p>a ${pending("B:0", "wait")} d</p><div hidden id="S:0">b<b>c</b></div>`,
    page: "<p>a b<b>c</b> d</p>",
  },
  {
    why: "in other parts, at placeholders",
    html: `${pending("B:0", "")}<div hidden id="S:1">a<template id="P:2"></template>c</div><div hidden id="S:2">b</div><script>$RS("S:2","P:2")</script><script>$RC("B:0","S:1")</script>`,
    page: "abc",
  },
  {
    why: "in boundaries within boundaries, whose own wait is over",
    html: `<!--$--><p>${pending("B:0", `<!--$--><i>x</i><!--/$--><s>${pending("B:2", "y")}</s>z`)}a</p><!--/$--><div hidden id="S:0">b${pending("B:1", "wait")}c</div><div hidden id="S:1"><u>d</u></div><div hidden id="S:2">never</div>`,
    page: "<p>b<u>d</u>ca</p>",
  },
  {
    why: "as rows of a table",
    html: `<table><tbody>${pending("B:0", "<tr><td>wait</td></tr>")}</tbody></table><table hidden><tbody id="S:0"><tr><td>a</td></tr></tbody></table>`,
    page: '<table><tbody><tr><td>a</td></tr></tbody></table><table hidden=""></table>',
  },
  {
    why: "under ids with a prefix",
    html: `${pending("app-B:0", "wait")}<div hidden id="app-S:3">a</div><script>$RR("app-B:0","app-S:3",[])</script>`,
    page: "a",
  },
  {
    why: "without comments, beside what is shown meanwhile",
    html: '<main><template id="B:0"></template><i>wait</i></main><div hidden id="S:0">a</div>',
    page: "<main>a<i>wait</i></main>",
  },
  {
    why: "not at all where they never came",
    html: `<main>${pending("B:0", "<i>wait</i>")}a</main>`,
    page: "<main><i>wait</i>a</main>",
  },
  {
    why: "where they are when nothing waits for them",
    html: `${pending("B:0", "wait")}<div hidden id="S:9">a</div>`,
    page: 'wait<div hidden="" id="S:9">a</div>',
  },
  {
    why: "where they are when their place is in them",
    html: '<div hidden id="S:0">a<template id="B:0"></template></div>',
    page: '<div hidden="" id="S:0">a</div>',
  },
  {
    why: "only on such pages",
    html: '<!--$--><div hidden id="S:0">a</div><!--/$--><template id="B"></template>',
    page: '<div hidden="" id="S:0">a</div>',
  },
])("late parts stand $why", ({ html, page }) => {
  expect(written(parseHtml(html))).toBe(page);
});

const STREAMED = `<body><main>${pending("B:1", "<p>Loading</p>")}<section><h2>Description</h2><p>Fine and light. <a href="/b">b</a></p></section></main>
<div hidden id="S:1"><h1>Acme Laptop 13</h1><p>Model of this year. <a href="/a">a</a></p></div><div hidden id="S:7"><p>Nobody waits for this.</p></div><script>$RC("B:1","S:1")</script></body>`;

test("every format has them in place, and shows those that nothing waits for", () => {
  const view = viewOf(STREAMED);
  const markdown = toMarkdown(view, cleanHtml(view, { onlyMainContent: false, includeTags: [], excludeTags: [] }), {
    removeBase64Images: true,
  });
  expect(markdown).toBe(
    "# Acme Laptop 13\n\nModel of this year. [a](https://shop.example/a)\n\n## Description\n\nFine and light. [b](https://shop.example/b)\n\nNobody waits for this.\n",
  );
  expect(readLinks(view)).toEqual(["https://shop.example/a", "https://shop.example/b"]);
});

const MARKS = [
  "<!--$?-->",
  "<!--$-->",
  "<!--/$-->",
  "<p>",
  "</p>",
  "<div>",
  "</div>",
  "text",
  "<table><td>",
  "</table>",
];
const PIECES = [
  ...MARKS,
  ...[0, 1, 2].flatMap((id) => [`<template id="B:${id}"></template>`, `<template id="P:${id}">`, "</template>"]),
  ...[0, 1, 2].flatMap((id) => [`<div hidden id="S:${id}">`, `<script>$RC("B:${id}","S:${2 - id}")</script>`]),
];

test("whatever the marks, the tree is whole", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), (pieces) => {
      const tree = parseHtml(pieces.join(""));
      const walked: ElementNode[] = [];
      walkElements(tree.root, (element) => {
        walked.push(element);
        for (const child of element.children) if (typeof child !== "string") expect(child.parent).toBe(element);
      });
      const chained: ElementNode[] = [];
      for (let element: ElementNode | undefined = tree.root; element !== undefined; element = element.next)
        chained.push(element);
      expect(chained).toEqual(walked);
      expect(tree.elementCount).toBe(walked.length - 1);
      expect(walked.some(({ tag }) => tag === "#boundary-end")).toBe(false);
    }),
  );
});

test("30,000 parts are put in place in linear time", async () => {
  const ids = Array.from({ length: 30_000 }, (_, index) => index.toString(16));
  const html = `<div>${ids.map((id) => pending(`B:${id}`, "wait")).join("")}</div>${ids.map((id) => `<div hidden id="S:${id}">${id} </div>`).join("")}`;
  const parse = (): void => expect(parseHtml(html).elementCount).toBe(1);
  // Linear work takes a quarter of it; 5 ns for each pair of parts take more.
  expect(await processorMs(parse)).toBeLessThan(4_000);
});

test("parts in parts are no deeper than the parser's trees, and lose no text", () => {
  const deep = (inner: string): string => `${"<div>".repeat(400)}${inner}${"</div>".repeat(400)}`;
  const parts = [0, 1, 2].map((id) => {
    const next = id < 2 ? `<template id="B:${id + 1}"></template>` : "end";
    return `<div hidden id="S:${id}">${deep(`a${id}<b>b${id}${next}</b>c${id}`)}</div>`;
  });
  const { root, elementCount } = parseHtml(`<template id="B:0"></template>${parts.join("")}`);
  const depths = new Map<ElementNode | undefined, number>([[undefined, -1]]);
  walkElements(root, (element) => depths.set(element, (depths.get(element.parent) ?? 0) + 1));
  expect(Math.max(...depths.values())).toBe(513);
  expect(textOf(root)).toBe("a0b0a1b1a2b2endc2c1c0");
  let chained = 0;
  for (let { next } = root; next !== undefined; next = next.next) chained++;
  expect(chained).toBe(elementCount);
});
