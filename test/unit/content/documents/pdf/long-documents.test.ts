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

const letterOf = (page: number): string => String.fromCharCode(97 + (page >> 4), 97 + (page & 15));

/** Returns a PDF of pages with a word and three fields of a form each, which do not name their page. */
function formPdf(pageCount: number): Uint8Array {
  const objects: string[] = [];
  const add = (body: string): string => `${objects.push(body)} 0 R`;
  const fields: string[] = [];
  const kids = Array.from({ length: pageCount }, (_, page) => {
    const own = [0, 1, 2].map((at) =>
      add(`<</Type/Annot/Subtype/Widget/FT/Tx/T(f${page}.${at})/Rect[0 ${at * 20} 90 ${at * 20 + 15}]>>`),
    );
    fields.push(...own);
    const shown = `BT /F 12 Tf 72 400 Td (Words of ${letterOf(page)}) Tj ET`;
    const contents = add(`<</Length ${shown.length}>>stream\n${shown}\nendstream`);
    const font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
    const links = `/Annots[${own.join(" ")}]`;
    return add(`<</Type/Page/Parent 0 0 R/MediaBox[0 0 612 792]/Contents ${contents}/Resources<</Font<</F ${font}>>>>${links}>>`); // prettier-ignore
  });
  const pages = add(`<</Type/Pages/Count ${pageCount}/Kids[${kids.join(" ")}]>>`);
  const root = add(`<</Type/Catalog/Pages ${pages}/AcroForm<</Fields[${fields.join(" ")}]>>>>`);
  let text = "%PDF-1.7\n";
  const offsets = objects.map((body, at) => {
    const start = text.length;
    text += `${at + 1} 0 obj\n${body.replace("/Parent 0 0 R", `/Parent ${pages}`)}\nendobj\n`;
    return start;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  text += `trailer<</Size ${objects.length + 1}/Root ${root}>>\nstartxref\n${text.lastIndexOf("xref\n0 ")}\n%%EOF`;
  return new TextEncoder().encode(text);
}

test("fields that do not name their page are looked for on pages that are known", async () => {
  const stepsOf = async (pageCount: number): Promise<number> => {
    const budget = new WorkBudget();
    const { markdown, warning } = await readPdf(formPdf(pageCount), "https://example.com/a.pdf", { budget });
    expect(markdown).toContain(`Words of ${letterOf(pageCount - 1)}`);
    expect(warning).toBeUndefined();
    return budget.steps;
  };
  // Each field is looked for on the pages before its own.
  expect(await stepsOf(60)).toBeLessThan(25 * (await stepsOf(4)));
});
