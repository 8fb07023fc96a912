import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readDocument } from "../../../../src/content/documents/read-document.ts";
import type { FileKind } from "../../../../src/content/documents/read-document.ts";
import { fixture } from "./fixture.ts";

const source = { contentType: undefined, url: "https://example.com/files/x" };
const read = (kind: FileKind, name = `sample.${kind}`) => readDocument(kind, fixture(name), source);

const GARDEN_REPORT = `# The garden report

# Fruit & trees

Plain, **bold** and _italic_ text with a [link](https://example.com/a?b=1&c=2).[1]

## A list

- Apples
  - Boskoop
- Pears

1. First
2. Second

## A table

| Name | Count |
| --- | --- |
| Apples \\| red | 12 |
| Pears | 7 |

`;

describe("text documents", () => {
  test("docx: headings, lists, tables, links, emphasis and notes", async () => {
    const { markdown, metadata } = await read("docx");
    expect(markdown).toBe(`${GARDEN_REPORT}Grüße aus 東京.\n\n1. A note on links.`);
    expect(metadata).toEqual({
      title: "The garden report",
      author: "Ada Gardener",
      keywords: "garden, fruit",
      publishedTime: "2024-03-01T10:00:00Z",
    });
  });

  test("odt: the same, with spans, breaks and without deleted words", async () => {
    const { markdown, metadata } = await read("odt");
    const table =
      "| Name | Count | Place |\n| --- | --- | --- |\n| Apples \\| red | 12 | north |\n| Pears | seven of them | seven of them |";
    expect(markdown).toContain(GARDEN_REPORT.slice(0, GARDEN_REPORT.indexOf("| Name")));
    expect(markdown).toContain(table);
    expect(markdown).toMatch(/Grüße aus {2}\n東京\.\n\n1\. A note on links\.$/);
    expect(markdown).not.toContain("deleted");
    expect(metadata).toEqual({ title: "The garden report", author: "Ada Gardener", keywords: "garden, fruit" });
  });

  test("rtf: the same, in four code pages, without what is hidden", async () => {
    const { markdown, metadata } = await read("rtf");
    expect(markdown).toBe(`${GARDEN_REPORT}Grüße, Привет, 日本, 東京 and — done.\n\n1. A note on links.`);
    expect(metadata).toEqual({ title: "The garden report", author: "Ada Gardener", description: "Fruit" });
  });

  test("doc: headings, lists, tables, links and emphasis of a Word 97 file", async () => {
    expect((await read("doc")).markdown).toBe(
      "# The garden report\n\nPlain and **bold** text with a [link](https://example.com/).\n\n- Apples\n- Pears\n\n" +
        "| Name | Count |\n| --- | --- |\n| Quinces | 7 |\n\nGrüße aus 東京.",
    );
  });

  test("epub: a chapter that several items of the spine name is read once", async () => {
    const items = ["a", "b", "c"].map((id) => `<item id="${id}" href="${id === "c" ? "other" : "same"}.xhtml"/>`);
    const bytes = zipSync({
      "META-INF/container.xml": strToU8('<container><rootfile full-path="book.opf"/></container>'),
      "book.opf": strToU8(
        `<package><manifest>${items.join("")}</manifest><spine>${["a", "b", "c", "a"].map((id) => `<itemref idref="${id}"/>`).join("")}</spine></package>`,
      ),
      "same.xhtml": strToU8("<html><body><p>Said once.</p></body></html>"),
      "other.xhtml": strToU8("<html><body><p>The end.</p></body></html>"),
    });
    expect((await readDocument("epub", bytes, source)).markdown).toBe("Said once.\n\nThe end.");
  });

  test("epub: chapters in the order of the spine, without navigation, styles and inner links", async () => {
    const { markdown, metadata } = await read("epub");
    expect(markdown).toBe(
      "# Spring\n\nPlain and **bold** — see the next chapter or [the site](https://example.com/).\n\n_A tree_\n\n" +
        "# Summer\n\n- Apples\n- Pears\n\n| Name | Count |\n| --- | --- |\n| Apples | 12 |",
    );
    expect(metadata).toEqual({ title: "The garden book", author: "Ada Gardener, Bob Digger", language: "en" });
  });
});

describe("presentations", () => {
  test("pptx: slides in their order, with lists, links, tables and notes", async () => {
    const { markdown, metadata } = await read("pptx");
    expect(markdown).toBe(
      "## Our garden\n\n- Apples\n  - Boskoop\n- **Pears**\n\n[our site](https://example.com/)\n\n### Notes\n\nSpeak slowly.\n\n" +
        "## The harvest\n\n| Name | Count |\n| --- | --- |\n| Apples \\| red | 12 |\n\nA text box",
    );
    expect(metadata).toMatchObject({ title: "Our garden", numSlides: 2 });
  });

  test("odp: slides, lists and notes", async () => {
    expect((await read("odp")).markdown).toBe(
      "## Our garden\n\n- Apples\n- Pears\n\n### Notes\n\nSpeak slowly.\n\n## Slide 2\n\nNo title here",
    );
  });

  test("ppt: slides, text and notes of a PowerPoint 97 file", async () => {
    expect((await read("ppt")).markdown).toBe(
      "## Our garden\n\n- Äpfel\n- Birnen\n\n### Notes\n\nSpeak slowly.\n\n## Slide 2\n\nA text box",
    );
  });
});

describe("spreadsheets", () => {
  test("xlsx: a heading for each sheet, values as they are shown, and a word on hidden sheets", async () => {
    const { markdown, metadata, warning } = await read("xlsx");
    expect(markdown).toBe(
      "## Harvest\n\nHarvest 2024\n\n| Name | Count | Picked | Share |\n| --- | --- | --- | --- |\n" +
        "| Apples \\| red | 12 | 2024-03-01 | 25% |\n| [Pears](https://example.com/pears) | 1234.5 | 2024-03-02 | 75% |\n\n" +
        "## Places\n\n| Place | Open |\n| --- | --- |\n| North | TRUE |",
    );
    expect(metadata).toMatchObject({ title: "Harvest", sheetNames: ["Harvest", "Places"] });
    expect(warning).toBe("Hidden sheets were left out: Secret.");
  });

  test.each(["xls", "ods"] as const)("%s: sheets as tables", async (kind) => {
    expect((await read(kind)).markdown).toBe(
      "## Harvest\n\n| Name | Count |\n| --- | --- |\n| Apples \\| red | 12 |\n| Birnen, süß | 7 |\n\n" +
        "## Places\n\n| Place |\n| --- |\n| North |",
    );
  });
});

describe("damaged and unreadable files", () => {
  const archives = ["docx", "odt", "xlsx", "ods", "pptx", "odp", "epub"] as const;
  const oldFormats = ["doc", "ppt"] as const;

  test.each([...archives, ...oldFormats])("a %s file that is cut short is named damaged", async (kind) => {
    const bytes = fixture(`sample.${kind}`);
    const cut = readDocument(kind, bytes.subarray(0, bytes.length >> 1), source);
    await expect(cut).rejects.toMatchObject({ code: "SCRAPE_DOCUMENT_PREFETCH_FAILED" });
  });

  test.each(archives)("a %s file full of something else is named damaged", async (kind) => {
    const wrong = fixture(kind === "epub" ? "sample.docx" : "sample.epub");
    if (kind === "xlsx" || kind === "ods") return expect(readDocument(kind, wrong, source)).rejects.toThrow();
    await expect(readDocument(kind, wrong, source)).rejects.toMatchObject({ code: "SCRAPE_DOCUMENT_PREFETCH_FAILED" });
  });

  test("an office file behind a password is named so", async () => {
    const encrypted = fixture("sample.doc");
    await expect(readDocument("docx", encrypted, source)).rejects.toThrow("protected by a password");
  });

  test("a binary file is refused", async () => {
    const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47]);
    await expect(readDocument("binary", bytes, source)).rejects.toMatchObject({
      code: "SCRAPE_UNSUPPORTED_FILE_ERROR",
    });
  });
});
