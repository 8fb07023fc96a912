import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import {
  listZip,
  MAX_UNPACKED_BYTES,
  readZip,
  storeZip,
  zipText,
  zipTextPieces,
} from "../../../../../src/content/documents/containers/zip.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { sharedArchive } from "../../../../fakes/shared-archive.ts";

const all = (): boolean => true;
const archive = zipSync({ "a.txt": strToU8("hello"), "dir/b.txt": strToU8("x".repeat(10_000)) });

/** Writes a smaller unpacked size into the directory and the file's header. */
function lyingAbout(zip: Uint8Array, declaredBytes: number): Uint8Array {
  const copy = zip.slice();
  const view = new DataView(copy.buffer);
  for (let at = 0; at + 46 < copy.length; at++) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, declaredBytes, true);
    if (view.getUint32(at, true) === 0x04034b50) view.setUint32(at + 22, declaredBytes, true);
  }
  return copy;
}

test("unpacks the wanted files alone", () => {
  const files = readZip(archive, (name) => name.startsWith("dir/"));
  expect([...files.keys()]).toEqual(["dir/b.txt"]);
  expect(zipText(files, "dir/b.txt")).toBe("x".repeat(10_000));
});

test("reads back what it stored", () => {
  const stored = storeZip(readZip(archive, all));
  expect(listZip(stored).map(({ name, method }) => [name, method])).toEqual([
    ["a.txt", 0],
    ["dir/b.txt", 0],
  ]);
  expect(zipText(readZip(stored, all), "a.txt")).toBe("hello");
});

const bomb = zipSync({
  "a.xml": new Uint8Array(MAX_UNPACKED_BYTES / 2 + 1),
  "b.xml": new Uint8Array(MAX_UNPACKED_BYTES / 2),
});

test.each([
  { why: "declares too much", zip: bomb },
  { why: "lies about its size", zip: lyingAbout(bomb, 10) },
])("refuses an archive that $why", ({ zip }) => {
  expect(() => readZip(zip, all)).toThrow(expect.objectContaining({ code: "SCRAPE_UNSUPPORTED_FILE_ERROR" }));
});

test.each([
  { why: "is cut short", zip: archive.subarray(0, archive.length - 30) },
  { why: "is none", zip: strToU8("nothing of the kind") },
  { why: "has damaged data", zip: archive.map((byte, at) => (at > 80 && at < 110 ? byte ^ 0x5a : byte)) },
])("calls an archive damaged that $why", ({ zip }) => {
  expect(() => readZip(zip, all)).toThrow(expect.objectContaining({ code: "SCRAPE_DOCUMENT_PREFETCH_FAILED" }));
});

test("refuses an encrypted entry", () => {
  const locked = archive.slice();
  const view = new DataView(locked.buffer);
  for (let at = 0; at + 46 < locked.length; at++) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint16(at + 8, 1, true);
  }
  expect(() => readZip(locked, all)).toThrow("password");
});

test("a large file takes little more memory than its content, and is decoded piece by piece", () => {
  const text = "<a>häuser 木</a>".repeat(700_000);
  const bytes = strToU8(text);
  const zip = zipSync({ "a.xml": bytes });
  const before = process.memoryUsage().arrayBuffers;
  const files = readZip(zip, all);
  expect((process.memoryUsage().arrayBuffers - before) / bytes.length).toBeLessThan(3);
  const pieces = [...zipTextPieces(files, "a.xml")];
  expect(pieces.length).toBeGreaterThan(50);
  expect(pieces.join("") === text).toBe(true);
  expect([...zipTextPieces(files, "none.xml")]).toEqual([]);
});

test("many small files take little more memory than their content", () => {
  const names = Array.from({ length: 1_500 }, (_, at) => `${at}.xml`);
  const zip = zipSync(Object.fromEntries(names.map((name) => [name, strToU8(`<a>${name} text</a>`.repeat(200))])));
  const before = process.memoryUsage().arrayBuffers;
  const files = readZip(zip, all);
  const bytes = [...files.values()].reduce((sum, content) => sum + content.length, 0);
  expect((process.memoryUsage().arrayBuffers - before) / bytes).toBeLessThan(3);
});

test("a large file with a wrong size is read as well", () => {
  const zip = zipSync({ "a.xml": new Uint8Array(900_000).fill(65) });
  for (const declared of [300_000, 2_000_000])
    expect(readZip(lyingAbout(zip, declared), all).get("a.xml")?.length).toBe(900_000);
});

test("of several entries with one name the last one is read, once", () => {
  const zip = sharedArchive(
    Array.from({ length: 50 }, () => "a.xml"),
    1_000,
  );
  expect(listZip(zip)).toHaveLength(1);
  expect([...readZip(zip, all).keys()]).toEqual(["a.xml"]);
});

test("an archive whose files share their packed bytes is damaged", () => {
  const names = Array.from({ length: 50 }, (_, at) => `word/${at}.xml`);
  expect(() => readZip(sharedArchive(names, 1_000), all)).toThrow(
    expect.objectContaining({ code: "SCRAPE_DOCUMENT_PREFETCH_FAILED" }),
  );
});

test("packed bytes count as work, whatever they unpack to", () => {
  const zip = sharedArchive(["a.xml"], 2_000);
  const budget = new WorkBudget();
  expect(readZip(zip, all, budget).get("a.xml")).toHaveLength(0);
  expect(budget.steps).toBeGreaterThan(500);
  expect(() => readZip(zip, all, new WorkBudget({ steps: 500 }))).toThrow(
    expect.objectContaining({ code: "SCRAPE_WORK_LIMIT" }),
  );
});

test("large parts of a workbook count among the files of an archive", async () => {
  const names = Array.from({ length: 6_001 }, (_, at) => `xl/worksheets/${at}.xml`);
  const options = { url: "https://example.com/a.xlsx", contentType: undefined };
  await expect(readDocument("xlsx", sharedArchive(names, 0, 300_000), options)).rejects.toMatchObject({
    code: "SCRAPE_UNSUPPORTED_FILE_ERROR",
  });
});
