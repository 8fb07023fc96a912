import { expect, test } from "vitest";
import { SharedStrings } from "../../../../../src/content/documents/spreadsheet/shared-strings.ts";

const LIST = '<?xml version="1.0"?><sst xmlns="x"><si><t>a</t></si><si><r><t>b</t></r></si><si><t>c</t></si></sst>';
const cell = (number: number): string => `<c r="A1" t="s"><v>${number}</v></c>`;

test("rows name the strings that they have, and other cells stay", () => {
  const rows = `<row r="1">${cell(2)}<c r="B1"><v>2</v></c><c r="C1" t="s"/>${cell(0)}${cell(2)}</row>`;
  expect(new SharedStrings(LIST).within(rows)).toEqual({
    rows: `<row r="1">${cell(0)}<c r="B1"><v>2</v></c><c r="C1" t="s"/>${cell(1)}${cell(0)}</row>`,
    strings: '<?xml version="1.0"?><sst xmlns="x"><si><t>c</t></si><si><t>a</t></si></sst>',
  });
});

test.each([3, 999])("string %i, which the list lacks, moves no other one", (number) => {
  const { rows, strings } = new SharedStrings(LIST).within(`${cell(1)}${cell(number)}${cell(0)}`);
  expect(rows).toBe(`${cell(0)}${cell(1)}${cell(2)}`);
  expect(strings).toContain('<sst xmlns="x"><si><r><t>b</t></r></si><si></si><si><t>a</t></si></sst>');
});
