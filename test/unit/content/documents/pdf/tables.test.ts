import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadePage, type MadeRule, type MadeText, madePdf, paragraph } from "./made-pdf.ts";

const URL_OF_FILE = "https://example.com/a.pdf";
const INTRO = paragraph(
  "The table below tells what the orchard bore in the years of the report. ".repeat(3),
  72,
  110,
  468,
);

const read = async (...pages: MadePage[]): Promise<string> => (await readPdf(madePdf(pages), URL_OF_FILE)).markdown;

const row = (y: number, cells: readonly [x: number, text: string][]): MadeText[] =>
  cells.map(([x, text]) => ({ text, x, y }));
const across = (...heights: number[]): MadeRule[] => heights.map((y): MadeRule => [72, y, 540, y]);
const down = (top: number, bottom: number, ...places: number[]): MadeRule[] =>
  places.map((x): MadeRule => [x, top, x, bottom]);

describe("tables with drawn lines", () => {
  test("cells of several lines in a grid", async () => {
    const texts = [
      ...row(215, [
        [76, "Fruit"],
        [220, "Remark"],
        [400, "Yield"],
      ]),
      ...row(235, [
        [76, "Apples of the"],
        [220, "picked in August by"],
        [400, "3.4 t"],
      ]),
      ...row(247, [
        [76, "upper row"],
        [220, "the neighbours"],
      ]),
      ...row(267, [
        [76, "Pears"],
        [220, "none"],
        [400, "1,200 kg"],
      ]),
    ];
    const rules = [...across(200, 220, 252, 272), ...down(200, 272, 72, 210, 390, 540)];
    expect(await read({ texts: [...INTRO, ...texts], rules })).toContain(`| Fruit | Remark | Yield |
| --- | --- | --- |
| Apples of the upper row | picked in August by the neighbours | 3.4 t |
| Pears | none | 1,200 kg |`);
  });

  test("a heading over several columns, without vertical lines", async () => {
    const texts = [
      ...row(215, [[250, "Yield in tonnes"]]),
      ...row(232, [
        [76, "Fruit"],
        [220, "2020"],
        [320, "2021"],
        [450, "Grower"],
      ]),
      ...row(250, [
        [76, "Apples"],
        [220, "3.4"],
        [320, "3.9"],
        [450, "Ada"],
      ]),
      ...row(266, [
        [76, "Pears"],
        [220, "1.2"],
        [320, "1.4"],
        [450, "Bo"],
      ]),
      ...row(282, [
        [76, "Quinces"],
        [220, "0.2"],
        [320, "0.1"],
        [450, "Cy"],
      ]),
    ];
    const page = { texts: [...INTRO, ...texts], rules: across(203, 237, 288) };
    expect(await read(page)).toContain(`|  | Yield in tonnes | Yield in tonnes |  |
| --- | --- | --- | --- |
| Fruit | 2020 | 2021 | Grower |
| Apples | 3.4 | 3.9 | Ada |`);
    const { markdown, html } = await readPdf(madePdf([page]), URL_OF_FILE, { tables: "html" });
    const head = '<table><thead><tr><th></th><th colspan="2">Yield in tonnes</th><th></th></tr></thead><tbody>';
    expect(markdown).toContain(`\n\n${head}<tr><td>Fruit</td><td>2020</td><td>2021</td><td>Grower</td></tr>`);
    expect(markdown).not.toMatch(/\||\uE0FF/u);
    expect(html).toContain(head);
  });

  test("values in the middle of a name of three lines", async () => {
    const texts = [
      ...row(215, [
        [76, "Fruit"],
        [220, "2020"],
        [320, "2021"],
      ]),
      ...row(240, [
        [76, "Apples"],
        [220, "3.4"],
        [320, "3.9"],
      ]),
      ...row(260, [[76, "Pears"]]),
      ...row(267, [
        [220, "1.2"],
        [320, "1.4"],
      ]),
      ...row(274, [[76, "of the lower row"]]),
      ...row(294, [
        [76, "Quinces"],
        [220, "0.2"],
        [320, "0.1"],
      ]),
      ...row(314, [
        [76, "Medlars"],
        [220, "0.3"],
        [320, "0.4"],
      ]),
    ];
    expect(await read({ texts: [...INTRO, ...texts], rules: across(203, 222, 320) })).toContain(`| Fruit | 2020 | 2021 |
| --- | --- | --- |
| Apples | 3.4 | 3.9 |
| Pears of the lower row | 1.2 | 1.4 |
| Quinces | 0.2 | 0.1 |
| Medlars | 0.3 | 0.4 |`);
  });

  test("a table over the end of a page", async () => {
    const cells = (name: string, at: number): [number, string][] => [
      [76, `${name} ${at}`],
      [220, `${at}.5`],
      [320, "ripe"],
    ];
    const rows = (name: string, top: number): MadeText[] => [
      ...row(top, [
        [76, "Fruit"],
        [220, "Yield"],
        [320, "State"],
      ]),
      ...[1, 2, 3, 4].flatMap((at) => row(top + at * 16, cells(name, at))),
    ];
    const markdown = await read(
      {
        texts: [...paragraph("Words of the report. ".repeat(100), 72, 110, 468), ...rows("Apple", 590)],
        rules: across(580, 594, 660),
      },
      {
        texts: [...rows("Pear", 140), ...paragraph("Further words of the report. ".repeat(20), 72, 240, 468)],
        rules: across(130, 144, 210),
      },
    );
    expect(markdown.match(/^\| ---/gm)).toHaveLength(1);
    expect(markdown).toContain("| Apple 4 | 4.5 | ripe |\n| Pear 1 | 1.5 | ripe |");
    expect(markdown.match(/\| Fruit \|/g)).toHaveLength(1);
  });

  test("a frame around prose is no table", async () => {
    const note = paragraph(
      "A note in a frame tells the reader what to do with the fruit after it was picked. ".repeat(3),
      80,
      240,
      450,
    );
    const rules = [...across(225, 290), ...down(225, 290, 72, 540)];
    const markdown = await read({ texts: [...INTRO, ...note], rules });
    expect(markdown).toContain("A note in a frame tells the reader");
    expect(markdown).not.toContain("|");
  });
});

test("a table at the top of a page keeps its first row", async () => {
  const texts = [
    ...row(60, [
      [76, "Fruit"],
      [220, "2020"],
      [320, "2021"],
    ]),
    ...row(80, [
      [76, "Apples"],
      [220, "3.4"],
      [320, "3.9"],
    ]),
    ...row(96, [
      [76, "Pears"],
      [220, "1.2"],
      [320, "1.4"],
    ]),
  ];
  const markdown = await read({
    texts: [...texts, ...paragraph("Words of the report. ".repeat(30), 72, 150, 468)],
    rules: across(48, 66, 104),
  });
  expect(markdown).toContain("| Fruit | 2020 | 2021 |\n| --- | --- | --- |\n| Apples | 3.4 | 3.9 |");
});
