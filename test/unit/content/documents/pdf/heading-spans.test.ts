import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadeRule, type MadeText, madePdf, paragraph, widthOf } from "./made-pdf.ts";

const INTRO = paragraph("The harbour office counts what the boats land in each month. ".repeat(4), 72, 110, 468);
const END = paragraph("Further words follow the table and belong to no cell of it. ".repeat(4), 72, 420, 468);

const read = async (texts: readonly MadeText[], rules: readonly MadeRule[]) =>
  (await readPdf(madePdf([{ texts: [...INTRO, ...texts, ...END], rules }]), "https://example.com/a.pdf")).markdown;

/** Returns a row whose first cell begins at the left end of the table, and whose others end at these places. */
const row = (y: number, ends: readonly number[], texts: readonly string[]): MadeText[] =>
  texts.map((text, at) => ({ text, y, x: at === 0 ? 76 : (ends[at] ?? 0) - widthOf(text) }));

const centred = (y: number, middle: number, text: string): MadeText => ({ text, y, x: middle - widthOf(text) / 2 });

const ENDS = [0, 240, 310, 380, 450];
const BODY = [
  ...row(231, ENDS, ["Boat", "kg", "EUR", "kg", "EUR"]),
  ...row(251, ENDS, ["Aurora", "1,250.5", "340", "980.0", "290"]),
  ...row(265, ENDS, ["Brigid", "845.2", "215", "610.7", "178"]),
  ...row(279, ENDS, ["Cormorant", "2,004.0", "590", "1,733.1", "501"]),
];
const FRAME: MadeRule[] = [[72, 200, 480, 200], [72, 237, 480, 237], [72, 286, 480, 286]]; // prettier-ignore
const HEADED = `| Boat | kg | EUR | kg | EUR |
| Aurora | 1,250.5 | 340 | 980.0 | 290 |`;

describe("headings over several columns of numbers that end at the right", () => {
  test("stand over the columns that the lines drawn below them are along", async () => {
    const ends = [0, 210, 270, 330, 390, 450];
    const markdown = await read(
      [
        { text: "Summer", x: 186, y: 213 },
        { text: "Winter", x: 306, y: 213 },
        ...row(231, ends, ["Boat", "kg", "EUR", "kg", "EUR", "days"]),
        ...row(251, ends, ["Aurora", "1,250", "340", "980", "290", "12"]),
        ...row(265, ends, ["Brigid", "845", "215", "610", "178", "7"]),
        ...row(279, ends, ["Cormorant", "2,004", "590", "1,733", "501", "31"]),
      ],
      [...FRAME, [184, 218, 272, 218], [304, 218, 452, 218]],
    );
    expect(markdown).toContain("| Summer | Summer | Winter | Winter | Winter |");
    expect(markdown).toContain("| Boat | kg | EUR | kg | EUR | days |\n| Aurora | 1,250 | 340 | 980 | 290 | 12 |");
  });

  test.each([
    ["with lines around the head", FRAME],
    ["without lines", []],
  ])("stand over groups of as many columns each, %s", async (_, rules) => {
    const texts = [centred(215, 255, "Summer"), centred(215, 395, "Winter"), ...BODY];
    const markdown = await read(texts, rules);
    expect(markdown).toContain("| Summer | Summer | Winter | Winter |");
    expect(markdown.replace("| --- | --- | --- | --- | --- |\n", "")).toContain(HEADED);
  });

  test("stand over groups of three, wider than the names of the columns in their middle", async () => {
    const ends = [0, 185, 230, 275, 325, 370, 415, 470];
    const markdown = await read(
      [
        centred(215, 220, "Summer"),
        centred(215, 361, "Winter"),
        ...row(231, ends, ["Boat", "kg", "EUR", "n", "kg", "EUR", "n", "All"]),
        ...row(251, ends, ["Aurora", "1.5", "3.4", "9", "2.9", "5.5", "1", "77"]),
        ...row(265, ends, ["Brigid", "84.2", "2.1", "6", "1.7", "8.1", "2", "88"]),
        ...row(279, ends, ["Cormorant", "20.4", "5.9", "1", "5.1", "3.3", "6", "99"]),
      ],
      FRAME,
    );
    expect(markdown).toContain("| Summer | Summer | Summer | Winter | Winter | Winter |");
    expect(markdown).toContain("| Boat | kg | EUR | n | kg | EUR | n | All |");
  });

  test("are of one column where they stand in its middle", async () => {
    const texts = [centred(215, 222, "Net"), centred(215, 362, "Net"), ...BODY];
    expect(await read(texts, [...FRAME, [72, 220, 480, 220]])).toMatch(/^\|[^|]*\| Net \|  \| Net \|  \|$/mu);
  });
});
