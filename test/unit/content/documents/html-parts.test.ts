import { expect, test } from "vitest";
import { htmlList } from "../../../../src/content/documents/html/html-list.ts";
import { htmlParts } from "../../../../src/content/documents/html/html-parts.ts";
import { htmlTable } from "../../../../src/content/documents/html/html-table.ts";
import { htmlToMarkdown } from "../../../../src/content/documents/html/html-to-markdown.ts";

const cell = "<td><p>a</p><p>b<br>c</p></td>";
const BLOCKS = [
  "<h2>Title</h2>",
  "<p>text <strong>bold</strong> <img src=''> end</p>\n",
  "<ul><li>one<ul><li>two</li></ul></li></ul>",
  "<ul><li>another list</li></ul>",
  `<table><tr>${cell}${cell}</tr></table>`,
  "<pre>code &lt;p&gt;</pre>",
  "<div><p>in a box</p><p>beside</p></div>",
];

test("HTML is split between blocks that no other element holds", () => {
  const parts = [...htmlParts(BLOCKS.join(""), 1)];
  expect(parts.join("")).toBe(BLOCKS.join(""));
  // A list may join the next one.
  expect(parts.map((part) => part.trim())).toEqual(
    [
      BLOCKS.slice(0, 1),
      BLOCKS.slice(1, 2),
      BLOCKS.slice(2, 4),
      BLOCKS.slice(4, 5),
      BLOCKS.slice(5, 6),
      BLOCKS.slice(6),
    ].map((blocks) => blocks.join("").trim()),
  );
});

test.each(["<p>a<b>b</p><p>c</b></p><p>d</p>", "<p>a</p><!-- </p> --><p>b</p>", "<div><p>a</p><p>b</p>", ""])(
  "HTML that cannot be split stays whole: %s",
  (html) => expect([...htmlParts(html, 1)]).toEqual([html]),
);

test("Markdown of a long text is that of its parts", () => {
  const paragraphs = Array.from(
    { length: 4_000 },
    (_, at) => `<p>paragraph ${at} with <em>words</em></p><ul><li>item</li></ul>`,
  );
  const markdown = htmlToMarkdown(paragraphs.join("\n"), "https://example.com/a");
  expect(markdown).toBe(
    Array.from({ length: 4_000 }, (_, at) => `paragraph ${at} with _words_\n\n- item`).join("\n\n"),
  );
  expect([...htmlParts(paragraphs.join("\n"), 100_000)].length).toBeGreaterThan(1);
});

test.each([
  { levels: [-2, 1], html: "<ul><li>0<ul><li>1</li></ul></li></ul>" },
  { levels: [Number.NaN, 0.5], html: "<ul><li>0</li><li>1</li></ul>" },
  { levels: [0, 1e9], html: `<ul><li>0${"<ul><li>".repeat(8)}1${"</li></ul>".repeat(9)}` },
  { levels: [Number.NEGATIVE_INFINITY], html: "<ul><li>0</li></ul>" },
])("levels $levels of items are within those of office programs", ({ levels, html }) => {
  const items = levels.map((depth, at) => ({ html: String(at), depth, isOrdered: false }));
  expect(htmlList(items)).toBe(html);
});

test.each([
  { columns: -3, rows: Number.NaN, start: "<th>" },
  { columns: 2.5, rows: 1e9, start: '<th colspan="2" rowspan="1000">' },
])("a cell over $columns columns and $rows rows begins with $start", ({ columns, rows, start }) => {
  expect(htmlTable([[{ html: "a", columns, rows }]])).toContain(`${start}a</th>`);
});
