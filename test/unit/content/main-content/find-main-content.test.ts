import { expect, test } from "vitest";
import { findMainContent } from "../../../../src/content/main-content/find-main-content.ts";
import { type ElementNode, type HtmlTree, parseHtml } from "../../../../src/content/html/tree/tree.ts";

const SENTENCE =
  "The committee met on Tuesday and decided, after a long debate, to repair the old bridge over the river. ";
const NAV = '<nav class="menu"><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul></nav>';
const FOOTER =
  '<footer class="footer"><a href="/privacy">Privacy policy</a><p>© 2024 Example. All rights reserved.</p></footer>';
const RELATED =
  '<aside class="related-posts"><h3>Related articles</h3><ul><li><a href="/a"><img src="a.jpg">Another story</a></li></ul></aside>';
const ARTICLE = `<main><article class="post"><h1>The old bridge</h1><figure><img src="bridge.jpg"></figure>${["One", "Two", "Three", "Four", "Five", "Six"].map((part) => `<p>${part}. ${SENTENCE.repeat(3)}</p>`).join("")}</article></main>`;
const PAGE = `<html><head><title>The old bridge</title></head><body>${NAV}${ARTICLE}${RELATED}${FOOTER}</body></html>`;
const URL = "https://example.com/news/the-old-bridge";

/** What is left of the text, and the sources of the images that are left. */
function remainder(tree: HtmlTree, url = URL) {
  const { droppedText, droppedElements, confidence } = findMainContent(tree, url);
  let text = "";
  const images: string[] = [];
  const stack: ElementNode[] = [tree.root];
  for (let element = stack.pop(); element; element = stack.pop()) {
    if (droppedElements.has(element) || element.tag === "head") continue;
    if (element.tag === "img") images.push(element.attributes["src"] ?? "");
    const elements = element.children.filter((child) => typeof child !== "string");
    const dropped = droppedText.get(element);
    text += element.children.filter((child, index) => typeof child === "string" && !dropped?.has(index)).join("");
    stack.push(...elements.toReversed());
  }
  return { text, images, confidence };
}

test("an article is kept without its surroundings", () => {
  const { text, images, confidence } = remainder(parseHtml(PAGE));
  expect(text).toContain("The old bridge");
  expect(text.split("The committee").length - 1).toBe(18);
  for (const unwanted of ["News", "Another story", "All rights reserved"]) expect(text).not.toContain(unwanted);
  expect(images).toEqual(["bridge.jpg"]);
  expect(confidence).toBeGreaterThan(0.85);
});

test("the tree is not changed, and the answer is always the same", () => {
  const tree = parseHtml(PAGE);
  const first = findMainContent(tree, URL);
  expect(findMainContent(tree, URL)).toEqual(first);
  expect(tree.root).toEqual(parseHtml(PAGE).root);
});

test("only the topmost dropped elements are named", () => {
  const { droppedElements } = findMainContent(parseHtml(PAGE), URL);
  expect([...droppedElements].map(({ tag }) => tag)).toEqual(["nav", "aside", "footer"]);
});

test.each([
  { why: "of navigation only", html: `<body>${NAV}${FOOTER}</body>` },
  { why: "of one word", html: "<p>Hello</p>" },
  { why: "without body", html: "Just text" },
  { why: "whose text is in noscript", html: `<body><noscript><p>${SENTENCE}</p></noscript></body>` },
])("a page $why is not emptied", ({ html }) => {
  expect(remainder(parseHtml(html)).text.trim()).not.toBe("");
});

test("a page without text is empty, with no confidence", () => {
  const { text, confidence } = remainder(parseHtml("<body><script>x</script></body>"));
  expect({ text: text.trim(), confidence }).toEqual({ text: "", confidence: 0 });
});

test("confidence is lower on a page of junk than on an article", () => {
  const junk = remainder(parseHtml(`<body>${NAV.repeat(5)}${RELATED.repeat(3)}${FOOTER}</body>`));
  expect(junk.confidence).toBeLessThan(remainder(parseHtml(PAGE)).confidence);
});

test("an address that is none does no harm", () => {
  expect(remainder(parseHtml(PAGE), "not a url").text).toContain("The committee");
});

test("50,000 nested elements do not overflow the stack", () => {
  const html = `<body>${"<div>".repeat(50_000)}<p>${SENTENCE}</p>${"</div>".repeat(50_000)}</body>`;
  expect(remainder(parseHtml(html)).text).toContain("The committee");
});

test("empty cells of a kept table are not dropped", () => {
  const table = `<table><tr><td>${SENTENCE}</td><td></td></tr></table>`;
  const { droppedElements } = findMainContent(parseHtml(`<main><h1>Table</h1>${table}</main>`), URL);
  expect([...droppedElements].map(({ tag }) => tag)).not.toContain("td");
});

test("links that show nothing but icons are dropped with what they serve", () => {
  const share =
    '<div class="share"><a href="/f" title="Facebook"></a><a href="/x" aria-label="X"><svg></svg></a></div>';
  const { droppedElements } = findMainContent(parseHtml(`${ARTICLE}${share}`), URL);
  const hrefs = [...droppedElements].map(({ attributes }) => attributes["href"]);
  expect(hrefs).toEqual(expect.arrayContaining(["/f", "/x"]));
});
