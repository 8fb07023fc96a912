import { describe, expect, test } from "vitest";
import { openPage, type OpenOptions } from "../../../../src/content/page-view.ts";
import { pictureSize } from "../../../../src/content/documents/kind/picture-size.ts";
import type { FileToRecognise, Recognition } from "../../../../src/core/ocr/recognition.ts";
import type { RecognisedPage } from "../../../../src/core/ocr/recognised-page.ts";
import type { LoadedPage } from "../../../../src/core/scrape/page.ts";
import { given } from "../../../fakes/given.ts";
import { makeTextPdf } from "../../../site/make-pdf.ts";
import { picturePdf, type PdfPicture } from "../../../site/picture-pdf.ts";

const SCAN: PdfPicture = { bytes: new Uint8Array(100), filter: "JBIG2Decode", width: 2480, height: 3508 };
const CLEAN = { onlyMainContent: true, includeTags: [], excludeTags: [] };

function page(pageNumber: number, text: string): RecognisedPage {
  const words = [{ text, left: 72, right: 72 + text.length * 6, confidence: 0.9 }];
  const lines = [{ top: 90, bottom: 102, baseline: 100, size: 12, words }];
  return { pageNumber, width: 595, height: 842, rotation: 0, isBlank: false, confidence: 0.9, lines };
}

function open(body: Uint8Array, more: Partial<OpenOptions>, statusCode = 200) {
  const loaded: LoadedPage = {
    engine: "fetch", url: "https://example.com/file", statusCode, headers: {}, contentType: undefined, body, warnings: [],
  }; // prettier-ignore
  return openPage(loaded, { clean: CLEAN, pdf: { mode: "auto" }, bytesOnly: false, ...more });
}

/** An engine with a fixed answer, which writes down what it was asked. */
function engine(answer: Recognition) {
  const asked: FileToRecognise[] = [];
  return { asked, recognise: (file: FileToRecognise) => (asked.push(file), Promise.resolve(answer)) };
}

describe("a PDF of scans", () => {
  const pdf = picturePdf([{ picture: SCAN }, {}, { picture: SCAN }, { picture: SCAN }]);

  test("is recognised on the pages without words", async () => {
    const { asked, recognise } = engine({ pages: [page(1, "One."), page(3, "Three."), page(4, "Four.")] });
    const view = await open(pdf, { recognise });
    expect(asked.map(({ kind, contentType, pages, mode }) => ({ kind, contentType, pages, mode }))).toEqual([
      { kind: "pdf", contentType: "application/pdf", pages: [1, 3, 4], mode: "auto" },
    ]);
    expect(view.markdown({ removeBase64Images: true })).toBe("One.\n\nThree.\n\nFour.");
    expect(view.document).toMatchObject({ warning: "Page 2 of the PDF is blank.", numPages: 4 });
    expect(view.document?.isPartial).toBeUndefined();
  });

  test("has the pages that a stopped recognition brought, names the others, and is no result for later", async () => {
    const stopped = { code: "SCRAPE_TIMEOUT", message: "the time for this page is over" } as const;
    const { recognise } = engine({ pages: [page(1, "one")], stopped });
    const view = await open(pdf, { recognise });
    expect(view.markdown({ removeBase64Images: true })).toBe("one");
    expect(view.document).toMatchObject({
      isPartial: true,
      warning:
        "Pages 3-4 of the PDF have no text layer. Page 2 of the PDF is blank. Text recognition did not read pages 3-4: the time for this page is over.",
    });
  });

  test("fails when a recognition was stopped before any of its pages, unless the file has other text", async () => {
    const stopped = { code: "SCRAPE_TIMEOUT", message: "the time for this page is over" } as const;
    const { recognise } = engine({ pages: [], stopped });
    await expect(open(pdf, { recognise })).rejects.toMatchObject({
      code: "SCRAPE_TIMEOUT",
      message: "The text of the PDF was not read: the time for this page is over",
    });
    const mixed = new Uint8Array(makeTextPdf("Notice", [{ heading: "Notice", lines: ["Closed at noon."] }]));
    const view = await open(mixed, { recognise, pdf: { mode: "ocr" } });
    expect(view.markdown({ removeBase64Images: true })).toContain("Closed at noon.");
    expect(view.document?.warning).toBe("Text recognition did not read page 1: the time for this page is over.");
  });

  test("names a page whose picture shows nothing: it may not have been drawn", async () => {
    const blank = { ...page(3, ""), lines: [], isBlank: true };
    const { recognise } = engine({ pages: [page(1, "One."), blank, page(4, "Four.")] });
    expect((await open(pdf, { recognise })).document?.warning).toBe(
      "Page 2 of the PDF is blank. Page 3 of the PDF shows a picture that is blank, or that could not be drawn.",
    );
  });

  test("says that there is no engine", async () => {
    const { document } = await open(pdf, {});
    expect(document?.warning).toBe(
      "Pages 1, 3-4 of the PDF have no text layer. Page 2 of the PDF is blank. Text recognition is not available: this deployment has no browser.",
    );
  });

  test.each([
    { why: "in mode fast", more: { pdf: { mode: "fast" as const } }, statusCode: 200 },
    { why: "on an error page", more: {}, statusCode: 404 },
    { why: "when only bytes are wanted", more: { bytesOnly: true }, statusCode: 200 },
  ])("is not recognised $why", async ({ more, statusCode }) => {
    const { asked, recognise } = engine({ pages: [] });
    await open(pdf, { recognise, ...more }, statusCode);
    expect(asked).toEqual([]);
  });

  test("is recognised on all pages in mode ocr", async () => {
    const { asked, recognise } = engine({ pages: [] });
    await open(pdf, { recognise, pdf: { mode: "ocr" } });
    expect(asked[0]).toMatchObject({ pages: [1, 2, 3, 4], mode: "ocr" });
  });

  test("is refused in mode ocr without an engine", async () => {
    await expect(open(pdf, { pdf: { mode: "ocr" } })).rejects.toMatchObject({ code: "SCRAPE_PDF_OCR_REQUIRED" });
  });

  test("has the markdown that a vision model wrote for a page, with what is not confirmed", async () => {
    const written = { ...page(3, "Three."), vision: { markdown: "## Three\n\nPaid 4711.", isCut: false } };
    const { recognise } = engine({ pages: [page(1, "One."), written, page(4, "Four.")] });
    const view = await open(pdf, { recognise, pdf: { mode: "auto", pages: true } });
    expect(view.markdown({ removeBase64Images: true })).toBe("One.\n\n## Three\n\nPaid 4711.\n\nFour.");
    expect(view.html()).toContain("<h2>Three</h2>");
    expect(view.document?.pages?.map(({ markdown }) => markdown)).toEqual([
      "One.",
      "",
      "## Three\n\nPaid 4711.",
      "Four.",
    ]);
    expect(view.document?.warning).toBe(
      'Page 2 of the PDF is blank. On page 3, the vision model wrote what OCR and the text layer do not have: "4711", "Paid".',
    );
  });

  test("names the pages that the vision model did not read", async () => {
    const unseen = { pages: [1, 4], reason: "The language model did not answer in time" };
    const { recognise } = engine({ pages: [page(1, "One."), page(3, "Three."), page(4, "Four.")], unseen });
    const { document } = await open(pdf, { recognise });
    expect(document).toMatchObject({
      isPartial: true,
      warning:
        "Page 2 of the PDF is blank. The vision model did not read pages 1, 4, which have the text of OCR: The language model did not answer in time.",
    });
  });
});

/** Headers of pictures of 640 × 480 pixels. */
const HEADERS: Record<string, number[]> = {
  "image/png": [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 2, 128, 0, 0, 1, 224],
  "image/gif": [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 128, 2, 224, 1],
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc2, 0, 17, 8, 1, 224, 2, 128],
  "image/bmp": [0x42, 0x4d, 1, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 128, 2, 0, 0, 32, 254, 255, 255],
  "image/webp": [
    0x52, 0x49, 0x46, 0x46, 0, 0, 0, 0, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x58, 10, 0, 0, 0, 0, 0, 0, 0,
    127, 2, 0, 223, 1, 0,
  ],
  "image/avif": [
    0, 0, 0, 24, 0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69, 0x66, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 20, 0x69, 0x73, 0x70, 0x65, 0, 0, 0, 0, 0, 0, 2, 128, 0, 0, 1, 224,
  ],
}; // prettier-ignore

describe("a picture", () => {
  test.each(Object.keys(HEADERS))("%s is recognised by its first bytes, with its size", async (contentType) => {
    const bytes = Uint8Array.from(given(HEADERS[contentType]));
    expect(pictureSize(bytes)).toEqual({ width: 640, height: 480 });
    const { asked, recognise } = engine({ pages: [page(1, "Quay 4")] });
    const view = await open(bytes, { recognise, pictures: true });
    expect(asked).toEqual([{ kind: "image", contentType, bytes, pages: [1], mode: "auto" }]);
    expect(view.kind).toBe("image");
    expect(view.markdown({ removeBase64Images: true })).toBe("Quay 4");
  });

  test("has the words of OCR when those of the vision model are others", async () => {
    const text = "council gives notice that the inner harbour will close from November until March while quays rest";
    const words = text
      .split(" ")
      .map((word, at) => ({ text: word, left: at * 40, right: at * 40 + 36, confidence: 0.9 }));
    const lines = [{ top: 90, bottom: 102, baseline: 100, size: 12, words }];
    const read = { ...page(1, ""), lines, confidence: 0.55, vision: { markdown: "I cannot see it.", isCut: false } };
    const { recognise } = engine({ pages: [read] });
    const view = await open(Uint8Array.from(given(HEADERS["image/png"])), { recognise, pictures: true });
    expect(view.markdown({ removeBase64Images: true })).toBe(text);
    expect(view.document?.warning).toBe(
      "The vision model's text of page 1 was left out: it is not the text of the page. The text of the picture was recognised with low confidence; it may be wrong.",
    );
  });

  test("fails with the reason why it was not read", async () => {
    const stopped = { code: "SCRAPE_BROWSER_UNAVAILABLE", message: "no browser could be started" } as const;
    const { recognise } = engine({ pages: [], stopped });
    const bytes = Uint8Array.from(given(HEADERS["image/png"]));
    const error = {
      code: "SCRAPE_BROWSER_UNAVAILABLE",
      message: expect.stringContaining("no browser could be started"),
    };
    await expect(open(bytes, { recognise, pictures: true })).rejects.toMatchObject(error);
  });

  test("needs its parser and an engine", async () => {
    const bytes = Uint8Array.from(given(HEADERS["image/png"]));
    const code = "SCRAPE_UNSUPPORTED_FILE_ERROR";
    await expect(open(bytes, {})).rejects.toMatchObject({ code, message: expect.stringContaining("parsers") });
    await expect(open(bytes, { pictures: true })).rejects.toMatchObject({
      code,
      message: expect.stringContaining("no browser"),
    });
  });

  test("with damaged headers has no known size", () => {
    for (const bytes of Object.values(HEADERS))
      expect(() => pictureSize(Uint8Array.from(bytes.slice(0, 14)))).not.toThrow();
    expect(pictureSize(Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 2]))).toBeUndefined();
  });
});
