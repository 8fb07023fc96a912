import { strToU8, unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { HOSTILE_FILES } from "../../../../hostile/hostile-office.ts";
import { given } from "../../../../fakes/given.ts";
import { isShort, shortAndLong } from "../../../../sample.ts";

const source = { contentType: undefined, url: "https://example.com/a.xlsx" };
const BOOK = unzipSync(given(HOSTILE_FILES["xlsx: n empty shared strings"]).make(1));

/** 20,000 rows are read of a sheet: how many more there are makes no difference to what the tests show. */
const MANY_ROWS = isShort() ? 21_000 : 200_000;

/** A workbook with rows of a number and a shared string of its own, merged cells behind the rows, and strings in order. */
function workbook(rows: number, { prefix = "", columns = 1 } = {}): Uint8Array {
  const p = prefix === "" ? "" : `${prefix}:`;
  const namespace = `xmlns${prefix === "" ? "" : `:${prefix}`}="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`;
  const cells = (at: number): string =>
    Array.from({ length: columns }, () => `<${p}c><${p}v>${at + 0.25}</${p}v></${p}c>`).join("") +
    (at === 3 || at === 4 ? "" : `<${p}c t="s"><${p}v>${at}</${p}v></${p}c>`);
  const row = (at: number): string => `<${p}row r="${at + 1}">${cells(at)}</${p}row>`;
  const list = (write: (at: number) => string): string => Array.from({ length: rows }, (_, at) => write(at)).join("");
  return zipSync({
    ...BOOK,
    "xl/worksheets/sheet1.xml": strToU8(
      `<${p}worksheet ${namespace}><${p}sheetData>${list(row)}</${p}sheetData><${p}mergeCells><${p}mergeCell ref="B3:B5"/></${p}mergeCells></${p}worksheet>`,
    ),
    "xl/sharedStrings.xml": strToU8(
      `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${list((at) => `<si><t>name ${at}</t></si>`)}</sst>`,
    ),
  });
}

for (const { tags, entries } of shortAndLong(["", "x"], (prefix) => prefix === ""))
  test.each(entries)(
    "a sheet of very many rows gives its first rows and says so (prefix %j)",
    { tags },
    async (prefix) => {
      const { markdown, warning } = await readDocument("xlsx", workbook(MANY_ROWS, { prefix }), source);
      const lines = markdown.split("\n");
      expect(lines.filter((line) => /^\| \d/.test(line))).toHaveLength(20_000);
      expect(lines.at(-1)).toBe("| 19999.25 | name 19999 |");
      expect(warning).toBe("Sheets were cut: S (20000 rows).");
    },
  );

test("what comes behind the rows is read, whether they are cut or not", async () => {
  for (const rows of [15_000, 21_000]) {
    const { markdown } = await readDocument("xlsx", workbook(rows), source);
    expect(markdown.match(/name 2 \|/g)).toHaveLength(3);
  }
});

test("a sheet of many columns gives as many rows as are shown", { tags: ["long"] }, async () => {
  const { markdown, warning } = await readDocument("xlsx", workbook(11_000, { columns: 39 }), source);
  expect(markdown.split("\n").filter((line) => /^\| \d/.test(line))).toHaveLength(10_000);
  expect(warning).toBe("Sheets were cut: S (10000 rows).");
});

test("a sheet that unpacks to more than an isolate holds gives its first rows, and says that it is incomplete", async () => {
  const rows = `<row r="1"><c><v>1</v></c></row><row r="2"><c t="inlineStr"><is><t>${"x".repeat(30_000_000)}</t></is></c></row>`;
  const bytes = zipSync({
    ...BOOK,
    "xl/worksheets/sheet1.xml": strToU8(
      `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
    ),
  });
  const { markdown, warning } = await readDocument("xlsx", bytes, source);
  expect(markdown).toBe("## S\n\n1");
  expect(warning).toContain("its tables are incomplete");
});

test("each sheet of an OpenDocument workbook gives its first rows", { tags: ["long"] }, async () => {
  const namespaces = ["office", "table", "text"]
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(" ");
  const cell = (type: string, value: string | number): string =>
    `<table:table-cell office:value-type="${type}"${type === "float" ? ` office:value="${value}"` : ""}><text:p>${value}</text:p></table:table-cell>`;
  const row = (at: number): string =>
    `<table:table-row table:style-name="ro1">${cell("float", at)}${cell("string", `name ${at}`)}<table:table-cell table:number-columns-repeated="1022"/></table:table-row>`;
  const table = (name: string, rows: number): string =>
    `<table:table table:name="${name}">${Array.from({ length: rows }, (_, at) => row(at)).join("")}</table:table>`;
  const bytes = zipSync({
    mimetype: strToU8("application/vnd.oasis.opendocument.spreadsheet"),
    "META-INF/manifest.xml": strToU8(
      '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
    ),
    "content.xml": strToU8(
      `<office:document-content ${namespaces}><office:body><office:spreadsheet>${table("A", 22_000)}${table("B", 3)}${table("C", 21_000)}</office:spreadsheet></office:body></office:document-content>`,
    ),
  });
  const { markdown, warning } = await readDocument("ods", bytes, source);
  expect(warning).toBe("Sheets were cut: A (20000 rows), C (20000 rows).");
  const sheets = markdown.split(/^## /m).slice(1);
  expect(sheets.map((sheet) => sheet.trim().split("\n").at(-1))).toEqual([
    "| 19999 | name 19999 |",
    "| 2 | name 2 |",
    "| 19999 | name 19999 |",
  ]);
});

test("a cell with thousands of attributes in front of the rows that are cut takes linear time", async () => {
  const cell = `<c${' t="s"'.repeat(150_000)}></c>`;
  const rows = Array.from({ length: 20_010 }, (_, at) => `<row><c><v>${at}</v></c></row>`).join("");
  const book = zipSync({
    ...BOOK,
    "xl/worksheets/sheet1.xml": strToU8(
      `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row>${cell}</row>${rows}</sheetData></worksheet>`,
    ),
    "xl/sharedStrings.xml": strToU8(
      `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${"<si><t>a name</t></si>".repeat(20_000)}</sst>`,
    ),
  });
  const startedMs = process.cpuUsage().user / 1_000;
  await readDocument("xlsx", book, source).catch(() => undefined);
  expect(process.cpuUsage().user / 1_000 - startedMs).toBeLessThan(20_000);
});
