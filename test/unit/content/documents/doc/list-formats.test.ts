import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { readNumberedLevels } from "../../../../../src/content/documents/doc/list-formats.ts";

const DECIMAL = 0;
const LETTER = 4;
const BULLET = 23;

/** Writes the tables of lists: each list with its id and the formats of its levels, then the ids that paragraphs refer to. */
function file(lists: readonly { id: number; formats: readonly number[] }[], ids: readonly number[], cutAt = Infinity) {
  const levels = lists.flatMap(({ formats }) => formats);
  // A level has 4 and 2 bytes of properties, and a text of 2 letters.
  const levelBytes = 28 + 4 + 2 + 2 + 2 * 2;
  const overridesAt = 2 + lists.length * 28 + levels.length * levelBytes;
  const table = new DataView(new ArrayBuffer(overridesAt + 4 + ids.length * 16));
  table.setUint16(0, lists.length, true);
  for (const [at, { id, formats }] of lists.entries()) {
    table.setUint32(2 + at * 28, id, true);
    table.setUint8(2 + at * 28 + 26, formats.length === 1 ? 1 : 0);
  }
  for (const [at, format] of levels.entries()) {
    const start = 2 + lists.length * 28 + at * levelBytes;
    table.setUint8(start + 4, format);
    table.setUint8(start + 24, 4);
    table.setUint8(start + 25, 2);
    table.setUint16(start + 34, 2, true);
  }
  table.setUint32(overridesAt, ids.length, true);
  for (const [at, id] of ids.entries()) table.setUint32(overridesAt + 4 + at * 16, id, true);
  const document = new DataView(new ArrayBuffer(0x300));
  document.setUint32(0x2e2 + 4, 1, true);
  document.setUint32(0x2ea, overridesAt, true);
  document.setUint32(0x2ea + 4, 1, true);
  const known = new DataView(table.buffer, 0, Math.min(cutAt, table.byteLength));
  return {
    document,
    table: known,
    pieces: [],
    textLength: 0,
    footnoteLength: 0,
    hasFormatting: true,
    isTextOnly: false,
    encoding: "windows-1252",
    budget: new WorkBudget(),
    textLeft: new WorkBudget(),
  };
}

const LISTS = [
  { id: 70, formats: [BULLET] },
  { id: 80, formats: [DECIMAL, LETTER, BULLET, 255, 0, 0, 0, 0, 0] },
];

test("the levels of a list are numbered, or have bullets or nothing", () => {
  const isNumbered = readNumberedLevels(file(LISTS, [80, 70]));
  expect([0, 1, 2, 3, 4].map((level) => isNumbered(1, level))).toEqual([true, true, false, false, true]);
  expect([isNumbered(2, 0), isNumbered(2, 1), isNumbered(3, 0), isNumbered(0, 0)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test("tables that are cut have the lists in front of that, and none without tables", () => {
  const whole = file(LISTS, [80, 70]).table.byteLength;
  for (let cutAt = 0; cutAt < whole; cutAt++)
    expect(() => readNumberedLevels(file(LISTS, [80, 70], cutAt))).not.toThrow();
  expect(readNumberedLevels({ ...file([], []), document: new DataView(new ArrayBuffer(0x1aa)) })(1, 0)).toBe(false);
});
