import type { MainContent } from "../../../../src/content/main-content/main-content.ts";
import { expect, test } from "vitest";
import { restoreContext } from "../../../../src/content/main-content/restore-context.ts";
import { selectAll } from "../../../../src/content/html/tree/select.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { parseHtml, type ElementNode } from "../../../../src/content/html/tree/tree.ts";
import { processorMs } from "../../../processor-time.ts";

/** Elements of class `x` are dropped, with all their text. */
function remainder(html: string): string {
  const tree = parseHtml(html);
  const droppedElements = new Set(selectAll(tree.root, ".x"));
  const droppedText = new Map<ElementNode, ReadonlySet<number>>();
  for (const dropped of droppedElements) {
    for (const element of [dropped, ...selectAll(dropped, "*")]) {
      const indexes = element.children.flatMap((child, index) => (typeof child === "string" ? [index] : []));
      if (indexes.length > 0) droppedText.set(element, new Set(indexes));
    }
  }
  return textOf(tree.root, restoreContext(tree, { confidence: 0.9, droppedElements, droppedText }));
}

function textOf(element: ElementNode, content: MainContent): string {
  if (content.droppedElements.has(element)) return "";
  const dropped = content.droppedText.get(element);
  return element.children
    .map((child, index) => {
      if (typeof child === "string") return dropped?.has(index) === true ? "" : child;
      return child.tag === "img" && !content.droppedElements.has(child) ? "[img]" : textOf(child, content);
    })
    .join("");
}

test.each([
  {
    why: "the picture of a figure between kept paragraphs",
    html: "<div><p>a</p><figure class=x><img><figcaption>b</figcaption></figure><p>c</p></div>",
    text: "a[img]c",
  },
  {
    why: "the pictures of figures in a row",
    html: "<div><p>a</p><div class=x><figure><img>b</figure></div><div class=x><figure><img>c</figure></div><p>d</p></div>",
    text: "a[img][img]d",
  },
  {
    why: "the picture of a figure at the end of kept text",
    html: "<article><p>aaaa</p><figure class=x><img><figcaption>b</figcaption></figure></article><div class=x>c</div>",
    text: "aaaa[img]",
  },
  {
    why: "a listing between kept paragraphs",
    html: "<div><p>a</p><div class=x><pre>b</pre></div><p>c</p></div>",
    text: "abc",
  },
  {
    why: "a formula between kept paragraphs",
    html: "<div><p>a</p><div class='x mwe-math-element'><math>b</math></div><p>c</p></div>",
    text: "abc",
  },
  {
    why: "entries of a list of which most is kept",
    html: "<dl><dt>a</dt><dd>bbb</dd><dt class=x>c</dt><dd>ddd</dd></dl>",
    text: "abbbcddd",
  },
  {
    why: "a listing without the button and the image beside it",
    html: "<div><p>a</p><div class=x><button>copy</button><pre>b</pre><img></div><p>c</p></div>",
    text: "abc",
  },
])("$why is put back", ({ html, text }) => {
  expect(remainder(html)).toBe(text);
});

test.each([
  {
    why: "a figure among what is dropped",
    html: "<div><p>a</p></div><div class=x>b<figure><img>c</figure>d</div>",
    text: "a",
  },
  {
    why: "a figure that is a drawn interface",
    html: "<p>a</p><figure class=x><img><button>b</button></figure><p>c</p>",
    text: "ac",
  },
  {
    why: "a figure with a long text",
    html: `<p>a</p><figure class=x><img>${"b".repeat(301)}</figure><p>c</p>`,
    text: "ac",
  },
  {
    why: "a teaser between kept paragraphs",
    html: "<div><p>a</p><div class=x><a href=/>b</a></div><p>c</p></div>",
    text: "ac",
  },
  { why: "a list of which little is kept", html: "<dl><dt>a</dt><dd class=x>bbbbbbbb</dd></dl>", text: "a" },
  { why: "anything where nothing is kept", html: "<div class=x><p>a</p><figure><img>b</figure></div>", text: "" },
])("$why stays out", ({ html, text }) => {
  expect(remainder(html)).toBe(text);
});

test("30,000 dropped listings are looked through in linear time", async () => {
  const html = `<div><p>a</p>${"<div class=x><pre>b</pre></div>".repeat(30_000)}</div>`;
  const look = (): void => expect(remainder(html).startsWith("a")).toBe(true);
  // Linear work takes a quarter of it; 5 ns for each pair of listings take more.
  expect(await processorMs(look)).toBeLessThan(4_000);
});

/** Keeps all but the elements of a tag. */
function restoreWithout(html: string, tag: string, budget?: WorkBudget): MainContent {
  const tree = parseHtml(html);
  const droppedElements = new Set(selectAll(tree.root, tag));
  return restoreContext(tree, { confidence: 0.9, droppedElements, droppedText: new Map() }, budget);
}

test("the search for pictures in figures in figures takes steps", () => {
  const budget = new WorkBudget();
  restoreWithout(`<p>a</p>${"<figure><img>".repeat(200)}${"<form></form>"}${"<i></i>".repeat(500)}`, "h1", budget);
  expect(budget.steps).toBeGreaterThan(100_000);
});

test("a figure of 130,000 parts is read", () => {
  const html = `<figure><img><p>${"<br>".repeat(130_000)}</p></figure><p>a</p>`;
  expect(restoreWithout(html, "h1").droppedElements.size).toBe(0);
});
