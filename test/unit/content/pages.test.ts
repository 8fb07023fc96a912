import { describe, expect, test } from "vitest";
import { decodeBody } from "../../../src/content/text/charset.ts";
import { cleanHtml, openHtml, toHtml, toMarkdown } from "../../../src/content/read-html.ts";
import { textOf, walkElements, type ElementNode } from "../../../src/content/html/tree/tree.ts";
import { dataFolder } from "../../data-folder.ts";
import { all, read } from "./markdown/render.ts";

const FOLDER = dataFolder("test/fixtures/pages");
const NAMES = FOLDER.names()
  .filter((name) => name.endsWith(".html"))
  .map((name) => name.replace(/\.html$/, ""));

/** A page as it is scraped by default, from its bytes to its markdown. */
function scrape(name: string) {
  const { text } = decodeBody(FOLDER.bytes(`${name}.html`), undefined);
  const url = /<link rel="canonical" href="([^"]*)"/i.exec(text)?.[1] ?? "";
  const view = openHtml(text, url);
  const cleaned = cleanHtml(view, { onlyMainContent: true, includeTags: [], excludeTags: [] });
  const markdown = toMarkdown(view, cleaned, { removeBase64Images: true });
  const everything = cleanHtml(view, { onlyMainContent: false, includeTags: [], excludeTags: [] });
  const whole = toMarkdown(view, everything, { removeBase64Images: true });
  return { view, markdown, whole, html: toHtml(view, cleaned) };
}

/** Words in any script; markdown and HTML part them alike. */
const words = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

test("there are forty pages, of all kinds", () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(40);
  const kinds = new Set(NAMES.map((name) => name.split("-")[0]));
  expect([...kinds].sort()).toEqual([
    "article",
    "collection",
    "documentation",
    "forum",
    "listing",
    "product",
    "service",
  ]);
});

describe.each(NAMES)("%s", (name) => {
  const { view, markdown, whole, html } = scrape(name);

  test("comes out as reviewed", () => {
    expect(markdown).toBe(FOLDER.text(`${name}.md`));
  });

  test("is sound markdown", () => {
    const tree = read(markdown);
    expect(markdown).toMatch(/\S\n$/);
    expect(markdown).not.toMatch(/\n{3}|dataLayer|function\s*\(|\u00a0|\u200b/);
    for (const { url } of [...all(tree, "link"), ...all(tree, "image")]) expect(url).toMatch(/^(?:https?|mailto|tel):/);
    for (const { value } of all(tree, "html")) expect(value).toMatch(/^<(?:br|\/?su[bp])>$/);
    expect(all(tree, "heading").filter(({ depth }) => depth === 1).length).toBeLessThanOrEqual(1);
  });

  test("says nothing that the page does not say", () => {
    expect(missingWords(markdown, view.tree.root, view.tree.root)).toEqual([]);
  });

  test("has no word and no address that the whole page lacks", () => {
    const tree = read(whole);
    const known = new Set(words(plainText(whole)));
    expect(words(plainText(markdown)).filter((word) => !known.has(word))).toEqual([]);
    const addresses = new Set([...all(tree, "link"), ...all(tree, "image")].map(({ url }) => url));
    const own = read(markdown);
    expect([...all(own, "link"), ...all(own, "image")].filter(({ url }) => !addresses.has(url))).toEqual([]);
  });

  test("holds the same text as HTML", () => {
    const { root } = openHtml(html, view.url).tree;
    expect(missingWords(markdown, root, view.tree.root)).toEqual([]);
    expect(html).not.toMatch(/<script|<style|\son\w+=|\s(?:href|src)="(?!https?:|mailto:|tel:|data:)/);
  });
});

/** Words of the markdown that are neither in a page's text nor in the titles and descriptions of its elements. */
function missingWords(markdown: string, root: ElementNode, titled: ElementNode): string[] {
  const known = new Set<string>();
  walkElements(root, ({ children }) => {
    for (const child of children) if (typeof child === "string") for (const word of words(child)) known.add(word);
  });
  walkElements(titled, ({ attributes }) => {
    for (const name of ["title", "aria-label"]) for (const word of words(attributes[name] ?? "")) known.add(word);
  });
  // Words may run on from one element into the next.
  const text = textOf(root);
  return words(plainText(markdown)).filter((word) => !known.has(word) && !text.includes(word));
}

/** The text that a reader of the markdown sees; descriptions of pictures, formulas and languages of listings left out. */
function plainText(markdown: string): string {
  const tree = read(markdown.replace(/\$\$[^$]*\$\$|\$[^$\n]*\$/g, ""));
  return [...all(tree, "text"), ...all(tree, "inlineCode"), ...all(tree, "code")].map(({ value }) => value).join(" ");
}
