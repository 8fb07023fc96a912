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
    ["the date and time of a browser's print", [{ text: "11/29/26, 10:11 AM", x: 24, y: 22, size: 8 }]],
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
    for (const { text } of texts) expect(markdown.normalize("NFKC")).toContain(text);
  });

  const large = { x: 72, y: 52, size: 24 };
  const columnOf = (...words: string[]): MadeText[] => words.map((text, at) => ({ text, x: 72, y: 690 + at * 18 }));
  test.each<[string, MadeText[]]>([
    ["the title of a curriculum vitae", [{ text: "CV", ...large }]],
    ["a title of Roman digits", [{ text: "Civil", ...large }]],
    ["a year as a title", [{ text: "2024", ...large }]],
    ["a word of Roman digits in the size of the text", [{ text: "Civil", x: 72, y: 50 }]],
    ["a list of numbers", columnOf("10000", "10007", "10273", "10280")],
    ["a sum", [{ text: "1250", x: 480, y: 690 }]],
    [
      "a sum with its label",
      [
        { text: "Total", x: 72, y: 730 },
        { text: "1250", x: 480, y: 730 },
      ],
    ],
    ["a letterhead", [{ text: "Acme GmbH · Hauptstr. 1 · 10115 Berlin · www.acme.de", x: 72, y: 40, size: 8 }]],
    ["the foot of a letter", [{ text: "IBAN DE02 1203 0000 0000 2020 51 · www.acme.de", x: 72, y: 765, size: 8 }]],
    ["a source", [{ text: "Source: U.S. Census Bureau, https://census.example/pears", x: 72, y: 745, size: 8 }]],
    [
      "the last entry of a bibliography",
      [
        { text: "Quince, A. et al (2011) Pears of the valley. doi:10.1000/1", x: 72, y: 700, size: 9 },
        { text: "Reed, B. et al (2012) Plums of the valley. doi:10.1000/2", x: 72, y: 722, size: 9 },
        { text: "Smith, J. et al (2013) Figs of the valley. doi:10.1000/3", x: 72, y: 744, size: 9 },
      ],
    ],
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

describe("numbers in the margins of several pages", () => {
  const pagesWith = async (numbers: string[]): Promise<string> => {
    const pages = numbers.map((text) => withText({ text, x: 300, y: 690 }));
    return (await readPdf(madePdf(pages), "https://example.com/a.pdf")).markdown;
  };

  test("are removed when they count the pages", async () => {
    expect(await pagesWith(["1417", "1418", "1419"])).not.toMatch(/14\d\d/);
    expect(await pagesWith(["xii", "xiii"])).not.toContain("xii");
  });

  test("are kept when they count nothing", async () => {
    const markdown = await pagesWith(["1250", "3480", "977"]);
    for (const sum of ["1250", "3480", "977"]) expect(markdown).toContain(sum);
  });
});

describe("lines in the margins of several pages that differ in a number", () => {
  const at = (text: string, x = 72, y = 60): MadeText => ({ text, x, y });
  const readPages = async (pages: MadePage[]): Promise<string> =>
    (await readPdf(madePdf(pages), "https://example.com/a.pdf")).markdown;

  test("are kept, as those of letters in one file", async () => {
    const markdown = await readPages(
      [1001, 1002, 1003, 1004].map((number, place) =>
        withText(at(`Invoice ${number}`), at(`Amount due ${37 * (place + 1)} EUR`, 72, 75)),
      ),
    );
    for (const text of ["Invoice 1001", "Invoice 1004", "due 37 EUR", "due 74 EUR", "due 148 EUR"])
      expect(markdown).toContain(text);
  });

  test.each<[string, (place: number) => MadeText[]]>([
    ["whose numbers are small", (place) => [at(`Invoice ${place + 41}`), at(`Amount due ${37 * place} EUR`, 72, 75)]],
    ["whose numbers are large", (place) => [at(`Invoice ${place + 1000}`)]],
    ["of seasons", (place) => [at(`Pears of the season ${2016 + place}–${17 + place}`)]],
    [
      "with numbers that run on by chance",
      (place) => [at(`Pears in the box ${[41, 42, 43, 7, 19, 5, 30, 8][place - 1]}`)],
    ],
    ["with two numbers that run on", (place) => [at(`Pears in the box ${[41, 42, 8, 9, 30, 31, 19, 20][place - 1]}`)]],
  ])("are kept, as those of letters %s", async (_, head) => {
    const places = [1, 2, 3, 4, 5, 6, 7, 8];
    const markdown = await readPages(places.map((place) => withText(...head(place))));
    for (const { text } of places.flatMap(head)) expect(markdown).toContain(text);
  });

  test("are kept when they are all that most pages have", async () => {
    const markdown = await readPages(["A-101", "A-102", "A-103", "A-104"].map((text) => ({ texts: [at(text)] })));
    expect(markdown).toBe("A-101\n\nA-102\n\nA-103\n\nA-104");
  });

  test.each<[string, (number: number) => MadeText[]]>([
    ["is that of the page in the file", (number) => [at(`Pears of the valley ${number}`)]],
    ["is called the number of a page", (number) => [at(`Pears of the valley, page ${number + 40} of 99`)]],
    ["a gap parts from the words", (number) => [at("Pears of the valley"), at(`${number + 216}`, 500)]],
    ["a sign parts from the words", (number) => [at(`${number + 216} | Pears of the valley`)]],
  ])("are removed when it %s", async (_, head) => {
    const markdown = await readPages([1, 2, 3, 4].map((number) => withText(...head(number))));
    expect(markdown.match(/Pears of the valley/g)?.length ?? 0).toBeLessThan(2);
  });

  const foot = (text: string): MadeText[] => [at(text, 72, 735)];
  test.each<[string, (number: number) => MadeText[]]>([
    ["a dash, at the top", (number) => [at(`Pears of the valley – ${number}`)]],
    ["a space, before them", (number) => [at(`${number} Pears of the valley`)]],
    ["a space, after them", (number) => [at(`Pears of the valley ${number}`)]],
    ["a hyphen", (number) => foot(`Pears of the valley - ${number}`)],
    ["brackets", (number) => foot(`Pears of the valley (${number})`)],
    ["a space, with the number of all", (number) => foot(`Pears of the valley ${number} / 99`)],
    ["a word and a letter", (number) => foot(`Pears of the valley Page F-${number}`)],
    ["a letter", (number) => foot(`Pears of the valley F-${number}`)],
    [
      "a space, on every second page",
      (number) => [at(number % 2 ? `${number} Pears of the valley` : `Plums ${number}`)],
    ],
    [
      "a space, beside a chapter",
      (number) => [at(`Chapter ${Math.ceil(number / 4)}`), ...foot(`Pears of the valley ${number}`)],
    ],
  ])("are removed when a page number with an offset is parted by %s", async (_, lines) => {
    const markdown = await readPages([1, 2, 3, 4, 5, 6].map((place) => withText(...lines(place + 40))));
    expect(markdown.match(/Pears of the valley/g)?.length ?? 0).toBeLessThan(2);
    expect(markdown.match(/five years before/g)).toHaveLength(24);
  });

  test("are removed when they are all that one page has", async () => {
    const head = (number: number): MadeText => at(`Pears of the valley ${number}`);
    const markdown = await readPages([withText(head(1)), withText(head(2)), { texts: [head(3)] }, withText(head(4))]);
    expect(markdown).not.toContain("valley 3");
  });
});
