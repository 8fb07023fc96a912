import { describe, expect, test } from "vitest";
import { ENCODING_PAGES } from "../../site/encoding-prose.ts";
import { scrape, scraped } from "../client.ts";

const SEAGRASS = "A seagrass seed is the size of a grain of rice";

describe("what a body is, whatever it is called", () => {
  test.each([
    { page: "/type/html-as-binary", says: SEAGRASS },
    { page: "/type/html-as-nonsense", says: SEAGRASS },
    { page: "/type/html-without", says: SEAGRASS },
    { page: "/type/html-as-text", says: "<!doctype html>" },
    { page: "/type/xhtml", says: "Boats go down stern first." },
    { page: "/type/pdf-as-html", says: "New oak fenders" },
    { page: "/type/pdf-as-binary", says: "New oak fenders" },
    { page: "/type/pdf-without", says: "New oak fenders" },
    { page: "/type/json-as-text", says: '{"harbour": "Harrow Bay", "berths": 84}' },
    { page: "/example.json", says: '```json\n{\n  "harbour": "Harrow Bay"' },
    { page: "/broken.json", says: '{"harbour": "Harrow Bay", "berths": [1, 2,' },
    { page: "/example.xml", says: '<log station="Harrow Bay">' },
    { page: "/plain.txt", says: "<This is not a tag>, and this _is_ not *markup*." },
    { page: "/example.md", says: "#" },
    { page: "/feed.rss", says: "## [The ferry that refuses to be on time](" },
    { page: "/feed.atom", says: "The ferry that refuses to be on time" },
  ])("$page", async ({ page, says }) => {
    expect((await scraped(page)).markdown).toContain(says);
  });

  test.each(["/type/png", "/type/png-as-html", "/favicon.ico"])("%s is no text", async (page) => {
    const { status, body } = await scrape(page);
    expect({ status, code: body.code }).toEqual({ status: 500, code: "SCRAPE_UNSUPPORTED_FILE_ERROR" });
  });

  // Known: eight bytes with zeros among them are taken for UTF-16.
  test("a few binary bytes are no text", async () => {
    expect((await scrape("/type/binary")).body.code).toBe("SCRAPE_UNSUPPORTED_FILE_ERROR");
  });
});

describe("content codings", () => {
  test.each(["gzip", "br", "deflate", "deflate-raw", "zstd", "double"])("%s is undone", async (name) => {
    expect((await scraped(`/compressed/${name}`)).markdown).toContain(SEAGRASS);
  });

  test("a coding that is none leaves no text, and a warning", async () => {
    const { body } = await scrape("/compressed/liar");
    expect(body.success ? body.data.warning : body.code).toMatch(/no visible text|incomplete|SCRAPE_SITE_ERROR/);
  });
});

describe("encodings", () => {
  /** Nothing in its bytes tells this one from ISO-8859-1, which is the commoner. */
  const UNTOLD = new Set(["iso-8859-15 none", "iso-8859-15 wrong"]);
  const declarations = ["header", "meta", "both", "none", "wrong", "wrong-meta"];

  test.each(Object.entries(ENCODING_PAGES))("%s is read however it is declared", async (name, { prose }) => {
    for (const declare of declarations.filter((one) => !UNTOLD.has(`${name} ${one}`))) {
      const { markdown, metadata } = await scraped(`/encoding/${name}?declare=${declare}`);
      expect(metadata, declare).toMatchObject({ title: prose.title, language: prose.language });
      for (const paragraph of prose.paragraphs) expect(markdown, declare).toContain(paragraph);
    }
  });

  test("a page of 1998 is read", async () => {
    expect((await scraped("/encoding/shift_jis?declare=meta&old=1")).markdown).toContain("港町の朝は早い。");
    expect((await scraped("/sjis.html")).markdown).toContain("港町の朝は早い。");
  });

  test("a browser reads them too", async () => {
    expect((await scraped("/encoding/euc-jp", { waitFor: 1 })).markdown).toContain("港町の朝は早い。");
  });
});

describe("documents", () => {
  test.each([
    { page: "/example.pdf", says: "# Costs and funding" },
    { page: "/download.pdf", says: "# Costs and funding" },
    { page: "/documents/report.pdf", says: "| Pears |" },
    { page: "/documents/sample.docx", says: "| Apples \\| red | 12 |" },
    { page: "/documents/sample.doc", says: "**bold**" },
    { page: "/documents/sample.odt", says: "- Apples\n  - Boskoop" },
    { page: "/documents/sample.rtf", says: "Grüße, Привет, 日本" },
    { page: "/documents/sample.xlsx", says: "| Apples \\| red | 12 | 2024-03-01 | 25% |" },
    { page: "/documents/sample.xls", says: "| Birnen, süß | 7 |" },
    { page: "/documents/sample.ods", says: "| Birnen, süß | 7 |" },
    { page: "/documents/sample.pptx", says: "Speak slowly." },
    { page: "/documents/sample.odp", says: "- Apples" },
    { page: "/documents/sample.epub", says: "# Spring" },
  ])("$page comes out as markdown", async ({ page, says }) => {
    const { markdown, html } = await scraped(page, { formats: ["markdown", "html"] });
    expect(markdown).toContain(says);
    expect(html).toMatch(/^<html>|^<body>|^</);
  });

  test.each([
    { page: "/broken.pdf", code: "SCRAPE_PDF_PREFETCH_FAILED" },
    { page: "/documents/broken.pdf", code: "SCRAPE_PDF_PREFETCH_FAILED" },
    { page: "/documents/encrypted.pdf", code: "SCRAPE_UNSUPPORTED_FILE_ERROR" },
  ])("$page fails as $code", async ({ page, code }) => {
    const { status, body } = await scrape(page);
    expect({ status, code: body.code }).toEqual({ status: 500, code });
  });

  test("a picture of a document is what a browser cannot take", async () => {
    const { status, body } = await scrape("/example.pdf", { formats: ["screenshot"] });
    expect({ status, success: body.success }).toEqual({ status: 500, success: false });
    expect(body.code).toMatch(/^SCRAPE_/);
  });
});
