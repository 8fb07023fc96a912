import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { readFormatting } from "../../../../../src/content/documents/doc/formatting.ts";
import { textBetween, type WordFile } from "../../../../../src/content/documents/doc/piece-table.ts";

const PAGE_BYTES = 512;
const RUNS = 101;
const CHARACTER_RUNS = 0xfa;

/** A document whose pages from the second one on have runs of 10 bytes each, and a table that names some of the pages. */
function file(pages: number, named: readonly number[], budget = new WorkBudget()): WordFile {
  const document = new DataView(new ArrayBuffer((pages + 1) * PAGE_BYTES));
  const table = new DataView(new ArrayBuffer((named.length + 1) * 4 + named.length * 4));
  document.setUint32(CHARACTER_RUNS + 4, table.byteLength, true);
  for (const [at, page] of named.entries()) table.setUint32((named.length + 1) * 4 + at * 4, page, true);
  for (let page = 1; page <= pages; page++) {
    const start = page * PAGE_BYTES;
    for (let run = 0; run <= RUNS; run++) document.setUint32(start + run * 4, ((page - 1) * RUNS + run) * 10, true);
    document.setUint8(start + PAGE_BYTES - 1, RUNS);
  }
  return {
    document,
    table,
    pieces: [],
    textLength: 0,
    footnoteLength: 0,
    hasFormatting: true,
    isTextOnly: false,
    encoding: "windows-1252",
    budget,
    textLeft: budget.within({ bytes: document.byteLength * 4 }),
  };
}

test("a page of runs is read once, however often the table names it", () => {
  const word = file(2, [...Array.from({ length: 16_000 }, () => 1), 2]);
  const { characterAt } = readFormatting(word);
  expect(characterAt(0)).toMatchObject({ start: 0, end: 10 });
  expect(characterAt(2 * RUNS * 10 - 1)).toMatchObject({ end: 2 * RUNS * 10 });
  expect(word.budget.steps).toBeLessThan(1_000);
  expect(word.budget.cutParts).toEqual([]);
});

test("runs are read up to a limit, and the text has its budget", () => {
  const pages = Array.from({ length: 1_000 }, (_, at) => at + 1);
  const word = file(pages.length, pages);
  const { characterAt } = readFormatting(word);
  expect(characterAt(0)).toBeDefined();
  expect(characterAt(pages.length * RUNS * 10 - 1)).toBeUndefined();
  expect(word.budget.cutParts).toEqual(["the formatting of the document"]);
  expect(word.budget.isSpent).toBe(false);
});

test("pieces that name the same bytes give them a few times", () => {
  const word = file(3, []);
  const length = word.document.byteLength;
  const pieces = Array.from(
    { length: 100 },
    (_, at) => ({ start: at * length, end: (at + 1) * length, offset: 0, bytesPerCharacter: 1 }) as const,
  );
  expect(textBetween({ ...word, pieces }, 0, 100 * length)).toHaveLength(4 * length);
  expect(word.budget.cutParts).toEqual(["the text of the document"]);
});
