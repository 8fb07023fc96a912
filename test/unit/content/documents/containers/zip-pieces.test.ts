import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { listZip, type ZipEntry } from "../../../../../src/content/documents/containers/zip.ts";
import { unpackText } from "../../../../../src/content/documents/containers/zip-pieces.ts";

const text = "<a>häuser 木</a>".repeat(200_000);

const entryOf = (zip: Uint8Array, name: string): ZipEntry | undefined =>
  listZip(zip).find((entry) => entry.name === name);

async function read(zip: Uint8Array, name = "a.xml", maxBytes?: number): Promise<string[]> {
  const pieces: string[] = [];
  const budget = new WorkBudget();
  for await (const piece of unpackText(zip, entryOf(zip, name), {
    budget,
    ...(maxBytes === undefined ? {} : { maxBytes }),
  }))
    pieces.push(piece);
  return pieces;
}

test.each([0, 6] as const)("a text that is packed with level %i comes piece by piece", async (level) => {
  const pieces = await read(zipSync({ "a.xml": strToU8(text) }, { level }));
  expect(pieces.length).toBeGreaterThan(10);
  expect(pieces.join("") === text).toBe(true);
  expect(await read(zipSync({ "a.xml": strToU8(text) }), "none.xml")).toEqual([]);
});

test("a text in UTF-16 is decoded across its pieces", async () => {
  const bytes = new Uint8Array(2 + text.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, true);
  for (let at = 0; at < text.length; at++) view.setUint16(2 + at * 2, text.charCodeAt(at), true);
  expect((await read(zipSync({ "a.xml": bytes }))).join("") === text).toBe(true);
});

test("what comes behind the last piece that is read is not unpacked", async () => {
  const budget = new WorkBudget();
  const zip = zipSync({ "a.xml": new Uint8Array(40_000_000).fill(65) });
  for await (const piece of unpackText(zip, entryOf(zip, "a.xml"), { budget })) if (piece.length > 0) break;
  expect(budget.bytes).toBeLessThan(500_000);
});

test("too large, damaged and encrypted files end with typed errors", async () => {
  const zip = zipSync({ "a.xml": strToU8(text) });
  await expect(read(zip, "a.xml", 100_000)).rejects.toMatchObject({ code: "SCRAPE_UNSUPPORTED_FILE_ERROR" });
  const damaged = zip.map((byte, at) => (at > 80 && at < 110 ? byte ^ 0x5a : byte));
  await expect(read(damaged)).rejects.toMatchObject({ code: "SCRAPE_DOCUMENT_PREFETCH_FAILED" });
  const locked = zip.slice();
  const view = new DataView(locked.buffer);
  for (let at = 0; at + 46 < locked.length; at++)
    if (view.getUint32(at, true) === 0x02014b50) view.setUint16(at + 8, 1, true);
  await expect(read(locked)).rejects.toThrow("password");
});
