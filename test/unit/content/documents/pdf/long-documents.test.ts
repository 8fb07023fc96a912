import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadePage, madePdf, type MadeText, paragraph, widthOf } from "./made-pdf.ts";

const SENTENCE = "tells what the orchard bore in the years of the report. ";

/** Returns a dense page whose words are placed one by one, as LaTeX does. */
function densePage(number: number): { texts: MadeText[] } {
  const lines = paragraph(`Page ${number} ${SENTENCE.repeat(60)}`, 72, 150, 400);
  return {
    texts: lines.flatMap((line) => {
      let x = line.x;
      return line.text.split(" ").map((text) => {
        const word = { ...line, text, x };
        x += widthOf(`${text} `);
        return word;
      });
    }),
  };
}

test("a long document of dense pages that are packed well is read to its end", async () => {
  const pages = Array.from({ length: 30 }, (_, at) => densePage(at + 1));
  const { markdown, numPages, warning } = await readPdf(
    madePdf(pages, { isPacked: true }),
    "https://example.com/a.pdf",
  );
  expect(warning).toBeUndefined();
  expect(numPages).toBe(30);
  expect(markdown).toContain("Page 30 tells");
});

/** Steps for eleven pages beyond those for one. */
async function stepsOfTenPages(page: MadePage): Promise<number> {
  const stepsOf = async (pages: number): Promise<number> => {
    const budget = new WorkBudget();
    await readPdf(madePdf(Array.from({ length: pages }, () => page)), "https://example.com/a.pdf", { budget });
    return budget.steps;
  };
  return (await stepsOf(11)) - (await stepsOf(1));
}

test("an operator that selects a known font counts as little work", async () => {
  const { texts } = densePage(1);
  const mixed = texts.map((text, at) => ({ ...text, font: at % 2 === 0 ? ("plain" as const) : ("mono" as const) }));
  expect(await stepsOfTenPages({ texts: mixed })).toBeLessThan(2 * (await stepsOfTenPages({ texts })));
});

test("the drawing operations of pages that paint nothing but text are not read", async () => {
  const { texts } = densePage(1);
  const drawn = await stepsOfTenPages({ texts, rules: [[72, 700, 472, 700]] });
  expect(await stepsOfTenPages({ texts })).toBeLessThan(0.75 * drawn);
});
