import { expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadePage, madePdf, paragraph } from "./made-pdf.ts";

const SENTENCE = "The table tells what the orchard bore in the years of the report. ";

const read = async (...pages: MadePage[]): Promise<string> =>
  (await readPdf(madePdf(pages), "https://example.com/a.pdf")).markdown;

test("a sentence goes on after the notes at the foot of its page", async () => {
  const first = [
    ...paragraph(`${SENTENCE.repeat(10)}It goes on to the`, 72, 200, 468),
    { text: "A note on the orchard, which stands below the text.", x: 72, y: 700, size: 8 },
  ];
  const markdown = await read({ texts: first }, { texts: paragraph(`next page. ${SENTENCE.repeat(8)}`, 72, 200, 468) });
  expect(markdown).toContain("It goes on to the next page.");
  expect(markdown).toContain("A note on the orchard, which stands below the text.");
});

test("centred lines in capitals are headings, captions are none", async () => {
  const texts = [
    ...paragraph(SENTENCE.repeat(6), 72, 150, 468),
    { text: "II. RESULTS OF THE YEAR", x: 248, y: 240 },
    ...paragraph(SENTENCE.repeat(6), 72, 258, 468),
    { text: "TABLE IV", x: 286, y: 340 },
    ...paragraph(SENTENCE.repeat(6), 72, 358, 468),
  ];
  const markdown = await read({ texts });
  expect(markdown).toMatch(/^#+ II. RESULTS OF THE YEAR$/mu);
  expect(markdown).not.toMatch(/^#+ TABLE/mu);
});

test("a bold title above smaller text is a heading", async () => {
  const texts = [
    { text: "Abstract", x: 286, y: 120, size: 9, font: "bold" as const },
    ...paragraph(SENTENCE.repeat(3), 100, 134, 400, { size: 9 }),
    ...paragraph(SENTENCE.repeat(20), 72, 220, 468),
  ];
  expect(await read({ texts })).toMatch(/^#+ Abstract$/mu);
});

test("a hyphen that stands apart at the end of a line divides a word, and a dash does not", async () => {
  const texts = [
    { text: "The sample was taken. We dried the sam -", x: 72, y: 150 },
    { text: "ple on the roof, which was warm in summer -", x: 72, y: 162 },
    { text: "and the summer was long.", x: 72, y: 174 },
  ];
  expect(await read({ texts })).toBe(
    "The sample was taken. We dried the sample on the roof, which was warm in summer - and the summer was long.",
  );
});

test("a large heading close to the other column is parted from its line", async () => {
  const left = paragraph(SENTENCE.repeat(30), 72, 150, 225);
  const at = left[20]?.y ?? 0;
  const right = paragraph(SENTENCE.repeat(30), 311, 150, 225).filter(({ y }) => Math.abs(y - at) > 20);
  const texts = [
    ...left.map((line) => (line.y === at ? { ...line, text: "x".repeat(45) } : line)),
    ...right,
    { text: "3 Valleys", x: 311, y: at, size: 14, font: "bold" as const },
  ];
  expect(await read({ texts })).toMatch(/^#+ 3 Valleys$/mu);
});

test("rows on painted backgrounds are rows of a table", async () => {
  const rows = [
    ["Fruit", "Remark"],
    ["Apples", "picked in August by the"],
    ["", "neighbours and their friends"],
    ["Pears", "none"],
  ];
  const places = [200, 220, 232, 252];
  const texts = rows.flatMap((cells, at) =>
    cells.flatMap((text, column) => (text === "" ? [] : [{ text, x: 76 + column * 150, y: places[at] ?? 0 }])),
  );
  const boxes = [[188, 206], [206, 238], [238, 258]].map(([top = 0, bottom = 0]) => [72, top, 540, bottom] as const); // prettier-ignore
  expect(await read({ texts: [...paragraph(SENTENCE.repeat(4), 72, 120, 468), ...texts], boxes })).toContain(
    `| Fruit | Remark |\n| --- | --- |\n| Apples | picked in August by the neighbours and their friends |\n| Pears | none |`,
  );
});
