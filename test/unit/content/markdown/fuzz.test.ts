import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { textOf, parseHtml } from "../../../../src/content/html/tree/tree.ts";
import { all, markdownOf, read, text } from "./render.ts";
import { sampleCount } from "../../../sample.ts";

const WORDS = [
  "alpha",
  "beta",
  "a_b",
  "*x*",
  "**y**",
  "_z_",
  "[q]",
  "[r](s)",
  "`t`",
  "<u>",
  "&amp;",
  "1.",
  "-",
  "#",
  ">",
  "|",
  "~~v~~",
  "!",
  "\\",
  "$5",
  "日本",
  "é",
];
const ADDRESSES = [
  "/x",
  "y?z=1",
  "#f",
  "https://a.example/(b)",
  "//c.example",
  "javascript:d",
  "",
  "a b",
  "mailto:e@f.example",
  "http://[",
  "data:text/html,x",
];
const INLINE = ["b", "i", "em", "strong", "code", "span", "sup", "del", "u", "kbd", "q", "small"];
const BLOCKS = [
  "p",
  "div",
  "ul",
  "ol",
  "li",
  "blockquote",
  "h2",
  "pre",
  "table",
  "tr",
  "td",
  "th",
  "section",
  "dl",
  "dt",
  "dd",
  "figure",
  "details",
];

const word = fc.constantFrom(...WORDS).map((value) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((list) => list.join(" "));
const attribute = fc.constantFrom(...ADDRESSES);

const { node } = fc.letrec<{ node: string; nodes: string }>((tie) => ({
  nodes: fc.array(tie("node"), { maxLength: 4 }).map((list) => list.join("")),
  node: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    words,
    fc.tuple(fc.constantFrom(...INLINE), tie("nodes")).map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
    fc.tuple(fc.constantFrom(...BLOCKS), tie("nodes")).map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
    fc.tuple(attribute, tie("nodes")).map(([href, inner]) => `<a href="${href}">${inner}</a>`),
    fc.tuple(attribute, words).map(([src, alt]) => `<img src="${src}" alt="${alt.replaceAll('"', "")}">`),
    fc.constantFrom("<br>", "<hr>", "</div>", "</p>", "<input type=checkbox checked>", "<!-- c -->", "\n  "),
  ),
}));
const page = fc.array(node, { minLength: 1, maxLength: 6 }).map((list) => list.join(""));
vi.setConfig({ testTimeout: 60_000 });
const RUNS = { numRuns: sampleCount(200, 50, 500), seed: 20_261_121 };

test("no link or picture is relative, none runs code, none carries data", () => {
  fc.assert(
    fc.property(page, (html) => {
      const tree = read(markdownOf(html));
      const addresses = [...all(tree, "link"), ...all(tree, "image")].map(({ url }) => url);
      for (const address of addresses)
        expect(address).toMatch(/^(?:https?:\/\/|mailto:|tel:|ftp:|Base64-Image-Removed$|$)/);
    }),
    RUNS,
  );
});

test("code fences are balanced: every listing of the page is one listing of the markdown", () => {
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 4 }), (listings) => {
      const html = listings.map((code) => `<p>text</p><pre>${code}</pre>`).join("");
      const codes = all(read(markdownOf(html)), "code").map(({ value }) => value);
      expect(codes).toEqual(listings.map((code) => textOf(parseHtml(`<p>${code}</p>`).root)));
    }),
    RUNS,
  );
});

test("a paragraph of any words reads back as those words and nothing else", () => {
  fc.assert(
    fc.property(words, (content) => {
      const tree = read(markdownOf(`<p>${content}</p>`));
      expect(tree.children.map(({ type }) => type)).toEqual(["paragraph"]);
      expect(text(tree)).toBe(
        textOf(parseHtml(`<p>${content}</p>`).root)
          .replace(/\s+/g, " ")
          .trim(),
      );
      for (const type of ["strong", "emphasis", "link", "inlineCode", "delete", "image", "html"] as const) {
        expect(all(tree, type)).toHaveLength(0);
      }
    }),
    RUNS,
  );
});

test("marked words stay marked whatever stands beside them", () => {
  fc.assert(
    fc.property(words, fc.constantFrom("strong", "em"), words, words, (before, tag, inner, after) => {
      fc.pre(/(?:^| )(?:alpha|beta|日本|é)(?: |$)/.test(inner));
      const type = tag === "strong" ? "strong" : "emphasis";
      for (const gap of ["", " "]) {
        const tree = read(markdownOf(`<p>${before}${gap}<${tag}>${inner}</${tag}>${gap}${after}</p>`));
        const marks = all(tree, type).length + all(tree, "html").filter(({ value }) => value === `<${tag}>`).length;
        expect(marks).toBeGreaterThan(0);
      }
    }),
    RUNS,
  );
});

test("the same page gives the same markdown, never much longer than what it shows", () => {
  fc.assert(
    fc.property(page, (html) => {
      const markdown = markdownOf(html);
      expect(markdownOf(html)).toBe(markdown);
      expect(markdown.length).toBeLessThan(2 * html.length + 60 * (html.split("<").length + 1));
      expect(markdown).not.toMatch(/\n[ \t>]*\n[ \t]*\n/);
    }),
    RUNS,
  );
});
