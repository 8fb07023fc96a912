/// <reference types="vite/types/importMeta.d.ts" />
import { expect, test } from "vitest";
import { decodeBody } from "../../../src/content/text/charset.ts";
import { documentKind } from "../../../src/content/documents/kind/kind.ts";
import { readDocument } from "../../../src/content/documents/read-document.ts";
import { HOSTILE_PDFS } from "../../hostile/hostile-pdf.ts";

/** The documents of `test/fixtures/documents` as data URLs, since workerd has no file system. */
const DATA_URLS = import.meta.glob<string>(
  "../../fixtures/documents/*.{pdf,doc,docx,odt,rtf,xls,xlsx,ods,ppt,pptx,odp,epub}",
  {
    eager: true,
    query: "?url&inline",
    import: "default",
  },
);

function fixture(name: string): Uint8Array {
  const dataUrl = DATA_URLS[`../../fixtures/documents/${name}`] ?? "";
  return Uint8Array.from(atob(dataUrl.slice(dataUrl.indexOf(",") + 1)), (character) => character.charCodeAt(0));
}

async function read(name: string) {
  const bytes = fixture(name);
  const kind = documentKind({ contentType: undefined, name: "", bytes });
  if (kind === undefined || kind === "html" || kind === "image") throw new Error(`${name} is taken for ${kind}`);
  return readDocument(kind, bytes, { contentType: undefined, url: "https://example.com/file" });
}

test.each([
  { name: "report.pdf", text: "| Pears | 1,234 | a \\| b |" },
  { name: "japanese.pdf", text: "日本語のテキストです。" },
  { name: "sample.docx", text: "| Apples \\| red | 12 |" },
  { name: "sample.doc", text: "Plain and **bold** text with a [link](https://example.com/)." },
  { name: "sample.odt", text: "- Apples\n  - Boskoop" },
  { name: "sample.rtf", text: "Grüße, Привет, 日本, 東京 and — done." },
  { name: "sample.xlsx", text: "| Apples \\| red | 12 | 2024-03-01 | 25% |" },
  { name: "sample.xls", text: "| Birnen, süß | 7 |" },
  { name: "sample.ods", text: "| Birnen, süß | 7 |" },
  { name: "sample.pptx", text: "### Notes\n\nSpeak slowly." },
  { name: "sample.ppt", text: "- Äpfel\n- Birnen" },
  { name: "sample.odp", text: "## Our garden\n\n- Apples" },
  { name: "sample.epub", text: "# Spring\n\nPlain and **bold**" },
])("$name is read in workerd", async ({ name, text }) => {
  expect((await read(name)).markdown).toContain(text);
});

test.each([
  { name: "encrypted.pdf", code: "SCRAPE_UNSUPPORTED_FILE_ERROR" },
  { name: "broken.pdf", code: "SCRAPE_PDF_PREFETCH_FAILED" },
])("$name fails in workerd as $code", async ({ name, code }) => {
  await expect(read(name)).rejects.toMatchObject({ code });
});

test("a scanned PDF says in workerd that it has no text layer", async () => {
  expect((await read("scanned.pdf")).warning).toContain("no text layer");
});

test("a PDF of a few kilobytes that takes minutes to read is read in part in workerd", async () => {
  const bytes = new Uint8Array(HOSTILE_PDFS["forms that show the next form twice, n deep"](40));
  const { warning } = await readDocument("pdf", bytes, { contentType: undefined, url: "https://example.com/file" });
  expect(warning).toMatch(/^Reading this PDF takes more work than this service allows/);
});

test("CSV is read in workerd", async () => {
  const bytes = new TextEncoder().encode("a;b\n1;2");
  const { markdown } = await readDocument("csv", bytes, { contentType: "text/csv", url: "https://example.com/x" });
  expect(markdown).toBe("| a | b |\n| --- | --- |\n| 1 | 2 |");
});

test.each([
  { charset: "windows-1251", bytes: [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2], text: "Привет" },
  { charset: "koi8-r", bytes: [0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4], text: "Привет" },
  { charset: "shift_jis", bytes: [0x93, 0xfa, 0x96, 0x7b], text: "日本" },
  { charset: "euc-jp", bytes: [0xc6, 0xfc, 0xcb, 0xdc], text: "日本" },
  { charset: "iso-2022-jp", bytes: [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42], text: "日本" },
  { charset: "gbk", bytes: [0xd6, 0xd0], text: "中" },
  { charset: "gb18030", bytes: [0xd6, 0xd0], text: "中" },
  { charset: "big5", bytes: [0xa4, 0xa4], text: "中" },
  { charset: "euc-kr", bytes: [0xc7, 0xd1], text: "한" },
  { charset: "iso-8859-2", bytes: [0xb9], text: "š" },
  { charset: "windows-874", bytes: [0xa1], text: "ก" },
  { charset: "utf-16le", bytes: [0xff, 0xfe, 0x41, 0x00], text: "A" },
])("workerd decodes $charset", ({ charset, bytes, text }) => {
  expect(decodeBody(Uint8Array.from(bytes), `text/html; charset=${charset}`)).toEqual({ text, charset });
});
