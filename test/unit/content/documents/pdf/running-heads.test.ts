import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadePage, type MadeRule, type MadeText, madePdf, paragraph } from "./made-pdf.ts";

const PROSE =
  "The orchard lies on the slope above the river and its trees bear fruit from the end of July until the first frost. In the year of the report the bees came late, so that the early apples were few, while the pears of the lower row were more than in the five years before. ";
const BODY = paragraph(PROSE.repeat(4), 72, 110, 468);

const read = async (page: MadePage): Promise<string> => {
  const { markdown } = await readPdf(madePdf([page]), "https://example.com/a.pdf");
  return markdown;
};
const withText = (...texts: MadeText[]): MadePage => ({ texts: [...texts, ...BODY] });

describe("a single page loses its running heads and feet", () => {
  test.each<[string, MadeText[]]>([
    ["a page number", [{ text: "217", x: 300, y: 750 }]],
    ["a page number of pages", [{ text: "Page 3 of 12", x: 280, y: 750 }]],
    ["a Chinese page number", [{ text: "第 17 页", x: 280, y: 750 }]],
    [
      "a title beside a page number",
      [
        { text: "The Growing of Pears", x: 72, y: 48, size: 9 },
        { text: "217", x: 520, y: 48, size: 9 },
      ],
    ],
    [
      "a stamp",
      [{ text: "Downloaded from https://journal.example by a reader on 3 May 2021", x: 72, y: 760, size: 8 }],
    ],
    [
      "a journal with its volume, then a title in italics",
      [
        { text: "Annals of Orchards, vol. 34, 2019", x: 72, y: 40, size: 8 },
        { text: "Gardener et al.", x: 72, y: 60, size: 9, font: "italic" },
      ],
    ],
    ["capitals at the edge", [{ text: "ANNALS OF ORCHARDS", x: 240, y: 40, size: 9 }]],
    [
      "a copyright of two lines",
      paragraph("© 2021 The Growers. All rights reserved. No part may be copied.", 72, 742, 160, { size: 7 }),
    ],
    ["a stamp along the side", [{ text: "arXiv:2101.01234v1 [cs.AI] 4 Jan 2021", x: 30, y: 500, size: 12, turns: 3 }]],
  ])("%s", async (_, texts) => {
    const markdown = await read(withText(...texts));
    expect(markdown).toContain("The orchard lies on the slope");
    expect(markdown).toContain("five years before.");
    for (const { text } of texts) expect(markdown).not.toContain(text);
  });

  test("a line in the style of the text that a rule parts from it", async () => {
    const rules: MadeRule[] = [[72, 60, 540, 60]];
    const head = { text: "The orchard in the year", x: 72, y: 52, size: 8 };
    expect(await read({ ...withText(head), rules })).not.toContain(head.text);
  });
});

describe("a single page keeps its text at the edges", () => {
  test.each<[string, MadeText[]]>([
    ["a title", [{ text: "Harvest of the year 2021", x: 150, y: 52, size: 18 }]],
    ["a heading as large as the text", [{ text: "The second harvest", x: 72, y: 84, font: "bold" }]],
    [
      "a footnote with a raised mark",
      [
        { text: "4", x: 72, y: 739, size: 5 },
        { text: "See https://pears.example for the list of all pears.", x: 75, y: 742, size: 8 },
      ],
    ],
    ["a last line of text after a gap", [{ text: "Nobody counted the quinces of that year.", x: 72, y: 730 }]],
    [
      "a field of a form",
      [
        { text: "Name of the grower: Ada", x: 72, y: 50 },
        { text: "Plot 12", x: 480, y: 50 },
      ],
    ],
    ["a sideways label", [{ text: "Yield in tonnes", x: 30, y: 400, turns: 3 }]],
  ])("%s", async (_, texts) => {
    const markdown = await read(withText(...texts));
    for (const { text } of texts) expect(markdown).toContain(text);
  });

  test("a short page that is all title", async () => {
    const texts = [
      { text: "GROWERS OF THE VALLEY, VOL. 3", x: 72, y: 40, size: 9 },
      { text: "Programme", x: 250, y: 300 },
    ];
    expect(await read({ texts })).toContain("GROWERS OF THE VALLEY");
  });
});
