import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { fixture } from "../fixture.ts";

const URL_OF_FILE = "https://example.com/report.pdf";
const report = fixture("report.pdf");

describe("readPdf", () => {
  test("reads headings, hyphenated words, lists, tables, links, columns and emphasis", async () => {
    const { markdown, html } = await readPdf(report, URL_OF_FILE);
    expect(markdown).toBe(`# Annual harvest

This report tells how the trees of the garden did in the year and what was picked. It has a link to the site, and an extraordinary word that a line end broke, as well as a well-known hyphen.

See [the site](https://example.com/site) for more.

## 1 What was picked

- Apples, which were red and round and hung on the oldest tree behind the house
- Pears
  - Williams
- Quinces

Steps:

1. Pick
2. Sort

| Name | Count | Remark |
| --- | --- | --- |
| Apples | 12 | red |
| Pears | 1,234 | a \\| b |
| Quinces |  | late |

## 2 Two columns

Left column one begins here and runs on for many lines, so that it can be seen that the left side is read to its end before the right side begins, as a reader would do it with a paper.

Right column begins here and it goes on with other words, which must not be mixed with the words of the left column, as happens when lines are read across the whole width of the page.

Below the columns a line goes over the whole width of the page, from its left to its right.

Some **bold** and _italic_ words, and a sentence that goes on to the next page, where it ends.

## 3 The end

Nothing more.`);
    expect(html).toContain("<h1>Annual harvest</h1>");
  });

  test("tells title, author and dates, and counts pages", async () => {
    expect(await readPdf(report, URL_OF_FILE)).toMatchObject({
      metadata: { title: "Annual harvest report", author: "Ada Gardener", publishedTime: "2024-03-01T10:00:00+01:00" },
      numPages: 3,
      totalPages: 3,
    });
  });

  test("leaves the bytes usable", async () => {
    const bytes = report.slice();
    await readPdf(bytes, URL_OF_FILE);
    expect(bytes).toEqual(report);
  });

  test("stops after maxPages", async () => {
    const { markdown, numPages, totalPages, warning } = await readPdf(report, URL_OF_FILE, { maxPages: 1 });
    expect([numPages, totalPages, warning]).toEqual([1, 3, undefined]);
    expect(markdown).not.toContain("Two columns");
  });

  test("gives the markdown of each page, and no page's text on another", async () => {
    const { pages, markdown } = await readPdf(report, URL_OF_FILE, { pages: true });
    expect(pages?.map(({ pageNumber }) => pageNumber)).toEqual([1, 2, 3]);
    expect(pages?.[2]?.markdown).toBe("the next page, where it ends.\n\n## 3 The end\n\nNothing more.");
    expect(markdown).toBe(pages?.map((page) => page.markdown).join("\n\n"));
  });

  test("puts markers between pages", async () => {
    const { markdown, pages } = await readPdf(report, URL_OF_FILE, { pageMarkers: true });
    expect(markdown).toContain("sentence that goes on to\n\n---\n\n<!-- page 3 -->\n\nthe next page");
    expect(markdown.match(/<!-- page \d+ -->/g)).toEqual(["<!-- page 2 -->", "<!-- page 3 -->"]);
    expect(pages).toBeUndefined();
  });

  test("gives typed blocks with their places", async () => {
    const { blocks } = await readPdf(report, URL_OF_FILE, { blocks: true });
    expect(blocks?.[0]).toMatchObject({ pageNumber: 1, width: 612, height: 792 });
    expect(blocks?.[0]?.blocks.map(({ type }) => type)).toEqual([
      "heading",
      "paragraph",
      "paragraph",
      "heading",
      "list",
      "paragraph",
      "list",
      "table",
    ]);
    const heading = blocks?.[0]?.blocks[0];
    expect(heading).toMatchObject({ level: 1, text: "Annual harvest" });
    expect(heading?.bbox[0]).toBe(72);
    expect(heading?.bbox[1]).toBeGreaterThan(60);
    expect(heading?.bbox[3]).toBeLessThan(110);
    expect(blocks?.[0]?.blocks.at(-1)?.text).toContain("Pears\t1,234\ta | b");
  });
});

describe("fonts of East Asia", () => {
  test("are read through the predefined character maps", async () => {
    const { markdown, warning } = await readPdf(fixture("japanese.pdf"), URL_OF_FILE);
    expect(markdown).toBe("日本語のテキストです。アABC");
    expect(warning).toBeUndefined();
  });

  test("that name no characters are told in a warning", async () => {
    const { warning } = await readPdf(fixture("nameless-glyphs.pdf"), URL_OF_FILE);
    expect(warning).toBe(
      "Some text of the PDF could not be read: its font does not say which characters it shows. Page 1 of the PDF has no readable words.",
    );
  });
});

test("a PDF without a text layer says so", async () => {
  const { markdown, warning } = await readPdf(fixture("scanned.pdf"), URL_OF_FILE);
  expect(markdown).toBe("");
  expect(warning).toBe("The PDF has no text layer (it is made of scanned images).");
});

describe("PDFs that cannot be read", () => {
  test.each([
    { why: "is encrypted", bytes: fixture("encrypted.pdf"), code: "SCRAPE_UNSUPPORTED_FILE_ERROR" },
    { why: "is cut short", bytes: fixture("broken.pdf"), code: "SCRAPE_PDF_PREFETCH_FAILED" },
    { why: "is a page", bytes: new TextEncoder().encode("<html>Not found"), code: "SCRAPE_PDF_PREFETCH_FAILED" },
    { why: "is empty", bytes: new Uint8Array(), code: "SCRAPE_PDF_PREFETCH_FAILED" },
  ])("a file that $why fails as $code", async ({ bytes, code }) => {
    await expect(readPdf(bytes, URL_OF_FILE)).rejects.toMatchObject({ code });
  });
});
