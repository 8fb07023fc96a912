import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadePage, type MadeRule, type MadeText, madePdf, paragraph, widthOf } from "./made-pdf.ts";

const URL_OF_FILE = "https://example.com/a.pdf";
const INTRO = paragraph("The harbour office counts what the boats land in each month. ".repeat(4), 72, 110, 468);
const END = paragraph("Further words follow the table and belong to no cell of it. ".repeat(4), 72, 420, 468);

const read = async (texts: readonly MadeText[], rules: readonly MadeRule[] = [], others: MadePage[] = []) =>
  (await readPdf(madePdf([{ texts: [...INTRO, ...texts, ...END], rules }, ...others]), URL_OF_FILE)).markdown;

/** Returns the cells of rows, at the left ends of their columns; a number ends at the right end of its column instead. */
function cells(
  y: number,
  columns: readonly (readonly [left: number, right: number])[],
  texts: readonly string[],
): MadeText[] {
  return texts.flatMap((text, at) => {
    const [left, right] = columns[at] ?? [0, 0];
    if (text === "") return [];
    return [{ text, y, x: /^[\d.,]+$/.test(text) ? right - widthOf(text) : left }];
  });
}

const FOUR = [
  [76, 190],
  [200, 260],
  [290, 350],
  [380, 440],
] as const;

describe("tables without drawn lines", () => {
  test("numbers at the right ends of their columns, and an empty cell", async () => {
    const markdown = await read([
      ...cells(215, FOUR, ["Boat", "May", "June", "July"]),
      ...cells(231, FOUR, ["Storm", "1.5", "12", "1,040"]),
      ...cells(247, FOUR, ["Gull of Leith", "22", "", "8"]),
      ...cells(263, FOUR, ["Anna", "104.25", "3", "19.5"]),
    ]);
    expect(markdown).toContain(`| Boat | May | June | July |
| --- | --- | --- | --- |
| Storm | 1.5 | 12 | 1,040 |
| Gull of Leith | 22 |  | 8 |
| Anna | 104.25 | 3 | 19.5 |`);
  });

  test("cells of several lines, which are closer than rows", async () => {
    const markdown = await read([
      ...cells(215, FOUR, ["Boat", "State", "June", "July"]),
      ...cells(235, FOUR, ["Storm of the northern", "in repair", "12", "40"]),
      ...cells(247, FOUR, ["islands", "at the yard"]),
      ...cells(267, FOUR, ["Gull", "at sea", "7", "8"]),
      ...cells(287, FOUR, ["Anna, which was sold", "on loan", "3", "9"]),
      ...cells(299, FOUR, ["in the spring of last"]),
      ...cells(311, FOUR, ["year"]),
      ...cells(331, FOUR, ["Bee", "at sea", "5", "6"]),
    ]);
    expect(markdown).toContain(`| Storm of the northern islands | in repair at the yard | 12 | 40 |
| Gull | at sea | 7 | 8 |
| Anna, which was sold in the spring of last year | on loan | 3 | 9 |
| Bee | at sea | 5 | 6 |`);
  });

  test("values in the middle of cells of several lines", async () => {
    const markdown = await read([
      ...cells(215, FOUR, ["Boat", "Landed", "June", "July"]),
      ...cells(235, FOUR, ["Storm of the northern"]),
      ...cells(241, FOUR, ["", "110", "12", "40"]),
      ...cells(247, FOUR, ["islands"]),
      ...cells(267, FOUR, ["Gull", "20", "7", "8"]),
      ...cells(287, FOUR, ["Anna, which was sold"]),
      ...cells(299, FOUR, ["in the spring of last", "30", "3", "9"]),
      ...cells(311, FOUR, ["year"]),
    ]);
    expect(markdown).toContain(`| Storm of the northern islands | 110 | 12 | 40 |
| Gull | 20 | 7 | 8 |
| Anna, which was sold in the spring of last year | 30 | 3 | 9 |`);
  });

  test("rows of numbers in groups stay rows", async () => {
    const markdown = await read(
      [215, 227, 239, 260, 272, 284].flatMap((y, at) => cells(y, FOUR, [`Boat ${at}`, `${at}1`, `${at}2`, `${at}3`])),
    );
    expect(markdown.match(/^\| Boat \d \| \d1 \| \d2 \| \d3 \|$/gm)).toHaveLength(6);
  });

  test("a heading over two columns is in both, and the name beside it in both rows of the head", async () => {
    const markdown = await read([
      ...cells(215, FOUR, ["Boat"]),
      { text: "Landed in tonnes", x: 252, y: 215 },
      { text: "Crew", x: 420, y: 215 },
      { text: "May", x: 245, y: 231 },
      { text: "June", x: 330, y: 231 },
      ...cells(247, FOUR, ["Storm", "1.5", "12", "4"]),
      ...cells(263, FOUR, ["Gull", "22", "7", "2"]),
      ...cells(279, FOUR, ["Anna", "104.25", "3", "3"]),
    ]);
    expect(markdown).toContain(`| Boat | Landed in tonnes | Landed in tonnes | Crew |
| --- | --- | --- | --- |
| Boat | May | June | Crew |
| Storm | 1.5 | 12 | 4 |`);
  });
});

describe("tables in drawn lines", () => {
  const EDGES = [72, 195, 265, 355, 445];
  const across = (y: number, from = 0, to = 4): MadeRule => [EDGES[from] ?? 0, y, EDGES[to] ?? 0, y];
  const down = (top: number, bottom: number, ...places: number[]): MadeRule[] =>
    places.map((at): MadeRule => [EDGES[at] ?? 0, top, EDGES[at] ?? 0, bottom]);

  test("the text of a box over many rows is not repeated without bounds", async () => {
    const [top, bottom] = [212, 372];
    const rows = Array.from({ length: 20 }, (_, at) => top + 8 * (at + 1));
    const long = "word ".repeat(300).trim();
    const markdown = await read(
      [
        ...rows.flatMap((y, at) => [1, 2, 3].map((column): MadeText => ({ text: `${at}${column}`, x: (EDGES[column] ?? 0) + 4, y: y - 2, size: 5 }))),
        { text: long, x: (EDGES[0] ?? 0) + 4, y: (rows[10] ?? 0) - 2, size: 0.14 },
      ],
      [
        across(top),
        ...rows.slice(0, -1).map((y) => across(y, 1)),
        across(bottom),
        ...down(top, bottom, 0, 1, 2, 3, 4),
      ],
    ); // prettier-ignore
    expect(markdown).toContain("| 01 | 02 | 03 |");
    expect(markdown.match(new RegExp(long, "g"))).toHaveLength(1);
  });

  test("boxes over several rows and columns", async () => {
    const texts = [
      ...cells(224, FOUR, ["Boat"]),
      { text: "Landed in tonnes", x: 230, y: 216 },
      ...cells(218, FOUR, ["", "", "", "Crew"]),
      ...cells(232, FOUR, ["", "May", "June"]),
      ...cells(230, FOUR, ["", "", "", "(heads)"]),
      ...cells(248, FOUR, ["", "1.5", "12", "4"]),
      ...cells(256, FOUR, ["Storm"]),
      ...cells(264, FOUR, ["", "22", "7", "2"]),
      ...cells(280, FOUR, ["Anna", "104.25", "3", "3"]),
    ];
    const rules = [
      across(204), across(220, 1, 3), across(236), across(252, 1, 4), across(268), across(284),
      ...down(204, 284, 0, 1, 3, 4), ...down(220, 284, 2),
    ]; // prettier-ignore
    expect(await read(texts, rules)).toContain(`| Boat | Landed in tonnes | Landed in tonnes | Crew (heads) |
| --- | --- | --- | --- |
| Boat | May | June | Crew (heads) |
| Storm | 1.5 | 12 | 4 |
| Storm | 22 | 7 | 2 |
| Anna | 104.25 | 3 | 3 |`);
    const pdf = madePdf([{ texts: [...INTRO, ...texts, ...END], rules }]);
    const { markdown } = await readPdf(pdf, URL_OF_FILE, { tables: "html" });
    expect(markdown).toContain(
      '<table><thead><tr><th rowspan="2">Boat</th><th colspan="2">Landed in tonnes</th><th rowspan="2">Crew (heads)</th></tr><tr><th>May</th><th>June</th></tr></thead>',
    );
    expect(markdown).toContain('<tr><td rowspan="2">Storm</td><td>1.5</td><td>12</td><td>4</td></tr><tr><td>22</td>');
  });

  test("a box of two lines whose name is set between them keeps the lines apart", async () => {
    const row = (y: number, name: string, at: number): MadeText[] => [
      ...cells(y, FOUR, ["", "May", `${at}1`, `${at}2`]),
      ...cells(y + 6, FOUR, [name]),
      ...cells(y + 12, FOUR, ["", "June", `${at}3`, `${at}4`]),
    ];
    const texts = [
      ...cells(215, FOUR, ["Boat", "Month", "Cod", "Ling"]),
      ...row(231, "Storm", 1),
      ...row(257, "Gull", 2),
      ...row(283, "Anna", 3),
    ];
    const rules = [204, 220, 246, 272, 298].map((y) => across(y));
    expect(await read(texts, [...rules, ...down(204, 298, 0, 1, 2, 3, 4)])).toContain(`| Boat | Month | Cod | Ling |
| --- | --- | --- | --- |
| Storm | May<br>June | 11<br>13 | 12<br>14 |
| Gull | May<br>June | 21<br>23 | 22<br>24 |`);
  });

  test("one line beside the names, and columns without lines", async () => {
    const texts = [
      ...cells(215, FOUR, ["Boat", "May", "June", "July"]),
      ...cells(231, FOUR, ["Storm", "1.5", "12", "40"]),
      ...cells(247, FOUR, ["Gull", "22", "7", "8"]),
    ];
    const rules = [across(204), across(220), across(252), ...down(204, 252, 1)];
    expect(await read(texts, rules)).toContain(`| Boat | May | June | July |
| --- | --- | --- | --- |
| Storm | 1.5 | 12 | 40 |
| Gull | 22 | 7 | 8 |`);
  });

  test("lines below the rows alone: the head and the last row have none at their outer side", async () => {
    const texts = ["Boat", "Storm", "Gull", "Anna", "Bee"].flatMap((name, at) =>
      cells(215 + at * 18, FOUR, [name, ...(at === 0 ? ["May", "June", "July"] : ["5", "6", "7"])]),
    );
    expect(
      await read(
        texts,
        [221, 239, 257].map((y) => across(y)),
      ),
    ).toContain(`| Boat | May | June | July |
| --- | --- | --- | --- |
| Storm | 5 | 6 | 7 |
| Gull | 5 | 6 | 7 |
| Anna | 5 | 6 | 7 |
| Bee | 5 | 6 | 7 |`);
  });

  test("two tables beside one another, one read after the other", async () => {
    const two = (left: number): (readonly [number, number])[] => [
      [left, left + 60],
      [left + 90, left + 140],
    ];
    const table = (left: number, names: readonly string[]): MadeText[] =>
      names.flatMap((name, at) => cells(215 + at * 16, two(left), [name, at === 0 ? "Tonnes" : `${at}.5`]));
    const frame = (left: number): MadeRule[] => [204, 220, 284].map((y): MadeRule => [left - 4, y, left + 146, y]);
    const texts = [
      ...table(76, ["Boat", "Storm", "Gull", "Anna", "Bee"]),
      ...table(300, ["Port", "Leith", "Wick", "Oban", "Ayr"]),
    ];
    const markdown = await read(texts, [...frame(76), ...frame(300)]);
    expect(markdown).toContain("| Boat | Tonnes |\n| --- | --- |\n| Storm | 1.5 |");
    expect(markdown).toContain("| Port | Tonnes |\n| --- | --- |\n| Leith | 1.5 |");
    expect(markdown.indexOf("| Bee |")).toBeLessThan(markdown.indexOf("| Port |"));
  });

  test("long text in the cells of two columns is no second column of the page", async () => {
    const columns = [
      [76, 290],
      [310, 530],
    ] as const;
    const long = ["what the boat landed over the whole month", "where she lay and what the weather was"];
    const texts = [
      ...cells(215, columns, ["Landed", "Remarks"]),
      ...[1, 2, 3, 4, 5].flatMap((at) =>
        cells(
          215 + at * 14,
          columns,
          long.map((text) => `${at}: ${text}`),
        ),
      ),
    ];
    const rules = [204, 219, 290].map((y): MadeRule => [72, y, 540, y]);
    expect((await read(texts, rules)).match(/^\| \d: what the boat .* \| \d: where she lay .* \|$/gm)).toHaveLength(5);
  });
});

describe("text that is no table", () => {
  const PROSE = "The boats left the harbour before dawn and came back when the tide had turned again. ".repeat(9);

  test.each([2, 3])("%i columns of text between two lines of the page", async (count) => {
    const width = (468 - (count - 1) * 18) / count;
    const columns = Array.from({ length: count }, (_, at) => paragraph(PROSE, 72 + at * (width + 18), 120, width));
    const rules: MadeRule[] = [100, 700].map((y) => [72, y, 540, y]);
    const { markdown } = await readPdf(madePdf([{ texts: columns.flat(), rules }]), URL_OF_FILE);
    expect(markdown).not.toContain("|");
    expect(markdown.match(/came back when the tide had turned again/g)).toHaveLength(9 * count);
  });

  test("words that are spread over a narrow column", async () => {
    const lines = [
      ["method", "silver", "garden"],
      ["annual", "import", "winter"],
      ["energy", "method.", "Orchard"],
      ["bridge.", "Copper", "silver"],
      ["apple", "carrier", "river"],
      ["export", "forest", "market"],
    ];
    const texts = lines.flatMap((words, at) => {
      const space = (180 - words.reduce((sum, word) => sum + widthOf(word), 0)) / (words.length - 1);
      let x = 72;
      return words.map((text): MadeText => {
        const placed = { text, x, y: 250 + at * 12 };
        x += widthOf(text) + space;
        return placed;
      });
    });
    const { markdown } = await readPdf(madePdf([{ texts }]), URL_OF_FILE);
    expect(markdown).not.toContain("|");
    expect(markdown).toContain("method silver garden annual import winter");
  });
});

test("columns of cells in the middle of their rows are where the lines below the rows are drawn cell by cell", async () => {
  const places: readonly (readonly [left: number, right: number])[] = [
    [76, 130],
    [130, 190],
    [190, 330],
  ];
  const rules = [202, 270, 338].flatMap((y) => places.map(([left, right]): MadeRule => [left, y, right, y]));
  const markdown = await read(
    [
      ...cells(196, places, ["Name", "Task", "Remarks"]),
      ...paragraph("Counts the boats and keeps the lists of all their landings in the year, by months", 190, 213, 100),
      ...paragraph("Anna of Leith", 76, 231, 40),
      ...paragraph("Head of office", 130, 231, 50),
      ...paragraph("Brings the ships in at each time of the day, with the help of others on board", 190, 281, 100),
      ...paragraph("Gull of Troon", 76, 299, 40),
      { text: "Pilot", x: 130, y: 305 },
    ],
    rules,
  );
  expect(markdown).toContain(`| Name | Task | Remarks |
| --- | --- | --- |
| Anna of Leith | Head of office | Counts the boats and keeps the lists of all their landings in the year, by months |
| Gull of Troon | Pilot | Brings the ships in at each time of the day, with the help of others on board |`);
});
