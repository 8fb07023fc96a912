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
