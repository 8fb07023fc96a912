import { afterEach, expect, test, vi } from "vitest";
import { openHtml } from "../../../../src/content/read-html.ts";
import { readStructuredData } from "../../../../src/content/structured-data/read-structured-data.ts";
import { factOf, readableText } from "../../../../src/content/structured-data/readable-text.ts";
import { parseHtml, walkElements, type ElementNode } from "../../../../src/content/html/tree/tree.ts";
import { given } from "../../../fakes/given.ts";

const URL = "https://a.example/";
const LEVELS = 250;

afterEach(() => vi.restoreAllMocks());

/** Counts the characters of all texts in which something is replaced. */
function countReplaced(): () => number {
  let count = 0;
  const { replace } = String.prototype;
  vi.spyOn(String.prototype, "replace").mockImplementation(function (this: string, ...args: unknown[]) {
    count += this.length;
    return Reflect.apply(replace, this, args) as string;
  });
  return () => count;
}

test.each([
  ["quotes", "<blockquote>"],
  ["lists", "<ul><li>"],
])("a long text in a nest of %s is condensed once", (_name, tags) => {
  const html = `${tags.repeat(LEVELS)}<pre>${"a\n".repeat(25_000)}</pre>`;
  const page = openHtml(html, URL);
  const replaced = countReplaced();
  readStructuredData(page);
  expect(replaced()).toBeLessThan(20 * html.length);
});

function textOf(html: string): string {
  const found: ElementNode[] = [];
  walkElements(parseHtml(html).root, (element) => found.push(element));
  return readableText(given(found.find(({ tag }) => tag === "div")));
}

test.each([
  ["<div> a <b> b</b>\n<i>c </i> </div>", "a b c"],
  ["<div>a<p>b</p>c<br>d</div>", "a b c d"],
  ["<div>hy\u00adphen\u00a0 \u00ad x</div>", "hyphen x"],
  [`<div> ${"x  y\n".repeat(500)}<b> z</b></div>`, `${"x y ".repeat(500)}z`],
  [`<div>${"  ".repeat(2_000)}<b>z</b></div>`, "z"],
])("the readable text of %s is one line", (html, text) => {
  expect(textOf(html)).toBe(text);
});

test("a fact has the whole of a long text", () => {
  const found: ElementNode[] = [];
  walkElements(parseHtml(`<li>${"word  ".repeat(3_000)}</li>`).root, (element) => found.push(element));
  const item = given(found.find(({ tag }) => tag === "li"));
  expect(factOf(item, URL)).toEqual({ kind: "text", text: "word ".repeat(3_000).trim() });
});
