import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { PdfWork } from "../../../../../src/content/documents/pdf/pdf-work.ts";
import { ruledTables } from "../../../../../src/content/documents/pdf/tables/ruled-tables.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { type MadePage, type MadeRule, madePdf, paragraph } from "./made-pdf.ts";

const COLUMNS = 10;
const at = (cell: number): { x: number; y: number } => ({
  x: 60 + (cell % COLUMNS) * 50,
  y: 52 + Math.floor(cell / COLUMNS) * 13,
});
const bordersOf = (cell: number): MadeRule[] => {
  const { x, y } = at(cell);
  const [right, bottom] = [x + 50, y + 13];
  return [
    [x, y, right, y],
    [x, bottom, right, bottom],
    [x, y, x, bottom],
    [right, y, right, bottom],
  ];
};
const cells = Array.from({ length: 50 * COLUMNS }, (_, cell) => cell);
const GRID: MadePage = {
  texts: cells.map((cell) => ({ text: `c${cell}`, x: at(cell).x + 2, y: at(cell).y + 10, size: 8 })),
  rules: cells.flatMap(bordersOf),
};

describe("pages with many drawn lines", () => {
  test("bordered cells of all pages become tables", async () => {
    const { markdown, numPages, warning } = await readPdf(
      madePdf(Array.from({ length: 4 }, () => GRID)),
      "https://example.com/a.pdf",
    );
    expect({ numPages, warning }).toEqual({ numPages: 4, warning: undefined });
    expect(markdown.match(/\| c490 \| c491 \|/g)).toHaveLength(4);
  });

  test("take few steps for their tables", () => {
    const rules = cells.flatMap(bordersOf).map(([left, top, right, bottom]) => ({ left, top, right, bottom }));
    const budget = new WorkBudget();
    ruledTables([], rules, budget);
    expect(budget.steps).toBeLessThan(2_000);
  });

  test("keep the text of a drawing", async () => {
    const lines = Array.from({ length: 25_000 }, (_, line): MadeRule => [line % 600, line % 700, line % 590, line % 7]);
    const texts = paragraph("The plan shows the orchard above the river. ".repeat(8), 72, 110, 468);
    const { markdown, numPages, warning } = await readPdf(
      madePdf(Array.from({ length: 3 }, () => ({ texts, rules: lines }))),
      "https://example.com/a.pdf",
    );
    expect({ numPages, warning }).toEqual({ numPages: 3, warning: undefined });
    expect(markdown.match(/The plan shows/g)).toHaveLength(24);
  });

  test("leave the text its steps", async () => {
    const work = new PdfWork(1_000, undefined);
    const before = work.budget.steps;
    const read = await work.readDrawing((budget) => Promise.resolve(budget.take(budget.left.steps + 1)));
    expect(read).toBeUndefined();
    expect(work.budget.steps).toBe(before);
    expect(await work.readDrawing(() => Promise.resolve("lines"))).toBe("lines");
  });
});

describe("a table with an outer box only", () => {
  test("keeps its empty cells empty", async () => {
    const rows = [
      ["Region", "Yield", "Loss", "Note"],
      ["North", "12", "3", "a"],
      ["West", "13", "5", "b"],
      ["South", "14", "", "c"],
    ];
    const texts = rows.flatMap((row, y) =>
      row.flatMap((text, x) => (text === "" ? [] : [{ text, x: 80 + x * 100, y: 120 + y * 16 }])),
    );
    const rules: MadeRule[] = [
      [72, 104, 480, 104],
      [72, 180, 480, 180],
      [72, 104, 72, 180],
      [480, 104, 480, 180],
    ];
    const { markdown } = await readPdf(madePdf([{ texts, rules }]), "https://example.com/a.pdf");
    expect(markdown).toMatch(/\| South \| 14 \| +\| c \|/);
  });
});

test("a small line close to a large title is a line of its own", async () => {
  const texts = [
    { text: "Orchards", x: 72, y: 120, size: 30 },
    { text: "Report of the growers", x: 72, y: 132 },
    ...paragraph("The orchard lies on the slope above the river. ".repeat(12), 72, 170, 468),
  ];
  const { markdown } = await readPdf(madePdf([{ texts }]), "https://example.com/a.pdf");
  expect(markdown).toContain("# Orchards\n");
  expect(markdown).toMatch(/^Report of the growers$/m);
});
