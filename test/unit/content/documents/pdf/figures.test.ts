import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { withDescriptions } from "../../../../../src/content/documents/describe-figures.ts";
import { picturePdf, type PdfPicture } from "../../../../site/picture-pdf.ts";
import { type MadePage, madePdf, paragraph } from "./made-pdf.ts";

const URL_OF_FILE = "https://example.com/a.pdf";
const PICTURE: PdfPicture = { bytes: new Uint8Array(100), filter: "DCTDecode", width: 900, height: 450 };
const PROSE = "The orchard bore more in that year than in the ten before it, and nobody knew why it did. ";

const drawn = (content: string) => ({ picture: PICTURE, content });
const figuresOf = async (bytes: Uint8Array) => (await readPdf(bytes, URL_OF_FILE, { figures: true })).figures;
const read = async (page: MadePage): Promise<string> => (await readPdf(madePdf([page]), URL_OF_FILE)).markdown;

describe("figures", () => {
  test("are listed with their page, box and size", async () => {
    const pdf = picturePdf([{}, drawn("q 200 0 0 100 50 600 cm /Im Do Q q 100 0 0 50 300 100 cm /Im Do Q")]);
    expect(await figuresOf(pdf)).toEqual([
      { pageNumber: 2, bbox: [50, 142, 250, 242], width: 900, height: 450, rotation: 0 },
      { pageNumber: 2, bbox: [300, 692, 400, 742], width: 900, height: 450, rotation: 0 },
    ]);
    expect((await readPdf(pdf, URL_OF_FILE)).figures).toBeUndefined();
  });

  test("are joined from strips and from the same place; bullets and backgrounds are none", async () => {
    const strips = "q 200 0 0 50 50 650 cm /Im Do Q q 200 0 0 50 50 600 cm /Im Do Q";
    const twice = "q 80 0 0 80 400 600 cm /Im Do Q q 80 0 0 80 400 600 cm /Im Do Q";
    const small = "q 8 0 0 8 40 40 cm /Im Do Q";
    const background = "q 595 0 0 842 0 0 cm /Im Do Q";
    const figures = await figuresOf(picturePdf([drawn([background, strips, twice, small].join(" "))]));
    expect(figures?.map(({ bbox, width, height }) => ({ bbox, width, height }))).toEqual([
      { bbox: [50, 142, 250, 242], width: 900, height: 900 },
      { bbox: [400, 162, 480, 242], width: 900, height: 450 },
    ]);
  });

  test("beyond the limits of a page and of a file are left out, and a warning says so", async () => {
    const shown = Array.from({ length: 501 }, (_, at) => {
      return `q 17 0 0 17 ${20 + (at % 25) * 22} ${800 - Math.floor(at / 25) * 22} cm /Im Do Q`;
    });
    const pages = [drawn(shown.join(" ")), ...Array.from({ length: 2 }, () => drawn(shown.slice(0, 300).join(" ")))];
    const { figures, warning } = await readPdf(picturePdf(pages), URL_OF_FILE, { figures: true });
    expect(figures?.length).toBe(1_000);
    expect(warning).toContain("Only 500 pictures were read of page 1.");
    expect(warning).toContain("Only the first 1000 of 1100 figures are listed.");
    expect((await readPdf(picturePdf(pages), URL_OF_FILE)).warning).not.toContain("figures");
  });

  test("have the descriptions of a model, and a warning names how many have none", async () => {
    const pdf = picturePdf([drawn("q 200 0 0 100 50 600 cm /Im Do Q"), drawn("q 200 0 0 100 50 600 cm /Im Do Q")]);
    const document = await readPdf(pdf, URL_OF_FILE, { figures: true });
    const described = await withDescriptions({ document }, pdf, ({ figures }) => {
      expect(figures.map(({ pageNumber, bbox, rotation }) => ({ pageNumber, bbox, rotation }))).toEqual([
        { pageNumber: 1, bbox: [50, 142, 250, 242], rotation: 0 },
        { pageNumber: 2, bbox: [50, 142, 250, 242], rotation: 0 },
      ]);
      return Promise.resolve({ texts: ["A pear.", undefined], reason: "The language model did not answer in time" });
    });
    expect(described.document.figures?.map(({ description }) => description)).toEqual(["A pear.", undefined]);
    expect(described.document.warning).toContain(
      "1 of 2 pictures were not described: The language model did not answer in time.",
    );
    expect(described.document.isPartial).toBe(true);
  });
});

describe("the labels of a figure", () => {
  const above = paragraph(`${PROSE.repeat(5)}The fruit that is`, 72, 100, 468);
  const below = paragraph(`the largest comes from the oldest trees. ${PROSE.repeat(5)}`, 72, 420, 468);
  const labels = [
    { text: "Leaf", x: 100, y: 220 },
    { text: "Stalk", x: 300, y: 220 },
    { text: "Core", x: 100, y: 260 },
    { text: "Seed", x: 300, y: 260 },
    { text: "Skin", x: 100, y: 300 },
    { text: "Flesh", x: 300, y: 300 },
  ];
  const caption = { text: "Figure 3. The parts of a pear.", x: 90, y: 372 };
  const texts = [...above, ...labels, caption, ...below];

  test("are no table, and cut no sentence", async () => {
    const markdown = await read({ texts, pictures: [[90, 200, 400, 355]] });
    expect(markdown).toContain("The fruit that is the largest comes from the oldest trees.");
    expect(markdown).not.toContain("|");
    for (const { text } of [...labels, caption]) expect(markdown).toContain(text);
  });

  test("are the cells of a table where there is no picture", async () => {
    expect(await read({ texts })).toContain("| Core | Seed |");
  });
});

test("text on a picture that is its background stays as it is", async () => {
  const texts = paragraph(PROSE.repeat(12), 100, 120, 400);
  expect(await read({ texts, pictures: [[80, 90, 520, 400]] })).toBe(PROSE.repeat(12).trim());
});
