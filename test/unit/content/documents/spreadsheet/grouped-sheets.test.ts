import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { tableGroups } from "../../../../../src/content/documents/spreadsheet/row-groups.ts";
import { readSpreadsheet } from "../../../../../src/content/documents/spreadsheet/spreadsheet.ts";
import { HOSTILE_FILES } from "../../../../hostile/hostile-office.ts";
import { given } from "../../../../fakes/given.ts";

const BOOK = unzipSync(given(HOSTILE_FILES["xlsx: n empty shared strings"]).make(1));
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const ROWS = 12_000;

/** A text that makes a row long enough for groups of rows. */
const FILLER = "x".repeat(200);

interface Sheet {
  row?: (number: number) => string;
  tail?: string;
  count?: number;
}

/** A workbook with a sheet of numbered rows, each of which has a number, a shared string of its own and a long text. */
function workbook({ row = (number) => `<row r="${number}">`, tail = "", count = ROWS }: Sheet = {}): Uint8Array {
  const numbers = Array.from({ length: count }, (_, at) => at + 1).filter((number) => number !== 7_000);
  const cells = (number: number): string =>
    `<c r="A${number}"><v>${number}</v></c>` +
    (number === 5 || number === 6 ? "" : `<c r="B${number}" t="s"><f>x</f><v>${number - 1}</v></c>`) +
    `<c r="C${number}" t="inlineStr"><is><t>${FILLER}</t></is></c>`;
  const rows = numbers.map((number) => `${row(number)}${cells(number)}</row>`);
  const strings = Array.from({ length: count }, (_, at) => `<si><t>name ${at + 1}</t></si>`);
  return zipSync({
    ...BOOK,
    "xl/worksheets/sheet1.xml": strToU8(
      `<worksheet xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheetData>${rows.join("")}</sheetData>${tail}</worksheet>`,
    ),
    "xl/worksheets/_rels/sheet1.xml.rels": strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="l1" Type="${RELATIONS}/hyperlink" Target="https://example.com/9000" TargetMode="External"/></Relationships>`,
    ),
    "xl/sharedStrings.xml": strToU8(`<sst xmlns="${MAIN}">${strings.join("")}</sst>`),
  });
}

const read = (bytes: Uint8Array, budget = new WorkBudget()) => readSpreadsheet(bytes, budget);
const numbered = (markdown: string): string[][] =>
  [...markdown.matchAll(/^\| (\d+) \| (.*?) \| x+ \|$/gm)].map(([, ...cells]) => cells);

describe("a large worksheet", () => {
  test("is read in groups, with each row at its place", async () => {
    const { markdown, warning } = await read(workbook());
    const rows = numbered(markdown);
    const expected = Array.from({ length: ROWS }, (_, at) => at + 1).filter((number) => number !== 7_000);
    expect(rows).toEqual(
      expected.map((number) => [String(number), number === 5 || number === 6 ? "" : `name ${number}`]),
    );
    // The empty row divides the table.
    expect(markdown).toMatch(/\| 6999 \| name 6999 \| x+ \|\n\n\| 7001 \|/);
    expect(warning).toBeUndefined();
  });

  test("keeps merged cells and links", async () => {
    const tail = `<mergeCells><mergeCell ref="B4:B6"/></mergeCells><hyperlinks><hyperlink ref="B9000" r:id="l1"/></hyperlinks>`;
    const { markdown } = await read(workbook({ tail }));
    expect(markdown.match(/\| name 4 \|/g)).toHaveLength(3);
    expect(markdown).toContain("| 9000 | [name 9000](https://example.com/9000) |");
    expect(markdown.match(/example\.com/g)).toHaveLength(1);
  });

  test.each([
    ["without numbers of rows", () => "<row>"],
    ["whose rows are not in order", (number: number) => `<row r="${number === 9 ? 8 : number}">`],
  ])("%s is read as a whole", async (_, row) => {
    const { markdown } = await read(workbook({ row }));
    expect(numbered(markdown)).toHaveLength(ROWS - 1);
    expect(markdown).toContain(`| ${ROWS} | name ${ROWS} |`);
  });

  test("gives the rows that were read when the work takes too much, and says so", async () => {
    const { markdown, warning } = await read(workbook(), new WorkBudget({ steps: 120_000 }));
    const rows = numbered(markdown);
    expect(rows.length).toBeGreaterThan(1_000);
    expect(rows.length).toBeLessThan(ROWS - 1);
    expect(rows.at(-1)?.[1]).toBe(`name ${rows.length}`);
    expect(warning).toContain("its tables are incomplete");
  });
});

describe("a large table of OpenDocument", () => {
  const NAMESPACES = ["office", "table", "text"]
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(" ");
  const text = (value: string, more = ""): string =>
    `<table:table-cell office:value-type="string"${more}><text:p>${value}</text:p></table:table-cell>`;
  const row = (cells: string, more = ""): string => `<table:table-row${more}>${cells}</table:table-row>`;
  /** @param counts rows of each table */
  const book = (...counts: number[]): Uint8Array => {
    const tables = counts.map((count, table) => {
      const rows = Array.from({ length: count }, (_, at) => {
        const number = at + 1;
        if (number === 7_000) return row("<table:table-cell/>", ' table:number-rows-repeated="3"');
        const merged = number === 9_000 ? ' table:number-rows-spanned="2" table:number-columns-spanned="1"' : "";
        const second = number === 9_001 ? "<table:covered-table-cell/>" : text(`name ${table}.${number}`, merged);
        return row(text(String(number)) + second + text(FILLER));
      });
      return `<table:table table:name="T${table}"><table:table-column/>${rows.join("")}</table:table>`;
    });
    return zipSync({
      "META-INF/manifest.xml": strToU8(
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
      ),
      mimetype: strToU8("application/vnd.oasis.opendocument.spreadsheet"),
      "content.xml": strToU8(
        `<office:document-content ${NAMESPACES}><office:body><office:spreadsheet>${tables.join("")}<table:named-expressions/></office:spreadsheet></office:body></office:document-content>`,
      ),
    });
  };

  test("without a name keeps its rows in the workbook, since they could not be found again", () => {
    const table = `<table:table>${row(text(FILLER)).repeat(3_000)}</table:table>`;
    const [unnamed] = given(tableGroups(`<a>${table}`)).tables;
    const [named] = given(tableGroups(`<a>${table.replace("<table:table>", '<table:table table:name="T">')}`)).tables;
    expect(unnamed).toEqual({ name: "", xml: table, groups: undefined });
    expect(given(named?.groups).starts.length).toBeGreaterThan(2);
  });

  test("of which nothing can be read takes nothing from those before it", async () => {
    const { markdown, warning } = await read(book(ROWS, ROWS), new WorkBudget({ steps: 600_000 }));
    const [, first = "", second = ""] = markdown.split(/^## T\d$/m);
    expect(numbered(first).length).toBeGreaterThan(1_000);
    expect(numbered(second).length).toBeLessThan(ROWS / 2);
    expect(warning).toContain("its tables are incomplete");
  });

  test("is read in groups beside small ones, with each row at its place", async () => {
    const { markdown, warning } = await read(book(3, ROWS, 2));
    const [, first = "", large = "", last = ""] = markdown.split(/^## T\d$/m);
    expect(numbered(first).map(([, name]) => name)).toEqual(["name 0.1", "name 0.2", "name 0.3"]);
    expect(numbered(last).map(([, name]) => name)).toEqual(["name 2.1", "name 2.2"]);
    const names = numbered(large).map(([number, name]) => `${number} ${name}`);
    const expected = Array.from({ length: ROWS }, (_, at) => at + 1).filter((number) => number !== 7_000);
    expect(names).toEqual(expected.map((number) => `${number} name 1.${number === 9_001 ? 9_000 : number}`));
    expect(large).toMatch(/\| 6999 \| name 1\.6999 \| x+ \|\n\n\| 7001 \|/);
    expect(warning).toBeUndefined();
  });
});
