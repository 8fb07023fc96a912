import { expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadeRule, type MadeText, madePdf, paragraph } from "./made-pdf.ts";

const read = async (texts: readonly MadeText[], rules: readonly MadeRule[]): Promise<string> => {
  const { markdown } = await readPdf(madePdf([{ texts, rules }]), "https://example.com/a.pdf");
  return markdown;
};

interface Drawn {
  texts: MadeText[];
  rules: MadeRule[];
}

/** A table of three columns in drawn lines, with its left upper corner and the height of its rows. */
function grid(name: string, rows: number, { x, y, height }: { x: number; y: number; height: number }): Drawn {
  const texts = Array.from({ length: rows * 3 }, (_, at): MadeText => {
    const [row, column] = [Math.floor(at / 3), at % 3];
    return { text: `${name}${row}${column}`, x: x + 8 + column * 70, y: y + row * height + 14 };
  });
  const across = Array.from({ length: rows + 1 }, (_, at): MadeRule => [x, y + at * height, x + 210, y + at * height]);
  const down = [0, 70, 140, 210].map((at): MadeRule => [x + at, y, x + at, y + rows * height]);
  return { texts, rules: [...across, ...down] };
}

const asMarkdown = (name: string, rows: number): string =>
  Array.from({ length: rows }, (_, row) => `| ${name}${row}0 | ${name}${row}1 | ${name}${row}2 |`)
    .join("\n")
    .replace("\n", "\n| --- | --- | --- |\n");

test("ruled tables beside one another are two, whose rows are at other heights", async () => {
  const [left, right] = [
    grid("left", 4, { x: 60, y: 120, height: 22 }),
    grid("right", 5, { x: 310, y: 120, height: 18 }),
  ];
  const below = paragraph("The tables above were drawn in one evening. ".repeat(4).trim(), 60, 260, 460);
  const markdown = await read([...left.texts, ...right.texts, ...below], [...left.rules, ...right.rules]);
  expect(markdown).toBe(
    `${asMarkdown("left", 4)}\n\n${asMarkdown("right", 5)}\n\n${"The tables above were drawn in one evening. ".repeat(4).trim()}`,
  );
});

test("lines of a page around a table are no table", async () => {
  const table = grid("cell", 6, { x: 60, y: 120, height: 22 });
  const below = paragraph("The table above was drawn in one evening. ".repeat(3).trim(), 60, 280, 460);
  const rules: MadeRule[] = [60, 330].map((y) => [56, y, 550, y]);
  const markdown = await read([...table.texts, ...below], [...table.rules, ...rules]);
  expect(markdown).toBe(`${asMarkdown("cell", 6)}\n\n${"The table above was drawn in one evening. ".repeat(3).trim()}`);
});
