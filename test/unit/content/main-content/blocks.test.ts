import { expect, test } from "vitest";
import { outlinePage } from "../../../../src/content/main-content/blocks.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";
import { given } from "../../../fakes/given.ts";

const outline = (body: string) => outlinePage(parseHtml(`<html><body>${body}</body></html>`).root);
const texts = (body: string) => outline(body).blocks.map(({ text }) => text);

test.each([
  { why: "block elements end a block", body: "<p>One</p><p>Two</p>", blocks: ["One", "Two"] },
  { why: "inline elements do not", body: "<p>One <b>and</b> <a href=x>two</a>.</p>", blocks: ["One and two."] },
  { why: "text around a block makes blocks of its own", body: "<div>A<p>B</p>C</div>", blocks: ["A", "B", "C"] },
  { why: "two line breaks are a paragraph's end", body: "A<br>B<br><br>C", blocks: ["A B", "C"] },
  { why: "white space is collapsed", body: "<p> a \n\t b&nbsp;&nbsp;c </p>", blocks: ["a b c"] },
  { why: "cells are blocks", body: "<table><tr><td>1</td><td>2</td></tr></table>", blocks: ["1", "2"] },
  {
    why: "code, styles and controls are no text",
    body: "<script>a</script><style>b</style><select><option>c</select>d",
    blocks: ["d"],
  },
  {
    why: "templates and pictures' titles are no text",
    body: "<template>a</template><svg><title>b</title></svg>c",
    blocks: ["c"],
  },
  { why: "what is shown without scripts is text", body: "<noscript><p>Post</p></noscript>", blocks: ["Post"] },
  { why: "a video's fallback is no text", body: "<video>Get a browser</video><p>a</p>", blocks: ["a"] },
  { why: "a block inside a link stands alone", body: "<a href=x>A<div>B</div></a>", blocks: ["A", "B"] },
])("$why", ({ body, blocks }) => {
  expect(texts(body)).toEqual(blocks);
});

test("a block counts its links, bold text and images", () => {
  const [block] = outline("<p>See <a href=x>this</a> and <b>that</b> <img src=i></p>").blocks;
  expect(block).toMatchObject({ linkCount: 1, linkLength: 4, boldLength: 4, imageCount: 1, insideLink: false });
});

test("a card's text is inside its link", () => {
  const [block] = outline("<a href=x><div>Card</div></a>").blocks;
  expect(block).toMatchObject({ insideLink: true, linkLength: 4 });
});

test("runs lead back to the text children", () => {
  const { blocks, elements } = outline("<p>One <i>two</i> three</p>");
  const found = given(blocks[0]).runs.map(({ parent, childIndex }) => given(elements[parent]).children[childIndex]);
  expect(found).toEqual(["One ", "two", " three"]);
});

test("elements come before their descendants, and know the last of them", () => {
  const { elements, parents, lastDescendants } = outline("<div><p>a</p><p>b</p></div><p>c</p>");
  const div = elements.findIndex(({ tag }) => tag === "div");
  expect(elements.slice(div, given(lastDescendants[div]) + 1).map(({ tag }) => tag)).toEqual(["div", "p", "p"]);
  expect(parents.every((parent, index) => parent < index)).toBe(true);
});

test("links without text and media are placed between blocks", () => {
  const inner =
    '<a href="/1">Text</a><a href="/2"><img></a><a name="x"></a><a href="/3"><svg><text>icon</text></svg></a>';
  const { bareLinks, elements } = outline(`<p>a</p><a href="/4"><i></i></a><p>b ${inner}</p>`);
  expect(
    bareLinks.map(({ element, blocksBefore }) => [given(elements[element]).attributes["href"], blocksBefore]),
  ).toEqual([
    ["/4", 1],
    ["/3", 1],
  ]);
});

test("media are placed between blocks", () => {
  const { media, elements } = outline("<p>a</p><img><p>b</p><iframe></iframe>");
  expect(media.map(({ element, blocksBefore }) => [given(elements[element]).tag, blocksBefore])).toEqual([
    ["img", 1],
    ["iframe", 2],
  ]);
});

test("50,000 nested elements are walked without overflow", () => {
  expect(texts(`${"<div>".repeat(50_000)}deep${"</div>".repeat(50_000)}`)).toEqual(["deep"]);
});
