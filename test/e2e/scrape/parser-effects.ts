import { expect } from "vitest";
import { refuses, type Effects } from "./option-effects.ts";

const PDF = "/example.pdf";
const pdf = (options: object) => ({ parsers: [{ type: "pdf", ...options }] });

/** What the options of the PDF parser do. */
export const PARSERS: Effects = {
  "read the text of a PDF, each page a credit": async ({ scraped }) => {
    for (const parsers of [undefined, ["pdf"], [{ type: "pdf" }]]) {
      const { markdown, metadata, warning } = await scraped(PDF, { parsers });
      expect(markdown).toContain("# Costs and funding");
      expect(metadata).toMatchObject({ title: "Harrow Bay Harbour Plan", numPages: 3, totalPages: 3, creditsUsed: 3 });
      expect(warning).toBeUndefined();
    }
  },
  "hand the file over when there are none, for one credit": async ({ scraped }) => {
    const { markdown, metadata } = await scraped(PDF, { parsers: [] });
    expect(Buffer.from(markdown ?? "", "base64").toString("latin1")).toMatch(/^%PDF-[\s\S]*%%EOF\s*$/);
    expect(metadata.creditsUsed).toBe(1);
  },
  "mode fast and auto read the text layer": async ({ scraped }) => {
    for (const mode of ["fast", "auto"]) {
      const { markdown, warning } = await scraped(PDF, pdf({ mode }));
      expect(markdown).toContain("New oak fenders along the east quay");
      expect(warning).toBeUndefined();
    }
  },
  "mode ocr recognises the text of pages that have a text layer": async ({ scraped }) => {
    const { markdown } = await scraped(PDF, pdf({ mode: "ocr", maxPages: 2 }));
    expect(markdown).toContain("oak fenders along the east quay");
  },
  "mode fast says of a scan that it has no text layer": async ({ scraped }) => {
    expect((await scraped("/scanned.pdf", pdf({ mode: "fast" }))).warning).toContain("no text layer");
  },
  "maxPages bounds what is read and paid": async ({ scraped }) => {
    const { markdown, metadata } = await scraped(PDF, pdf({ maxPages: 2 }));
    expect(markdown).toContain("Costs and funding");
    expect(markdown).not.toContain("Timetable");
    expect(metadata).toMatchObject({ numPages: 2, totalPages: 3, creditsUsed: 2 });
  },
  "pages, or pageMarkdown, gives each page": async ({ scraped }) => {
    for (const options of [{ pages: true }, { pageMarkdown: true }]) {
      const { pages } = await scraped(PDF, pdf(options));
      expect(pages?.map(({ pageNumber }) => pageNumber)).toEqual([1, 2, 3]);
      expect(pages?.[2]?.markdown).toContain("Timetable");
    }
  },
  "blocks gives each page's layout": async ({ scraped }) => {
    const { blocks } = await scraped(PDF, pdf({ blocks: true, maxPages: 1 }));
    expect(blocks).toEqual([
      expect.objectContaining({
        pageNumber: 1,
        blocks: expect.arrayContaining([
          expect.objectContaining({ type: "heading", text: "Harrow Bay Harbour Plan", bbox: expect.any(Array) }),
        ]),
      }),
    ]);
  },
  "pageMarkers marks where pages begin": async ({ scraped }) => {
    expect((await scraped(PDF)).markdown).not.toContain("<!--");
    const { markdown } = await scraped(PDF, pdf({ pageMarkers: true }));
    expect(markdown?.match(/<!-- page \d -->/g)).toEqual(["<!-- page 2 -->", "<!-- page 3 -->"]);
  },
  "figures lists the pictures of a PDF, of which one without any has none": async ({ scraped }) => {
    expect((await scraped(PDF)).figures).toBeUndefined();
    expect((await scraped(PDF, pdf({ figures: true }))).figures).toEqual([]);
  },
  "tables html writes tables in HTML": async ({ scraped }) => {
    const report = "/documents/report.pdf";
    expect((await scraped(report, pdf({ tables: "markdown" }))).markdown).toContain("| Apples | 12 | red |");
    const { markdown } = await scraped(report, pdf({ tables: "html" }));
    expect(markdown).toContain("<tr><td>Apples</td><td>12</td><td>red</td></tr>");
    expect(markdown).not.toContain("| Apples");
  },
  "of pictures are accepted beside the one of PDFs, which keeps its effect": async ({ scraped }) => {
    for (const parsers of [
      ["image", "pdf"],
      ["pdf", "image"],
      [{ type: "image" }, { type: "pdf" }],
    ]) {
      expect((await scraped(PDF, { parsers })).markdown).toContain("# Costs and funding");
      expect((await scraped("/final", { parsers })).warning).toBeUndefined();
    }
    const { markdown } = await scraped(PDF, { parsers: ["image"] });
    expect(markdown).toMatch(/^JVBER/);
  },
  "of pictures are needed to read them, and the refusal names the parser": async ({ scrape }) => {
    const { status, body } = await scrape("/img/100x100/mark.png", { parsers: ["pdf"] });
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: "SCRAPE_UNSUPPORTED_FILE_ERROR", error: expect.stringContaining("image") });
  },
  "of other names are refused": refuses({ parsers: ["audio"] }, ["parsers", 0]),
  "take no unknown keys": refuses(pdf({ dpi: 300 }), ["parsers", 0]),
  "read no more pages than they may be asked for": refuses(pdf({ maxPages: 10_001 }), ["parsers", 0, "maxPages"]),
};
