import fc from "fast-check";
import { toString } from "mdast-util-to-string";
import { expect, test, vi } from "vitest";
import { markdownOf, read } from "./render.ts";
import { sampleCount } from "../../../sample.ts";

const SIGNS = [
  ..."ab 1.-+*_#>`~[]()!|\\<&;:='\"é日\n",
  "**",
  "__",
  "~~",
  "](",
  "[^1]",
  "&amp;",
  "&#1;",
  "<b>",
  "``",
  "1. ",
  "- ",
  "www.a.b",
  "http://a.b/_c_",
  "😀",
  "。",
  "「",
  "」",
];
const word = fc
  .array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 8 })
  // What stands between TeX delimiters is a formula, and not text.
  .map((signs) => signs.join("").replace(/\\[([]/g, "\\"))
  .map((text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));

const { node } = fc.letrec<{ node: string; nodes: string }>((tie) => ({
  nodes: fc.array(tie("node"), { minLength: 1, maxLength: 4 }).map((list) => list.join("")),
  node: fc.oneof(
    { maxDepth: 3 },
    word,
    word.map((text) => `<code>${text}</code>`),
    fc
      .tuple(fc.constantFrom("b", "i", "em", "strong", "span", "del", "u", "cite"), tie("nodes"))
      .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
    tie("nodes").map((inner) => `<a href="/x">${inner}</a>`),
  ),
}));

const withoutSpaces = (text: string): string => text.replace(/\s+/g, "");
const sourceText = (html: string): string =>
  withoutSpaces(
    html
      .replace(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&amp;", "&"),
  );

vi.setConfig({ testTimeout: 120_000 });

test("running text reads back as itself, whatever signs it is made of and whatever marks are on it", () => {
  fc.assert(
    fc.property(fc.array(node, { minLength: 1, maxLength: 5 }), (nodes) => {
      const html = nodes.join("");
      // Links that only serve as anchors leave their sign out.
      fc.pre(!/[#¶§]/.test(html) || !html.includes("<a"));
      const tree = read(markdownOf(`<p>${html}</p>`));
      expect(withoutSpaces(toString(tree))).toBe(sourceText(html));
      for (const { type } of tree.children) expect(type).toBe("paragraph");
    }),
    { numRuns: sampleCount(500, 150, 1500), seed: 20_261_121 },
  );
});
