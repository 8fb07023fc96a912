import { expect, test } from "vitest";
import { processorMs } from "../../../processor-time.ts";
import { htmlToMarkdown } from "../../../../src/content/documents/html/html-to-markdown.ts";

const read = (html: string): string => htmlToMarkdown(html, "https://example.com/a");

test("rows of a table within a cell are lines, though their cells hold paragraphs", () => {
  const inner =
    "<table><tr><td><p>A</p></td><td><p>B</p></td></tr><tr><td><p>C</p><p>D</p></td><td>E</td></tr></table>";
  expect(read(`<table><tr><th>Name</th><th>Data</th></tr><tr><td>x</td><td>${inner}</td></tr></table>`)).toBe(
    "| Name | Data |\n| --- | --- |\n| x | A, B<br>C D, E |",
  );
});

test("two dollar signs that enclose no formula are escaped, as Markdown would show a formula", () => {
  expect(read("<p>Lamps cost $$, lanterns $$$ and $5.</p>")).toBe(String.raw`Lamps cost \$\$, lanterns \$\$$ and $5.`);
  expect(read("<p>Write <code>$$a$$</code></p><pre>$$</pre>")).toBe("Write `$$a$$`\n\n```\n$$\n```");
  expect(read("<p>So $$x+y$$ holds.</p>")).toBe("So\n\n$$\nx+y\n$$\n\nholds.");
});

test("a private-use character of a text is no dollar sign", () => {
  expect(read("<p>A \uE0FE for $$.</p>")).toBe("A \uE0FE for $$.");
});

test("code without an end hides no dollar signs, and its end is looked for once", async () => {
  expect(read("<p>Cost $$</p><pre>Price $$")).toBe(
    `${String.raw`Cost \$\$`}\n\n\`\`\`\n${String.raw`Price \$\$`}\n\`\`\``,
  );
  const html = "$$<pre >".repeat(30_000);
  expect(await processorMs(() => read(html))).toBeLessThan(4_000);
});
