import { utils, write } from "#xlsx";
import { strToU8, unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

/** 2026-03-05 12:30. */
const DAY = 46_086.520_833_333_336;
const CUSTOM = "dd\\.mm\\.yyyy";

/** Reads the text of a cell with a date in a workbook whose only format of its own is replaced by another one. */
async function read(format: { id?: number; code?: string }): Promise<string> {
  const sheet = utils.aoa_to_sheet([["Day"], ["x"]], { dense: false });
  sheet["A2"] = { t: "n", v: DAY, z: CUSTOM };
  const written = write(utils.book_new(sheet, "S"), { type: "array", bookType: "xlsx" }) as ArrayBuffer;
  const parts = unzipSync(new Uint8Array(written));
  // SheetJS gives the cell the first or the second style, by the formats that it has seen before.
  const own = `<xf numFmtId="${format.id ?? 164}" applyNumberFormat="1"/>`;
  const styles = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="1"><numFmt numFmtId="164" formatCode="${(format.code ?? "0").replaceAll('"', "&quot;")}"/></numFmts><cellXfs count="3"><xf numFmtId="0"/>${own}${own}</cellXfs></styleSheet>`;
  const bytes = zipSync({ ...parts, "xl/styles.xml": strToU8(styles) });
  const { markdown } = await readDocument("xlsx", bytes, { contentType: undefined, url: "https://example.com/a.xlsx" });
  return /\| Day \|\n\| --- \|\n\| (.*) \|/.exec(markdown)?.[1] ?? markdown;
}

test.each([14, 27, 28, 30, 31, 36, 50, 54, 57, 58])("the built-in format %i is a date as others are", async (id) => {
  expect(await read({ id })).toBe("2026-03-05");
});

test.each([
  ['[$-411]ggge"年"m"月"d"日";@', "2026-03-05"],
  ["[$-411]ge.m.d", "2026-03-05"],
  ["yyyy/m/d (aaa)", "2026-03-05"],
  ["aaaa", "2026-03-05"],
  ["ggge\\-mm\\-dd h:mm", "2026-03-05 12:30"],
])("the format %s of an era or of a day of the week is a date", async (code, text) => {
  expect(await read({ code })).toBe(text);
});

test.each([
  ["General", "46086.52083"],
  ["h:mm AM/PM", "12:30 PM"],
  ['0.0"kg"', "46086.5kg"],
  ["0.0\\g", "46086.5g"],
  ["[$Ggg] 0", "Ggg 46087"],
  [CUSTOM, "05.03.2026"],
])("the format %s stays", async (code, text) => {
  expect(await read({ code })).toBe(text);
});
