import { expect, test } from "vitest";
import { write } from "@e965/xlsx";
import { strToU8, unzipSync, zipSync } from "fflate";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { ZipFiles, zipText } from "../../../../../src/content/documents/containers/zip.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { closing, limitParts } from "../../../../../src/content/documents/spreadsheet/limit-parts.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";
import { compoundFile } from "../../../../fakes/compound-file.ts";
import { HOSTILE_FILES } from "../../../../hostile/hostile-office.ts";

const source = { contentType: undefined, url: "https://example.com/a.xlsx" };
const filesOf = (name: string, text: string) => new ZipFiles(new WorkBudget(), [[name, strToU8(text)]]);

test("shared strings beyond the limit are cut between two of them", () => {
  const files = filesOf(
    "xl/sharedStrings.xml",
    `<x:sst xmlns:x="a">${"<x:si><x:t>abcdefgh</x:t></x:si>".repeat(300_000)}</x:sst>`,
  );
  expect(limitParts(files)).toEqual(["xl/sharedStrings.xml"]);
  const text = zipText(files, "xl/sharedStrings.xml") ?? "";
  expect(text.length).toBeLessThan(8_000_100);
  expect(text.endsWith("</x:t></x:si></x:sst>")).toBe(true);
});

test("a shared string that does not end within the limit is cut to what a cell may hold", () => {
  const files = filesOf("xl/sharedStrings.xml", `<sst><si><t>${"&lt;".repeat(3_000_000)}</t></si></sst>`);
  limitParts(files);
  expect(zipText(files, "xl/sharedStrings.xml")).toMatch(/^<sst><si><t>(&lt;){8188}<\/t><\/si><\/sst>$/);
});

test("small parts stay as they are", () => {
  const files = filesOf("xl/worksheets/sheet1.xml", "<worksheet/>");
  expect(limitParts(files)).toEqual([]);
});

test("a workbook with one string of 10 MB is read with a warning", async () => {
  const bytes = HOSTILE_FILES["xlsx: one string of n times 8,000 characters"].make(1_250);
  const { markdown, warning } = await readDocument("xlsx", bytes, source);
  expect(markdown.length).toBeLessThan(100_000);
  expect(markdown).toContain("long long");
  expect(warning).toContain("its tables are incomplete");
});

test("a binary workbook of Excel 2007 Beta, whose records of sheets begin four bytes late, has its own names", async () => {
  const book = { SheetNames: ["Fruit"], Sheets: { Fruit: { "!ref": "A1", A1: { t: "s" as const, v: "Apples" } } } };
  const parts = unzipSync(new Uint8Array(write(book, { type: "array", bookType: "xlsb" })));
  const workbook = parts["xl/workbook.bin"] ?? new Uint8Array();
  const at = workbook.findIndex((byte, index) => byte === 0x9c && workbook[index + 1] === 0x01);
  const length = workbook[at + 2] ?? 0;
  const head = workbook.subarray(0, at + 2);
  parts["xl/workbook.bin"] = Uint8Array.from([...head, length + 4, 0, 0, 0, 0, ...workbook.subarray(at + 3)]);
  const read = await readDocument("xlsx", zipSync(parts), source);
  expect(read.markdown).toBe("## Fruit\n\nApples");
});

test("an encrypted workbook is named protected", async () => {
  const bytes = compoundFile([{ name: "EncryptionInfo" }, { name: "EncryptedPackage" }]);
  await expect(readDocument("xlsx", bytes, source)).rejects.toMatchObject({
    code: "SCRAPE_UNSUPPORTED_FILE_ERROR",
    message: "The workbook is protected by a password",
  });
});

test("the ends of open elements are found in linear time, whatever the length of a name", async () => {
  expect(closing('<?xml version="1.0"?><x:a b="/"><c/><d></d><e f="1">')).toBe("</e></x:a>");
  const long = `<${"a".repeat(8_000_000)}`;
  expect(await leastProcessorMs(() => closing(`<a>${long}`), 150)).toBeLessThan(150);
});
