import { strToU8, zipSync } from "fflate";
import { utils, write } from "#xlsx";
import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { repeatMerged } from "../../../../../src/content/documents/spreadsheet/merged-cells.ts";

const source = { contentType: undefined, url: "https://example.com/a" };

test("merged cells are repeated where other cells are beside them, a title over all columns is not", async () => {
  const sheet = utils.aoa_to_sheet([
    ["Fruit of the year", null, null, null],
    [null, "Spring", null, "Total"],
    ["Apples", 1, null, 3],
    [null, 4, 5, 9],
    ["A note over the whole width", null, null, null],
  ]);
  const area = (r: number, c: number, r2: number, c2: number) => ({ s: { r, c }, e: { r: r2, c: c2 } });
  sheet["!merges"] = [area(0, 0, 0, 3), area(1, 1, 1, 2), area(2, 0, 3, 0), area(2, 1, 2, 2), area(4, 0, 6, 3)];
  for (const bookType of ["xlsx", "xlml", "biff8", "ods"] as const) {
    const bytes = new Uint8Array(write(utils.book_new(sheet, "Trees"), { type: "array", bookType }) as ArrayBuffer);
    const kind = bookType === "biff8" || bookType === "xlml" ? "xls" : bookType;
    expect((await readDocument(kind, bytes, source)).markdown, bookType).toBe(
      "## Trees\n\n| Fruit of the year |  |  |  |\n| --- | --- | --- | --- |\n|  | Spring | Spring | Total |\n" +
        "| Apples | 1 |  | 3 |\n| Apples | 4 | 5 | 9 |\n| A note over the whole width |  |  |  |",
    );
  }
});

test("columns that hold parts of merged cells alone are left out, and so are repetitions of long texts", () => {
  const limits = { budget: new WorkBudget(), take: () => true };
  const long = "long ".repeat(20);
  const rows = [
    ["a", "", "b"],
    ["c", "", "d"],
    [long, "", "e"],
  ];
  const areas = rows.map((_, r) => ({ s: { r, c: 0 }, e: { r, c: 1 } }));
  expect(repeatMerged(rows, areas, limits)).toEqual([
    ["a", "b"],
    ["c", "d"],
    [long, "e"],
  ]);
});

test("areas beyond the sheet, over one another and without end cost no more than the budget", () => {
  const rows = Array.from({ length: 100 }, (_, at) => [`a${at}`, "", "", `b${at}`]);
  const areas = Array.from({ length: 100_000 }, (_, at) => ({ s: { r: at % 100, c: 0 }, e: { r: 1e9, c: 1e9 } }));
  const budget = new WorkBudget({ steps: 10_000 });
  let taken = 0;
  repeatMerged(rows, areas, { budget, take: () => ++taken < 1_000 });
  expect(budget.steps).toBeLessThan(10_200);
  expect(taken).toBeLessThanOrEqual(1_000);
});

test("hidden sheets of OpenDocument are left out and named", async () => {
  const names = ["office", "table", "text", "style"];
  const spaces = names.map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const style = (name: string, shown: boolean): string =>
    `<style:style style:name="${name}" style:family="table"><style:table-properties table:display="${shown}"/></style:style>`;
  const table = (name: string, styleName: string): string =>
    `<table:table table:name="${name}" table:style-name="${styleName}"><table:table-row><table:table-cell office:value-type="string"><text:p>in ${name}</text:p></table:table-cell></table:table-row></table:table>`;
  const content = `<?xml version="1.0"?><office:document-content ${spaces}><office:automatic-styles>${style("ta1", true)}${style("ta2", false)}</office:automatic-styles><office:body><office:spreadsheet>${table("Seen", "ta1")}${table("Bees &amp; wax", "ta2")}</office:spreadsheet></office:body></office:document-content>`;
  const bytes = zipSync({
    mimetype: [strToU8("application/vnd.oasis.opendocument.spreadsheet"), { level: 0 }],
    "META-INF/manifest.xml": strToU8(
      '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
    ),
    "content.xml": strToU8(content),
  });
  const { markdown, warning, metadata } = await readDocument("ods", bytes, source);
  expect(markdown).toBe("## Seen\n\nin Seen");
  expect(warning).toBe("Hidden sheets were left out: Bees & wax.");
  expect(metadata["sheetNames"]).toEqual(["Seen"]);
});

test("an area outside of the table gives no steps back to the budget", () => {
  const budget = new WorkBudget({ steps: 1_000 });
  const rows = [["a", "b", "c"]];
  const outside = [
    { s: { r: 1_048_575, c: 0 }, e: { r: 1_048_575, c: 16_383 } },
    { s: { r: 0, c: 16_000 }, e: { r: 1_048_575, c: 16_383 } },
    { s: { r: 0, c: 2 }, e: { r: 0, c: 0 } },
  ];
  expect(repeatMerged(rows, outside, { budget, take: () => true })).toEqual(rows);
  expect(budget.steps).toBeGreaterThanOrEqual(0);
});
