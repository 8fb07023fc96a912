import { expect, test } from "vitest";
import { readProperties } from "../../../../../src/content/documents/doc/formatting.ts";
import { RowShapeReader } from "../../../../../src/content/documents/doc/row-shape.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";

/** Properties of a row, [MS-DOC] § 2.6.3: its cells, each 10 twips wide, and merges of cells from one to another. */
function properties(cells: number, merges: readonly (readonly [first: number, last: number])[]): DataView {
  const bytes = [0x08, 0xd6, 0, 0, cells, ...Array.from({ length: cells + 1 }, (_, at) => [at * 10, 0]).flat()];
  const length = bytes.length - 3;
  [bytes[2], bytes[3]] = [length & 0xff, length >> 8];
  for (const merge of merges) bytes.push(0x24, 0x56, ...merge);
  return new DataView(Uint8Array.from(bytes).buffer);
}

function read(page: DataView, budget = new WorkBudget()): RowShapeReader {
  const row = new RowShapeReader(budget);
  readProperties(page, 0, page.byteLength, row);
  return row;
}

test("cells are merged from the first to the one before the last", () => {
  const { shape } = read(properties(4, [[1, 3]]));
  expect(shape?.cells.map(({ across }) => across)).toEqual(["none", "start", "continued", "none"]);
  expect(read(properties(2, [[1, 255]])).shape?.cells.map(({ across }) => across)).toEqual(["none", "start"]);
  expect(read(properties(2, [[9, 255]])).shape?.cells.map(({ across }) => across)).toEqual(["none", "none"]);
});

test("merges are steps for each cell that they change, and end with the budget", () => {
  const merges = Array.from({ length: 1_000 }, () => [0, 255] as const);
  const [few, many] = [new WorkBudget(), new WorkBudget()];
  read(properties(5, merges), few);
  read(properties(25, merges), many);
  expect(many.steps / few.steps).toBeCloseTo(5, 0);
  const { shape } = read(properties(10, [[0, 9]]), new WorkBudget({ steps: 2 }));
  expect(shape?.cells.every(({ across }) => across === "none")).toBe(true);
});
