import { expect, test } from "vitest";
import { renderDoc } from "../../../src/tools/docs/docs-markdown.ts";

const DOC = `# A & B

Text with [a page](endpoints/scrape.md#formats), [the index](../index.md) and <script>alert(1)</script>.

<img src=x onerror=alert(1)>

## Same

| one | two |
|---|---|
| \`x\` | y |

## Same

\`\`\`json
{ "a": "<b>" }
\`\`\`
`;

test("headings have anchors, also when two are the same", () => {
  const { title, sections } = renderDoc(DOC);
  expect(title).toBe("A & B");
  expect(sections.map(({ anchor }) => anchor)).toEqual(["a--b", "same", "same-1"]);
});

test("links between documents lead to the addresses that serve them", () => {
  const { html, links } = renderDoc(DOC);
  expect(html).toContain('<a href="/docs/scrape#formats">a page</a>');
  expect(html).toContain('<a href="/docs/">the index</a>');
  expect(links).toEqual(["endpoints/scrape.md#formats", "../index.md"]);
});

test("raw HTML is shown and not passed on", () => {
  const { html } = renderDoc(DOC);
  expect(html).not.toMatch(/<script|<img/);
  expect(html).toContain("&lt;script&gt;");
  expect(html).toContain("&quot;a&quot;: &quot;&lt;b&gt;&quot;");
});

test("sections have their text for the search", () => {
  const { sections } = renderDoc(DOC);
  expect(sections[0]?.text).toContain("Text with a page");
  expect(sections[1]?.text).toBe("one two x y");
});
