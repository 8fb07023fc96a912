import { expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadeText, madePdf, paragraph } from "./made-pdf.ts";

const PROSE = "The orchard bore more in that year than in the ten before it, and nobody knew why it did. ";
const around = (...formula: MadeText[]): MadeText[] => [
  ...paragraph(PROSE.repeat(4), 72, 120, 468),
  ...formula,
  ...paragraph(PROSE.repeat(4), 72, 260, 468),
];
const read = async (...formula: MadeText[]) =>
  await readPdf(madePdf([{ texts: around(...formula) }]), "https://example.com/a.pdf");

test("a formula on a line of its own is LaTeX, with scripts, signs and its number", async () => {
  const { markdown, html } = await read(
    { text: "x", x: 200, y: 210, font: "italic" },
    { text: "2", x: 205, y: 206, size: 6 },
    { text: "i", x: 209, y: 213, size: 6, font: "italic" },
    { text: "+ α ≤ 12", x: 215, y: 210 },
    { text: "(4.1)", x: 500, y: 210 },
  );
  expect(markdown).toContain("it did.\n\n$$x^{2}_{i} + \\alpha \\le 12 \\tag{4.1}$$\n\nThe orchard");
  expect(html).toContain("<p>$$x^{2}_{i} + \\alpha \\le 12 \\tag{4.1}$$</p>");
});

test.each([
  { why: "with words", formula: [{ text: "yield = 12 baskets", x: 200, y: 210, font: "italic" as const }] },
  { why: "without letters", formula: [{ text: "3 + 4 = 7", x: 200, y: 210 }] },
  { why: "of plain letters alone", formula: [{ text: "a = b", x: 200, y: 210 }] },
])("a line $why stays text", async ({ formula }) => {
  const { markdown } = await read(...formula);
  expect(markdown).not.toContain("$");
  expect(markdown).toContain(formula[0]?.text);
});
