import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { picturePdf, type PdfPicture } from "../../../../site/picture-pdf.ts";
import { madePdf } from "./made-pdf.ts";
import type { RecognisedPage } from "../../../../../src/core/ocr/recognised-page.ts";

const URL_OF_FILE = "https://example.com/file.pdf";

/** Bytes that no decoder has to read: images are not decoded. */
const scan = (filter: PdfPicture["filter"]): PdfPicture => ({
  bytes: new Uint8Array(100),
  filter,
  width: 2480,
  height: 3508,
});

/** A page as it was recognised, whose lines have one word of 12 points each. */
function recognised(pageNumber: number, texts: readonly string[], more: Partial<RecognisedPage> = {}): RecognisedPage {
  const lines = texts.map((text, at) => ({
    top: 90 + at * 15,
    bottom: 102 + at * 15,
    baseline: 100 + at * 15,
    size: 12,
    words: text.split(" ").map((word, index, words) => ({
      text: word,
      left: 72 + words.slice(0, index).join(" ").length * 6 + (index > 0 ? 6 : 0),
      right: 72 + words.slice(0, index + 1).join(" ").length * 6,
      confidence: 0.95,
    })),
  }));
  return { pageNumber, width: 595, height: 842, rotation: 0, isBlank: false, confidence: 0.95, lines, ...more };
}

describe("pages without words are named", () => {
  test.each(["DCTDecode", "JBIG2Decode", "JPXDecode"] as const)("a scan in %s", async (filter) => {
    const bytes = picturePdf([{ picture: scan(filter) }]);
    const { warning, wordlessPages } = await readPdf(bytes, URL_OF_FILE);
    expect(warning).toBe("The PDF has no text layer (it is made of scanned images).");
    expect(wordlessPages).toEqual([1]);
  });

  test("a scan that is the only thing its page draws, and one with nothing but its place", async () => {
    const pages = ["/Im Do", "595 0 0 842 0 0 cm /Im Do"].map((content) => ({
      content,
      picture: scan("JBIG2Decode"),
    }));
    const { warning, wordlessPages } = await readPdf(picturePdf(pages), URL_OF_FILE);
    expect(warning).toBe("The PDF has no text layer (it is made of scanned images).");
    expect(wordlessPages).toEqual([1, 2]);
  });

  test("blank pages beside scans, each by its number", async () => {
    const picture = scan("DCTDecode");
    const bytes = picturePdf([{ picture }, {}, { picture }, { picture }, {}]);
    const { warning, wordlessPages } = await readPdf(bytes, URL_OF_FILE);
    expect(warning).toBe("Pages 1, 3-4 of the PDF have no text layer. Pages 2, 5 of the PDF are blank.");
    expect(wordlessPages).toEqual([1, 3, 4]);
  });

  test("a page of numbers has words, a number that is stamped on a scan is none", async () => {
    const table = Array.from({ length: 12 }, (_, at) => ({ text: `${1000 + at}`, x: 72, y: 100 + at * 14 }));
    const stamp = { texts: [{ text: "17", x: 300, y: 760 }], pictures: [[0, 0, 612, 792]] as const };
    const { wordlessPages } = await readPdf(madePdf([{ texts: table }, stamp]), URL_OF_FILE);
    expect(wordlessPages).toEqual([2]);
  });

  test("a page with its number alone lacks no text, and one with frames and backgrounds alone is blank", async () => {
    const number = { text: "– 4 –", x: 300, y: 760 };
    const box = [[0, 0, 612, 792]] as const;
    const pages = [
      { texts: [{ text: "The orchard bore more.", x: 72, y: 100 }] },
      { texts: [number] },
      { texts: [number], boxes: box, rules: [[72, 60, 540, 60]] as const },
      { texts: [], boxes: box },
    ];
    const { warning, wordlessPages } = await readPdf(madePdf(pages), URL_OF_FILE);
    expect(warning).toBe("Page 4 of the PDF is blank.");
    expect(wordlessPages).toBeUndefined();
  });

  test("letters that are drawn as outlines are no blank page", async () => {
    const outline = "100 100 m 110 130 l 120 100 l f";
    const { wordlessPages } = await readPdf(picturePdf([{ content: outline }]), URL_OF_FILE);
    expect(wordlessPages).toEqual([1]);
  });
});

describe("recognised pages", () => {
  const bytes = picturePdf([
    { picture: scan("DCTDecode") },
    { picture: scan("DCTDecode") },
    { picture: scan("DCTDecode") },
  ]);

  test("are laid out like those with a text layer, and the others are named", async () => {
    const text = ["The harbour opens at six in the", "morning on all working days."];
    const pages = [recognised(1, text), recognised(2, [], { isBlank: true, confidence: 0 })];
    const { markdown, warning, wordlessPages } = await readPdf(bytes, URL_OF_FILE, { recognised: pages });
    expect(markdown).toBe("The harbour opens at six in the morning on all working days.");
    expect(wordlessPages).toEqual([3]);
    expect(warning).toBe(
      "Page 3 of the PDF has no text layer. Page 2 of the PDF shows a picture that is blank, or that could not be drawn.",
    );
  });

  test("larger lines are headings, and sizes that were measured a little differently are the same", async () => {
    const body = recognised(1, [
      "Tides of the bay",
      "The flood comes in at four and",
      "leaves before the night is over",
    ]);
    const [title, first, second] = body.lines;
    if (title === undefined || first === undefined || second === undefined) throw new Error("no lines");
    Object.assign(title, { size: 24, baseline: 70, top: 50, bottom: 74 });
    first.size = 11.4;
    second.size = 12.6;
    const { markdown } = await readPdf(bytes, URL_OF_FILE, { recognised: [body] });
    expect(markdown).toBe("# Tides of the bay\n\nThe flood comes in at four and leaves before the night is over");
  });

  test("an uncertain page, and one with a picture that shows no words, are named", async () => {
    const pages = [recognised(1, ["Hlo wrld"], { confidence: 0.41 }), recognised(2, []), recognised(3, ["Good words"])];
    const { warning } = await readPdf(bytes, URL_OF_FILE, { recognised: pages });
    expect(warning).toBe(
      "Page 2 of the PDF has no words. Page 1 of the PDF was recognised with low confidence; the text may be wrong.",
    );
  });
});
