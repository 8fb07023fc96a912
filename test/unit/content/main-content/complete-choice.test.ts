import { expect, test } from "vitest";
import { completeChoice } from "../../../../src/content/main-content/complete-choice.ts";
import { measurePage } from "../../../../src/content/main-content/features/page-measures.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

/** Texts of the blocks that are kept after those at some places were chosen. */
function completed(html: string, chosen: string[], probability = 0.5): string[] {
  const page = measurePage(parseHtml(html), "https://a.example/");
  const { blocks } = page.outline;
  const kept = Uint8Array.from(blocks, ({ text }) => (chosen.includes(text) ? 1 : 0));
  completeChoice(page, new Float32Array(blocks.length).fill(probability), kept);
  return blocks.filter((_, index) => kept[index] === 1).map(({ text }) => text);
}

const TABLE =
  "<table><tr><th>Time</th><th>To</th></tr><tr><td>eight o'clock sharp</td><td>the far island</td></tr></table>";

test.each([
  ["the heading above the text", "<h1>Site</h1><nav>Menu</nav><h1>Title</h1><p>Text</p>", ["Text"], ["Title", "Text"]],
  ["the only heading, wherever it stands", "<p>Text</p><h1>Title</h1>", ["Text"], ["Text", "Title"]],
  ["one heading and no other", "<h1>A</h1><p>Text</p><h1>B</h1>", ["Text", "B"], ["Text", "B"]],
  [
    "a table whole, when most of it is kept",
    TABLE,
    ["eight o'clock sharp", "the far island"],
    ["Time", "To", "eight o'clock sharp", "the far island"],
  ],
  ["the other entries of a list", "<ul><li>one<li>two<li>three</ul>", ["one", "two"], ["one", "two", "three"]],
  ["no list of which little is kept", "<ul><li>one<li>two<li>three</ul>", ["one"], ["one"]],
  [
    "no heading of a section that is left out",
    "<h2>A</h2><p>Text</p><h2>B</h2><p>More</p>",
    ["A", "Text", "B"],
    ["A", "Text"],
  ],
  [
    "headings that are the entries of a list",
    "<h2>A</h2><p>£1</p><h2>B</h2><p>£2</p><h2>C</h2><p>£3</p>",
    ["A", "B", "C"],
    ["A", "B", "C"],
  ],
  [
    "no empty headings that look like those of many sections with text",
    `${"<h2>A</h2><p>Text</p>".repeat(6)}${"<h2>B</h2><p>£1</p>".repeat(3)}`,
    ["A", "Text", "B"],
    Array.from({ length: 6 }, () => ["A", "Text"]).flat(),
  ],
  ["headings without any text below", "<h2>A</h2><h2>B</h2>", ["A", "B"], ["A", "B"]],
  ["no table of which little is kept", TABLE, ["Time"], ["Time"]],
  [
    "no menu beside a text in a table that lays out the page",
    `<table><tr><td>Menu</td><td>${"Text ".repeat(60)}</td></tr></table>`,
    ["Text ".repeat(60).trim()],
    ["Text ".repeat(60).trim()],
  ],
  [
    "no surroundings of a table in a table",
    "<table><tr><td>Menu</td><td><table><tr><td>a b c</td><td>d e f</td></tr></table></td></tr></table>",
    ["a b c"],
    ["a b c", "d e f"],
  ],
  ["the heading of a kept section", "<h2>Part</h2><p>Text</p><h2>Other</h2><p>More</p>", ["Text"], ["Part", "Text"]],
])("keeps %s", (_what, html, chosen, kept) => {
  expect(completed(html, chosen)).toEqual(kept);
});

test("an unlikely section heading is another's", () => {
  expect(completed("<h2>Share</h2><p>Text</p>", ["Text"], 0.1)).toEqual(["Text"]);
});

const BODY = "The ferry leaves at eight in the morning and calls at every island of the north on its way.";
const SUMMARY = "A new ferry connects the islands, and the fare stays as it was.";

test.each([
  ["a standfirst that is named so", `<h1>T</h1><p class="article-lead">${SUMMARY}</p><p>Share</p><p>${BODY}</p>`, 0.15],
  [
    "a standfirst that is the page's description",
    `<meta property="og:description" content="${SUMMARY} More"><h1>T</h1><p>${SUMMARY}</p><p>Share</p><p>${BODY}</p>`,
    0.15,
  ],
])("keeps %s", (_what, html, probability) => {
  expect(completed(html, [BODY], probability)).toEqual(["T", SUMMARY, BODY]);
});

test.each([
  ["below the text", `<h1>T</h1><p>${BODY}</p><p class="lead">${SUMMARY}</p>`, 0.15],
  ["that is very unlikely", `<h1>T</h1><p class="lead">${SUMMARY}</p><p>${BODY}</p>`, 0.05],
  ["that is a link to another page", `<h1>T</h1><p class="lead"><a href="/b">${SUMMARY}</a></p><p>${BODY}</p>`, 0.15],
])("keeps no standfirst %s", (_what, html, probability) => {
  expect(completed(html, [BODY], probability)).toEqual(["T", BODY]);
});

test("keeps one byline beside the title, when it is not unlikely", () => {
  const html = `<h1>T</h1><p class="byline">By Ada Ek</p><p>Share</p><p>${BODY}</p><p class="author">Bo Li</p>`;
  expect(completed(html, [BODY], 0.25)).toEqual(["T", "By Ada Ek", BODY]);
  expect(completed(html, [BODY], 0.1)).toEqual(["T", BODY]);
});

test("keeps a caption between kept texts only where it is likely", () => {
  const html = `<p>${BODY}</p><figure><img><figcaption>The quay</figcaption></figure><p>${BODY} Twice.</p>`;
  expect(completed(html, [BODY, `${BODY} Twice.`], 0.4)).toEqual([BODY, "The quay", `${BODY} Twice.`]);
  expect(completed(html, [BODY, `${BODY} Twice.`], 0.2)).toEqual([BODY, `${BODY} Twice.`]);
});

const NOTICE = "Thank you, we will write to you soon.";

test.each([
  ["a hidden notice", `<div hidden>${NOTICE}</div>`],
  ["a notice that a style hides", `<div style="display: none">${NOTICE}</div>`],
])("drops %s", (_what, part) => {
  expect(completed(`<p>${BODY}</p>${part}`, [BODY, NOTICE])).toEqual([BODY]);
});

test.each([
  ["a panel that a control shows", `<button aria-controls="p">More</button><div id="p" hidden>${NOTICE}</div>`],
  ["a tab panel", `<div role="tabpanel" hidden>${NOTICE}</div>`],
  ["a folded answer", `<div class="accordion-body" style="display:none">${NOTICE}</div>`],
  ["a link's target", `<a href="#p">More</a><div id="p" style="display:none">${NOTICE}</div>`],
])("keeps %s", (_what, part) => {
  expect(completed(`<p>${BODY}</p>${part}`, [BODY, NOTICE])).toEqual([BODY, NOTICE]);
});

test.each([
  ["the only title, also where it is hidden", '<h1 style="display:none">T</h1>', ["T", BODY]],
  ["the visible one of two titles", "<h1 hidden>T</h1><h1>U</h1>", ["U", BODY]],
  ["no title of a hidden dialog", '<div class="modal" hidden><h1>T</h1></div>', [BODY]],
])("keeps %s", (_what, titles, kept) => {
  expect(completed(`${titles}<p>${BODY}</p>`, ["T", "U", BODY])).toEqual(kept);
});

test("drops a hidden dialog of any length beside visible text", () => {
  const long = `${NOTICE} `.repeat(6).trim();
  expect(completed(`<p>${BODY}</p><div class="modal" hidden>${long}</div>`, [BODY, long])).toEqual([BODY]);
});

test("keeps hidden text that is a large share of the content, or all of it", () => {
  const long = `${NOTICE} `.repeat(6).trim();
  expect(completed(`<p>${BODY}</p><div hidden>${long}</div>`, [BODY, long])).toEqual([BODY, long]);
  expect(completed(`<div hidden>${NOTICE}</div>`, [NOTICE])).toEqual([NOTICE]);
});
