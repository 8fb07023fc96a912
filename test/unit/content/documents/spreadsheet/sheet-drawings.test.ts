import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DRAWING = "http://schemas.openxmlformats.org/drawingml/2006";
const source = { contentType: undefined, url: "https://example.com/a.xlsx" };

const relations = (...all: [id: string, type: string, target: string][]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`).join("")}</Relationships>`;
const anchor = (inner: string): string => `<xdr:twoCellAnchor>${inner}</xdr:twoCellAnchor>`;
const box = (text: string): string =>
  anchor(`<xdr:sp><xdr:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></xdr:txBody></xdr:sp>`);
const point = (at: number, text: string): string => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`;

function workbook(drawing: string): Uint8Array {
  const files = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/comments1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"/></Types>`,
    "_rels/.rels": relations(["a", "officeDocument", "xl/workbook.xml"]),
    "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Trees" sheetId="1" r:id="s1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations(["s1", "worksheet", "worksheets/sheet1.xml"]),
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1"><v>7</v></c></row></sheetData><drawing r:id="d1"/><legacyDrawing r:id="d9"/></worksheet>`,
    "xl/worksheets/_rels/sheet1.xml.rels": relations(
      ["d1", "drawing", "../drawings/drawing1.xml"],
      ["d2", "comments", "../comments1.xml"],
    ),
    "xl/comments1.xml": `<comments xmlns="${MAIN}"><authors><author>Ada</author></authors><commentList><comment ref="B1" authorId="0"><text><r><t>Seven *oaks*</t></r></text></comment></commentList></comments>`,
    "xl/drawings/drawing1.xml": `<xdr:wsDr xmlns:xdr="${DRAWING}/spreadsheetDrawing" xmlns:a="${DRAWING}/main" xmlns:r="${OFFICE}" xmlns:c="${DRAWING}/chart">${drawing}</xdr:wsDr>`,
    "xl/drawings/_rels/drawing1.xml.rels": relations(["c1", "chart", "../charts/chart1.xml"]),
    "xl/charts/chart1.xml": `<c:chartSpace xmlns:c="${DRAWING}/chart" xmlns:a="${DRAWING}/main"><c:chart><c:title><a:p><a:r><a:t>Growth</a:t></a:r></a:p></c:title><c:ser><c:tx><c:v>Oak</c:v></c:tx><c:cat>${point(0, "2020")}</c:cat><c:val>${point(0, "3.5")}</c:val></c:ser></c:chart></c:chartSpace>`,
  };
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
}

test("text boxes, charts, descriptions of pictures and comments follow the cells of a sheet", async () => {
  const chart = anchor(`<xdr:graphicFrame><c:chart r:id="c1"/></xdr:graphicFrame>`);
  const picture = anchor(
    `<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1" name="p" descr="An oak in autumn"/></xdr:nvPicPr></xdr:pic>`,
  );
  const grouped = `<xdr:grpSp>${box("In a group")}</xdr:grpSp>`;
  const { markdown } = await readDocument("xlsx", workbook(box("Read me") + chart + picture + grouped), source);
  expect(markdown.split("\n\n")).toEqual([
    "## Trees",
    "| Name | 7 |\n| --- | --- |",
    "Read me",
    "Growth",
    "|  | Oak |\n| --- | --- |\n| 2020 | 3.5 |",
    "_An oak in autumn_",
    "In a group",
    String.raw`- Comment on B1: Seven \*oaks\*`,
  ]);
});

test("drawings beyond the budget, or too many, leave the cells as they are", async () => {
  const many = workbook(box("x").repeat(15_000));
  const { markdown } = await readDocument("xlsx", many, { ...source, budget: new WorkBudget({ steps: 100_000 }) });
  expect(markdown).toContain("| Name | 7 |");
  const budget = new WorkBudget();
  const { markdown: bounded } = await readDocument("xlsx", many, { ...source, budget });
  expect(bounded.match(/^x$/gm)?.length).toBe(2_000);
  expect(budget.cutParts).toContain("charts and text boxes of the workbook");
});

test("a chart that a sheet names a thousand times is read once", async () => {
  const chart = anchor(`<xdr:graphicFrame><c:chart r:id="c1"/></xdr:graphicFrame>`);
  const stepsOf = async (times: number): Promise<number> => {
    const budget = new WorkBudget();
    const { markdown } = await readDocument("xlsx", workbook(chart.repeat(times)), { ...source, budget });
    expect(markdown.match(/^Growth$/gm)?.length).toBe(times);
    return budget.steps;
  };
  const [one, many] = [await stepsOf(1), await stepsOf(1_000)];
  expect((many - one) / 999).toBeLessThan(80);
});
