import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadeText, madePdf, paragraph } from "./made-pdf.ts";

const INTRO = paragraph("The harbour office counts what the boats land in each month. ".repeat(4), 72, 110, 468);
const END = paragraph("Further words follow the tables and belong to no cell of them. ".repeat(4), 72, 420, 468);

const read = async (texts: readonly MadeText[]): Promise<string> =>
  (await readPdf(madePdf([{ texts: [...INTRO, ...texts, ...END] }]), "https://example.com/a.pdf")).markdown;

/** Returns the cells of a table, its rows at a distance from each other and its columns at some places. */
const tableAt = (
  y: number,
  distance: number,
  places: readonly number[],
  rows: readonly (readonly string[])[],
): MadeText[] =>
  rows.flatMap((row, at) => row.map((text, column) => ({ text, x: places[column] ?? 0, y: y + at * distance })));

const BOATS = [
  ["Boat", "Length"],
  ["Storm", "12.5"],
  ["Gull", "9.8"],
  ["Anna", "14.2"],
];
const CREWS = [
  ["Name", "Rank"],
  ["Ines Olsen", "Master"],
  ["Jon Berg", "Mate"],
  ["Kari Lund", "Cook"],
];
const pipes = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((row) => `| ${row.join(" | ")} |`)
    .toSpliced(1, 0, `|${" --- |".repeat(rows[0]?.length ?? 0)}`)
    .join("\n");

describe("tables without drawn lines beside one another", () => {
  test.each([
    ["whose rows are at other heights", 215, 21],
    ["of which one begins lower", 225, 16],
    ["whose rows meet here and there", 215, 24],
  ])("are two tables, %s", async (_, y, distance) => {
    const markdown = await read([...tableAt(215, 16, [76, 140], BOATS), ...tableAt(y, distance, [330, 420], CREWS)]);
    expect(markdown).toContain(`${pipes(BOATS)}\n\n${pipes(CREWS)}\n\nFurther words`);
  });

  test("are two tables when their heads are equal", async () => {
    const others = [
      ["Boat", "Length"],
      ["Bee", "7.1"],
      ["Fulmar", "8.8"],
      ["Tern", "6.3"],
    ];
    const markdown = await read([...tableAt(215, 16, [76, 140], BOATS), ...tableAt(215, 16, [330, 394], others)]);
    expect(markdown).toContain(`${pipes(BOATS)}\n\n${pipes(others)}`);
  });

  test("are two tables when one is longer, and the gutter is wide", async () => {
    const longer = [...CREWS, ["Liv Dahl", "Hand"], ["Per Moe", "Hand"], ["Tor Vik", "Boy"]];
    const markdown = await read([...tableAt(215, 16, [76, 140], BOATS), ...tableAt(215, 16, [330, 420], longer)]);
    expect(markdown).toContain(`${pipes(BOATS)}\n\n${pipes(longer)}`);
  });

  test("are three tables where three are beside one another", async () => {
    const others = [
      ["Quay", "Depth"],
      ["North", "4.5"],
      ["South", "6.5"],
      ["East", "3.1"],
    ];
    const markdown = await read([
      ...tableAt(215, 16, [76, 120], BOATS),
      ...tableAt(220, 19, [230, 300], CREWS),
      ...tableAt(217, 23, [430, 480], others),
    ]);
    expect(markdown).toContain([BOATS, CREWS, others].map(pipes).join("\n\n"));
  });
});

describe("one table stays one", () => {
  const FOUR = [76, 160, 330, 420];
  const wide = [
    ["Boat", "Home", "Catch", "Price"],
    ["Storm", "Leith", "cod", "12.5"],
    ["Gull", "Hull", "ling", "9.8"],
    ["Anna", "Wick", "hake", "14.2"],
  ];

  test("with a wide gap in the middle", async () => {
    expect(await read(tableAt(215, 16, FOUR, wide))).toContain(pipes(wide));
  });

  test("with numbers of some rows at the right alone", async () => {
    const sparse = [
      ["Item", "Note", "2023", "2024"],
      ["Cod", "a", "10.5", "11.5"],
      ["Ling", "b", "9.1", "8.2"],
      ["Hake", "c", "7.7", "7.9"],
      ["Nets", "d"],
      ["Fuel", "e"],
    ];
    expect(await read(tableAt(215, 16, FOUR, sparse))).toContain(
      pipes(sparse.map((row) => [...row, "", ""].slice(0, 4))),
    );
  });

  test("with cells of two lines at the right", async () => {
    const lines = wide
      .slice(1)
      .flatMap(([boat = "", home = "", fish = "", price = ""], at) => [
        ...tableAt(235 + at * 30, 12, FOUR, [[boat, home, `${fish} from`, price]]),
        { text: "the banks", x: 330, y: 247 + at * 30 },
      ]);
    const markdown = await read([...tableAt(215, 16, FOUR, wide.slice(0, 1)), ...lines]);
    expect(markdown).toContain("| Storm | Leith | cod from the banks | 12.5 |");
  });
});
