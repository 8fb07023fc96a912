import fc from "fast-check";
import { toString } from "mdast-util-to-string";
import { expect, test, vi } from "vitest";
import { parseHtml, textOf } from "../../../../src/content/html/tree/tree.ts";
import { all, markdownOf, read } from "./render.ts";
import { sampleCount } from "../../../sample.ts";

/** Texts that would be blocks by themselves at the start of a line. */
const WORDS =
  "alpha|1. x|- y|# z|> q|a\u0001b|[x] t|[ ] u|===|---|\u0001 - \u0001|***|~~~|\\|`|+|*|2)|[r]: s|$$|a<br>b|a<br>---|x<br>1. y|<b>k</b>|<code>c\u0001d</code>|<a href=/l>m</a>|&lt;p&gt;"
    .split("|")
    .map((text) => text.replaceAll("\u0001", "|"));
const word = fc.constantFrom(...WORDS);
const { node } = fc.letrec<{ node: string; nodes: string }>((tie) => ({
  nodes: fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((list) => list.join("")),
  node: fc.oneof(
    { maxDepth: 4 },
    word,
    word.map((text) => `<p>${text}</p>`),
    word.map((text) => `<h2>${text}</h2>`),
    word.map((text) => `<pre>${text.replace(/<[^>]*>/g, "")}</pre>`),
    fc.tuple(fc.constantFrom("blockquote", "div"), tie("nodes")).map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
    tie("nodes").map((inner) => `<table><tr><th>H<th>I</tr><tr><td>${inner}</td><td>J</td></tr></table>`),
    fc
      .tuple(fc.constantFrom("ul", "ol"), fc.array(tie("nodes"), { minLength: 1, maxLength: 3 }))
      .map(([tag, items]) => `<${tag}>${items.map((item) => `<li>${item}</li>`).join("")}</${tag}>`),
  ),
}));
const page = fc.array(node, { minLength: 1, maxLength: 4 }).map((nodes) => nodes.join(""));
const RUNS = { numRuns: sampleCount(300, 100, 1000), seed: 20_261_121 };

const withoutSpaces = (text: string): string => text.replace(/\s+/g, "");
const count = (html: string, tag: string): number => html.split(`<${tag}>`).length - 1;

vi.setConfig({ testTimeout: 120_000 });

test("blocks read back as the same blocks with the same text", () => {
  fc.assert(
    fc.property(page, (html) => {
      fc.pre(!html.includes("<table"));
      const tree = read(markdownOf(html));
      expect(withoutSpaces(toString(tree))).toBe(withoutSpaces(textOf(parseHtml(html).root)));
      const counts = (["heading", "listItem", "blockquote", "code"] as const).map((type) => all(tree, type).length);
      expect(counts).toEqual(["h2", "li", "blockquote", "pre"].map((tag) => count(html, tag)));
    }),
    RUNS,
  );
});

test("tables keep all of their text, and their columns", () => {
  fc.assert(
    fc.property(page, (html) => {
      const cell = html.replace(/<\/?table>|<t[rh][^>]*>|<td>|<\/t[rd]>/g, " ");
      const tree = read(markdownOf(`<table><tr><th>H<th>I</tr><tr><td>${cell}</td><td>J</td></tr></table>`));
      const [table, ...others] = all(tree, "table");
      expect(others).toEqual([]);
      expect(table?.children.map(({ children }) => children.length)).toEqual([2, 2]);
      const signs = (text: string) => withoutSpaces(text.replace(/<br>/g, " ").replace(/[-\d.]/g, ""));
      const [, row] = table?.children ?? [];
      expect(signs(toString(row))).toBe(`${signs(textOf(parseHtml(cell).root))}J`);
    }),
    RUNS,
  );
});

test("no page comes out larger than twice its source and its addresses", () => {
  fc.assert(
    fc.property(page, (html) => {
      const addresses = html.split("href=").length * 30;
      expect(markdownOf(html).length).toBeLessThanOrEqual(2 * html.length + addresses);
    }),
    RUNS,
  );
});

test("the same page comes out the same every time", () => {
  fc.assert(
    fc.property(page, (html) => {
      expect(markdownOf(html)).toBe(markdownOf(html));
    }),
    { numRuns: 100, seed: 20_261_121 },
  );
});
