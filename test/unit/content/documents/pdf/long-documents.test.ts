import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { htmlToMarkdown } from "../../../../../src/content/documents/html/html-to-markdown.ts";
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

test("a document with lists over its pages is written in parts as if in one", async () => {
  const entry = (page: number, at: number): MadeText => {
    const text = `${at + 1}. Entry ${page}-${at} of the register, which is long enough to fill its line up to the end`;
    return { text, x: 72, y: 90 + at * 14, size: 9 };
  };
  const listPage = (page: number): MadePage => ({ texts: Array.from({ length: 45 }, (_, at) => entry(page, at)) });
  const textPage = (page: number): MadePage => ({
    texts: [{ text: `Words between the lists of page ${page}.`, x: 72, y: 90 }],
  });
  const pages = Array.from({ length: 60 }, (_, at) => (at % 20 === 19 ? textPage(at + 1) : listPage(at + 1)));
  const { markdown, html } = await readPdf(madePdf(pages, { isPacked: true }), "https://example.com/a.pdf");
  expect(html?.length).toBeGreaterThan(200_000);
  expect(markdown).toBe(htmlToMarkdown(html ?? "", "https://example.com/a.pdf"));
  expect(markdown.match(/^3\) Entry/gm)?.length).toBeGreaterThan(10);
});
