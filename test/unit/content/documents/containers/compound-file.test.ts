import { expect, test } from "vitest";
import { read, write } from "@e965/xlsx";
import { compoundFileKind, openCompoundFile } from "../../../../../src/content/documents/containers/compound-file.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { compoundFile } from "../../../../fakes/compound-file.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes).replace(/\0+$/, "");

test.each([
  { name: "WORDDOCUMENT", kind: "doc" },
  { name: "workbook", kind: "xls" },
  { name: "BOOK", kind: "xls" },
  { name: "powerpoint document", kind: "ppt" },
  { name: "Other", kind: "binary" },
])("a stream is found in any case: $name", ({ name, kind }) => {
  const bytes = compoundFile([{ name, content: bytesOf("text") }]);
  expect(compoundFileKind(bytes)).toBe(kind);
  expect(textOf(openCompoundFile(bytes).stream(name.toLowerCase()))).toBe("text");
  expect(openCompoundFile(bytes).stream("missing")).toBeUndefined();
});

test("a stream of the file precedes one of an embedded file, wherever it is in the directory", () => {
  const inside = [{ name: "WordDocument", content: bytesOf("embedded") }];
  const outer = { name: "WORDDOCUMENT", content: bytesOf("outer") };
  const opened = openCompoundFile(compoundFile([{ name: "Object", inside }, outer]));
  expect(textOf(opened.stream("WordDocument"))).toBe("outer");
  expect(textOf(openCompoundFile(compoundFile([{ name: "Object", inside }])).stream("WordDocument"))).toBe("embedded");
});

test("a workbook whose stream is named in capitals is read, with its properties", async () => {
  const workbook = read("Name,Count\nApples,12\n", { type: "string" });
  const biff: Uint8Array = write(workbook, { type: "array", bookType: "biff8" });
  const content = openCompoundFile(new Uint8Array(biff)).stream("Workbook");
  expect(content).toBeDefined();
  const bytes = compoundFile([{ name: "WORKBOOK", ...(content === undefined ? {} : { content }) }]);
  const { markdown } = await readDocument("xls", bytes, { url: "https://example.com/a.xls", contentType: undefined });
  expect(markdown).toContain("| Apples | 12 |");
});

test("the kind of a file is that of its own streams, and of embedded ones where these tell nothing", () => {
  const embedded = { name: "Object", inside: [{ name: "WordDocument", content: bytesOf("embedded") }] };
  const own = { name: "Workbook", content: bytesOf("own") };
  expect(compoundFileKind(compoundFile([embedded, own]))).toBe("xls");
  expect(compoundFileKind(compoundFile([own, embedded]))).toBe("xls");
  expect(compoundFileKind(compoundFile([embedded, { name: "Other" }]))).toBe("doc");
  expect(compoundFileKind(compoundFile([embedded, { name: "EncryptedPackage" }]))).toBeUndefined();
});

test("a directory of more entries than any document has is damaged", () => {
  const storages = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `S${at}`, inside: [] }));
  expect(compoundFileKind(compoundFile(storages(19_000)))).toBe("binary");
  const large = compoundFile(storages(20_100));
  expect(compoundFileKind(large)).toBeUndefined();
  expect(() => openCompoundFile(large)).toThrow(expect.objectContaining({ code: "SCRAPE_DOCUMENT_PREFETCH_FAILED" }));
});
