import { describe, expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import {
  joinTables,
  splitLargeTables,
  withoutUnusedStyles,
} from "../../../../../src/content/documents/docx/large-tables.ts";
import { docxOf } from "../../../../hostile/hostile-office.ts";

const source = { contentType: undefined, url: "https://example.com/a.docx" };
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const cell = (text: string, properties = ""): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;
const row = (...cells: string[]): string => `<w:tr>${cells.join("")}</w:tr>`;
const wrap = (body: string): string => `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;

/** Returns a table of many rows, every second of which goes on with the first cell of the row above. */
const tableOf = (rows: number, inner = ""): string =>
  `<w:tbl>${Array.from({ length: rows }, (_, at) =>
    row(
      cell(at % 2 === 0 ? `name ${at}` : "", at % 2 === 0 ? '<w:vMerge w:val="restart"/>' : "<w:vMerge/>"),
      cell(`value ${at}`),
      cell(inner),
    ),
  ).join("")}</w:tbl>`;

describe("large tables of Word documents", () => {
  test("are written once, however often the text of the document has their marks", async () => {
    const forged = Array.from({ length: 200 }, () => paragraph("\uE0020\uE003")).join("");
    const { markdown } = await readDocument("docx", docxOf(`${tableOf(1_501)}${forged}`), source);
    expect(markdown.match(/\| value 1500 \|/g)).toHaveLength(1);
  });

  test("are read in parts, and are one table with the text around them", async () => {
    const body = `${paragraph("before")}${tableOf(1_501)}${paragraph("between")}${tableOf(700, "x")}${paragraph("after")}`;
    expect(splitLargeTables(wrap(body)).tables.map(({ length }) => length)).toEqual([7, 3]);
    const { markdown, warning } = await readDocument("docx", docxOf(body), source);
    expect(warning).toBeUndefined();
    expect(markdown.match(/^\| --- \| --- \| --- \|$/gm)).toHaveLength(2);
    expect(markdown.match(/^\|.*\| value \d+ \|/gm)).toHaveLength(2_201);
    expect(markdown).toContain("| name 0 | value 0 |");
    expect(markdown).toContain("| name 1500 | value 1500 |");
    expect(
      markdown
        .replace(/^\|.*$/gm, "")
        .split(/\n+/)
        .filter(Boolean),
    ).toEqual(["before", "between", "after"]);
  });

  test("cells that go on below stay with the row that they began in", () => {
    for (const part of splitLargeTables(wrap(tableOf(1_501))).tables.flat()) {
      expect(/<w:tr>.*?<\/w:tr>/s.exec(part)?.[0]).toContain('w:val="restart"');
    }
  });

  test("keep the tables within their cells", async () => {
    const nested = `<w:tbl>${row(cell("inner"))}</w:tbl>`;
    const rows = Array.from({ length: 600 }, (_, at) => row(cell(`outer ${at}`), `<w:tc>${nested}<w:p/></w:tc>`));
    const body = `<w:tbl>${rows.join("")}</w:tbl>`;
    expect(splitLargeTables(wrap(body)).tables).toHaveLength(1);
    const { markdown } = await readDocument("docx", docxOf(body), source);
    expect(markdown.match(/outer \d+/g)).toHaveLength(600);
    expect(markdown.match(/inner/g)).toHaveLength(600);
  });

  test("stay in place when they do not end, or are small", () => {
    for (const body of [tableOf(1_500).replace("</w:tbl>", ""), tableOf(3)]) {
      expect(splitLargeTables(wrap(body))).toEqual({ main: wrap(body), tables: [] });
    }
  });

  test("a place for a table that does not exist stays as it is", () => {
    expect(joinTables("<p>\uE0027\uE003</p>", [])).toBe("<p>\uE0027\uE003</p>");
  });
});

test("styles that no text has are removed, those by default stay", () => {
  const style = (id: string, more = ""): string =>
    `<w:style w:styleId="${id}"${more}><w:name w:val="${id}"/></w:style>`;
  const styles = `<w:styles><w:docDefaults/>${style("A")}${style("B")}${style("C", ' w:default="1"')}${style("D")}</w:styles>`;
  expect(withoutUnusedStyles(styles, ['<w:pStyle w:val="B"/>', '<w:rStyle w:val="D"/>'])).toBe(
    `<w:styles><w:docDefaults/>${style("B")}${style("C", ' w:default="1"')}${style("D")}</w:styles>`,
  );
});
