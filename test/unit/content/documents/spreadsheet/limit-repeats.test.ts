import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { childElements, parseXml, type XmlElement } from "../../../../../src/content/documents/containers/xml-tree.ts";
import { odfRows } from "../../../../../src/content/documents/odf/odf-rows.ts";
import { given } from "../../../../fakes/given.ts";
import { RepeatLimit } from "../../../../../src/content/documents/spreadsheet/limit-repeats.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";

const cell = (times: number | string, text = "x"): string =>
  `<table:table-cell table:number-columns-repeated="${times}"><text:p>${text}</text:p></table:table-cell>`;
const row = (times: number | string, cells: string): string =>
  `<table:table-row table:number-rows-repeated="${times}">${cells}</table:table-row>`;
const repeats = (xml: string): number[] => [...xml.matchAll(/repeated="(\d+)"/g)].map(([, times]) => Number(times));

function limitRepeats(xml: string): { xml: string; isCut: boolean } {
  const limit = new RepeatLimit();
  return { xml: limit.limit(xml).xml, isCut: limit.isCut };
}

function tableOf(rows: string): XmlElement {
  const namespaces = ["table", "text"].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  const xml = `<table:table ${namespaces.join(" ")}>${rows}</table:table>`;
  return given(childElements(parseXml(xml))[0]);
}

test("cells of a small table stay, those beyond the columns of a table are left out", () => {
  const small = `<t>${row(3, cell(2))}</t>`;
  expect(limitRepeats(small)).toEqual({ xml: small, isCut: false });
  expect(repeats(limitRepeats(row(1, cell("1000000000"))).xml)).toEqual([1, 201]);
});

test.each([
  ["1000000", "table:number-rows-repeated"],
  ["1000000", "Table:Number-Rows-Repeated"],
  ["1000000", "number-rows-repeated_x"],
  ["1000000", 'table:style-name=">" table:number-rows-repeated'],
  ["1000000", `table:x="number-rows-repeated='1'" table:number-rows-repeated`],
])("rows are bounded that are repeated %s times by %s", (times, name) => {
  for (const element of ["table:table-row", "table-row", "t\u00e4:table-row", "table:table-row_x"]) {
    const { xml } = limitRepeats(`<${element} ${name}="${times}">${cell(900)}</${element}>`);
    const numbers = Array.from(xml.matchAll(/repeated\w*="(\d+)"/gi), ([, number]) => Number(number));
    expect(numbers).toEqual([expect.closeTo(550, -2), 201]);
  }
});

test("a name that holds many of its kind is read once", () => {
  const names = "number-rows-repeated".repeat(20_000);
  expect(limitRepeats(`<table:table-row ${names}="9">${cell(2)}</table:table-row>`).isCut).toBe(false);
});

test("empty cells up to the end of the sheet are no loss", () => {
  const empty = row(1_048_576, '<table:table-cell table:number-columns-repeated="16384"/>');
  expect(limitRepeats(empty).isCut).toBe(false);
  expect(limitRepeats(row(1_000_000, cell(1_000_000))).isCut).toBe(true);
});

test("all repeated cells together are bounded, in number and in characters", () => {
  const long = "y".repeat(10_000);
  for (const xml of [row(1_000_000, cell(1_000_000)).repeat(100), row(1000, cell(1000, long)), row(1000, cell(1000)).repeat(1000)]) {
    const limited = limitRepeats(xml);
    const rows = limited.xml.split("<table:table-row").slice(1);
    const sizes = rows.map((each) => {
      const [times = 1, ...columns] = repeats(each);
      return times * columns.reduce((sum, count) => sum + count, 0);
    });
    const cells = sizes.reduce((sum, size) => sum + size, 0);
    expect(cells).toBeLessThanOrEqual(401_000);
    expect(cells * (xml.includes(long) ? long.length : 1)).toBeLessThan(13_000_000);
  }
}); // prettier-ignore

test("copies of cells and columns take steps, so that their number ends with the budget", async () => {
  const stepsOf = async (kind: "ods" | "xls", bytes: Uint8Array): Promise<number> => {
    const budget = new WorkBudget();
    await readDocument(kind, bytes, { url: "https://example.com/a", contentType: undefined, budget });
    return budget.steps;
  };
  const table = `<table:table table:name="S">${row(2_000, cell(1))}</table:table>`;
  const content = `<office:document-content><office:body><office:spreadsheet>${table}</office:spreadsheet></office:body></office:document-content>`;
  expect(
    await stepsOf("ods", zipSync({ "META-INF/manifest.xml": strToU8("<manifest/>"), "content.xml": strToU8(content) })),
  ).toBeGreaterThan(0.6 * 2_000);
  const columns = `<Workbook xmlns:ss="s"><Worksheet ss:Name="S"><Table><Column ss:Span="2000"/></Table></Worksheet></Workbook>`;
  expect(await stepsOf("xls", strToU8(`<?xml version="1.0"?>${columns}`))).toBeGreaterThan(0.6 * 2_000);
});

test("a table of a text document repeats cells and rows up to a bounded size", () => {
  const table = tableOf(`${row(1_000_000, cell(1_000_000).repeat(100))}`);
  const { rows } = odfRows(table, new WorkBudget());
  const cells = rows.reduce((sum, each) => sum + each.length, 0);
  expect(rows.length).toBeGreaterThan(1);
  expect(cells).toBeLessThanOrEqual(20_000);
  expect(odfRows(tableOf(`${row(3, cell(2))}`), new WorkBudget()).rows.map(({ length }) => length)).toEqual([2, 2, 2]);
}); // prettier-ignore

test.each(["1e9", "1e308", "+1000000000", "1000000.0", "0x3B9ACA00", "-5", ""])(
  "a count %j that is not in digits becomes 1",
  (count) => {
    expect(repeats(limitRepeats(row(1, cell(count))).xml)).toEqual([1, 1]);
    expect(repeats(limitRepeats(row(1, "").replace('="1"', `="${count}"`)).xml)).toEqual([1]);
  },
);

test("a count is found behind another one, and behind the sign of an end in a value", () => {
  const twice = cell(5000).replace("table:number-columns", 'x:number-columns-repeated="5000" table:number-columns');
  expect(repeats(limitRepeats(row(1, twice)).xml)).toEqual([1, 201, 201]);
  const hidden = row(1, cell(5000)).replace("<table:table-cell", '<table:table-cell table:formula="a>b"');
  expect(repeats(limitRepeats(hidden).xml)).toEqual([1, 201]);
});

describe("in a workbook", () => {
  const flat = "flat XML that is served as Excel";
  const archive = "an archive";

  const read = (form: string, rows: string, budget?: WorkBudget): ReturnType<typeof readDocument> => {
    const table = `<office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body>`;
    const bytes =
      form === flat
        ? strToU8(`<?xml version="1.0"?><office:document>${table}</office:document>`)
        : zipSync({
            "META-INF/manifest.xml": strToU8("<manifest/>"),
            "content.xml": strToU8(`<office:document-content>${table}</office:document-content>`),
          });
    const contentType = form === flat ? "application/vnd.ms-excel" : undefined;
    return readDocument(form === flat ? "xls" : "ods", bytes, {
      url: "https://example.com/a",
      contentType,
      ...(budget === undefined ? {} : { budget }),
    });
  };

  describe.each([archive, flat])("that is %s", (form) => {
    test.each([
      ['<text:s text:c="5000"/>', 100],
      ['<text:s <!---->text:c="5000"/>', 100],
      ['<text:s<text:s/>text:c="5000"/>', 100],
      [`<text:s text:c="${"9".repeat(400)}"/>`, 100],
      ['<text:s text:c="12"/>', 12],
      ["<text:s/>", 1],
    ])("spaces that are written as %s are limited", async (spaces, count) => {
      const { markdown } = await read(form, row(1, cell(1, `a${spaces}b`)));
      expect(/a( *)b/.exec(markdown)?.[1]).toHaveLength(count);
    });
  });

  test.each([
    [flat, "number-rows-repeated"],
    [archive, "number-rows-<!-- -->repeated"],
  ])("the bytes of copied cells are limited that %s has by %s", async (form, name) => {
    const budget = new WorkBudget();
    const rows = (times: number): string =>
      row(times, cell(1, "x".repeat(200_000))).replace("number-rows-repeated", name);
    await expect(read(form, rows(400), budget)).rejects.toMatchObject({ code: "SCRAPE_WORK_LIMIT" });
    expect(budget.steps).toBeLessThan(100_000);
    await expect(read(form, rows(3))).resolves.toHaveProperty("markdown");
  });

  test("rows beyond those of a table are not copied", async () => {
    const budget = new WorkBudget();
    const { markdown, warning } = await read(flat, row(100_000_000, cell(1)), budget);
    expect(markdown.split("\n").length).toBeGreaterThan(20_000);
    expect(warning).toBe("Sheets were cut: S (20000 rows).");
    expect(budget.steps).toBeLessThan(30_000);
  });

  test("copies of rows whose first cell is far to the right are limited by the length of the rows", async () => {
    const budget = new WorkBudget();
    const wide = `<table:table-cell table:number-columns-repeated="1000"/>${cell(1)}`;
    await expect(read(flat, row(20_000, wide), budget)).rejects.toMatchObject({ code: "SCRAPE_WORK_LIMIT" });
    expect(budget.steps).toBeLessThan(10_000);
  });
});
