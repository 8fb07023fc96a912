import { describe, expect, test } from "vitest";
import { selectsFrames, type CleanOptions } from "../../../../src/content/main-content/clean.ts";
import { cleanHtml, toHtml, toMarkdown } from "../../../../src/content/read-html.ts";
import { viewOf } from "../reading.ts";

const SENTENCES = "The harbour was rebuilt after the flood of 1953, and the new walls stand two metres higher. ".repeat(
  4,
);
const PAGE = `<html><head><title>Harbour</title></head><body>
  <header class="header"><a href="/">Home</a> <a href="/news">News</a></header>
  <nav><ul><li><a href="/a">First</a></li><li><a href="/b">Second</a></li></ul></nav>
  <main><h1>The harbour</h1><p>${SENTENCES}</p><p class="note">A note.</p><div id="map"><iframe src="/map"></iframe>Map</div>
  <p>${SENTENCES}</p></main>
  <aside class="sidebar"><h3>Related</h3><a href="/c">Third</a></aside>
  <footer>Imprint</footer></body></html>`;

const DEFAULTS: CleanOptions = { onlyMainContent: true, includeTags: [], excludeTags: [] };

function markdownOf(html: string, options: Partial<CleanOptions> = {}): string {
  const view = viewOf(html);
  return toMarkdown(view, cleanHtml(view, { ...DEFAULTS, ...options }), { removeBase64Images: true });
}

test("main content alone is kept by default", () => {
  const markdown = markdownOf(PAGE);
  expect(markdown).toContain("# The harbour");
  expect(markdown).toContain("The new walls".slice(4));
  for (const part of ["Home", "First", "Related", "Imprint"]) expect(markdown).not.toContain(part);
});

test("the whole page is kept when it is asked for", () => {
  const markdown = markdownOf(PAGE, { onlyMainContent: false });
  for (const part of ["Home", "First", "# The harbour", "Related", "Imprint"]) expect(markdown).toContain(part);
});

test.each([
  { why: "a tag", includeTags: ["h1"], markdown: "# The harbour\n" },
  { why: "a class", includeTags: [".note"], markdown: "A note.\n" },
  {
    why: "several, in the order of the selectors",
    includeTags: [".note", "h1"],
    markdown: "A note.\n\n# The harbour\n",
  },
  {
    why: "a match inside a match once",
    includeTags: ["main", ".note"],
    excludeTags: ["p:not(.note)", "#map"],
    markdown: "# The harbour\n\nA note.\n",
  },
  { why: "nothing that matches", includeTags: ["article"], markdown: "" },
])("only $why is kept when it is included", ({ includeTags, excludeTags = [], markdown }) => {
  expect(markdownOf(PAGE, { includeTags, excludeTags, onlyMainContent: false })).toBe(markdown);
});

test.each([true, false])("what is excluded goes, with main content alone %s", (onlyMainContent) => {
  const markdown = markdownOf(PAGE, { onlyMainContent, excludeTags: ["h1", "#map", ".note"] });
  expect(markdown).toContain("The harbour was rebuilt");
  for (const part of ["# The harbour", "Map", "A note."]) expect(markdown).not.toContain(part);
});

test.each(["iframe", "main iframe", 'div[data-original-tag="iframe"], iframe'])("%s excludes frames", (selector) => {
  const view = viewOf(PAGE);
  const cleaned = cleanHtml(view, { onlyMainContent: false, includeTags: [], excludeTags: [selector] });
  expect(toHtml(view, cleaned)).not.toContain("<iframe");
  expect(toHtml(view, cleaned)).toContain("Map");
});

describe("frames that a browser has put into the page", () => {
  const frame = '<div data-original-tag="iframe" src="/map"><p>Inside the frame</p></div>';
  const html = `<main><p>Outside</p><section>${frame}</section></main>`;
  const cases = ["iframe", "section > iframe", "IFRAME[src]", 'div[data-original-tag="iframe"]', "p iframe, iframe p"];

  test.each(cases)("%s includes their content, or excludes it", (selector) => {
    const included = markdownOf(html, { onlyMainContent: false, includeTags: [selector] });
    expect(included).toBe("Inside the frame\n");
    const excluded = markdownOf(html, { onlyMainContent: false, excludeTags: [selector] });
    expect(excluded).toBe("Outside\n");
  });

  test("are not meant by attributes that speak of frames", () => {
    expect(markdownOf(html, { onlyMainContent: false, excludeTags: ['[title="an iframe"]', "[iframe]"] })).toContain(
      "Inside",
    );
    expect(["iframe", "main>iframe", ":not(iframe)"].every(selectsFrames)).toBe(true);
    expect([".iframe", "#iframe", "x-iframe", '[title="an iframe"]', "iframes"].some(selectsFrames)).toBe(false);
  });
});

test("classes that only sound like frames are no frames", () => {
  const html = '<div class="my-iframe">a</div><div class="iframe">b</div><iframe src="/c"></iframe>';
  expect(markdownOf(html, { onlyMainContent: false, excludeTags: [".my-iframe"] })).toBe("b\n");
});

test.each([
  { why: "navigation alone", html: "<nav><a href=/x>One</a></nav>", text: "One" },
  { why: "a header alone", html: '<div class="header">Two</div>', text: "Two" },
  { why: "one word", html: "Three", text: "Three" },
  { why: "a menu in a footer", html: "<footer><ul class=menu><li>Four</ul></footer>", text: "Four" },
])("a page of $why does not come out empty", ({ html, text }) => {
  expect(markdownOf(html)).toContain(text);
});

test("a selector that cannot be read is refused by name", () => {
  expect(() => markdownOf(PAGE, { includeTags: ["p["] })).toThrow('"p["');
  expect(() => markdownOf(PAGE, { excludeTags: ["::x("] })).toThrow('"::x("');
});

test("one tree serves several selections and stays as it is", () => {
  const view = viewOf(PAGE);
  const everything = { ...DEFAULTS, onlyMainContent: false };
  const before = toHtml(view, cleanHtml(view, everything));
  cleanHtml(view, { onlyMainContent: true, includeTags: ["main"], excludeTags: ["h1"] });
  expect(toHtml(view, cleanHtml(view, everything))).toBe(before);
});

test("markdown and HTML hold the same text", () => {
  const view = viewOf(PAGE);
  const cleaned = cleanHtml(view, DEFAULTS);
  const words = (text: string) => text.match(/\p{L}+/gu);
  const html = toHtml(view, cleaned).replace(/<[^>]*>/g, " ");
  expect(words(html)).toEqual(words(toMarkdown(view, cleaned, { removeBase64Images: true })));
});
