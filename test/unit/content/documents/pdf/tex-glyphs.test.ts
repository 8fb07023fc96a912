import { expect, test } from "vitest";
import { texDecoder, withAccents } from "../../../../../src/content/documents/pdf/pages/tex-glyphs.ts";
import type { TextRun } from "../../../../../src/content/documents/pdf/text-run.ts";

/** Returns runs of letters five points wide, each with the place where it begins. */
function runsAt(...pieces: readonly (readonly [left: number, text: string, baseline?: number])[]): TextRun[] {
  return pieces.map(([left, text, baseline = 100]) => ({
    text,
    left,
    right: left + text.length * 5,
    baseline,
    size: 10,
    isBold: false,
    isItalic: false,
    isMonospaced: false,
    isRightToLeft: false,
    href: undefined,
  }));
}

const textsOf = (runs: readonly TextRun[]): string[] => runs.map(({ text }) => text);

test("an accent that is drawn above the letter after it is put together with it", () => {
  expect(textsOf(withAccents(runsAt([0, "derni`"], [25, "ere ´"], [45, "etudes"])))).toEqual([
    "derni",
    "ère ",
    "études",
  ]);
  expect(textsOf(withAccents(runsAt([0, "´", 97], [0, "Economie"])))).toEqual(["Économie"]);
  expect(textsOf(withAccents(runsAt([0, "na¨"], [11, "ıve"])))).toEqual(["na", "ïve"]);
  expect(textsOf(withAccents(runsAt([0, "fran¸cais, f¨ur"])))).toEqual(["français, für"]);
});

test("an accent beside a letter, or one that the letter cannot have, stays a sign", () => {
  expect(textsOf(withAccents(runsAt([0, "run `"], [25, "echo"])))).toEqual(["run `", "echo"]);
  expect(textsOf(withAccents(runsAt([0, "ˆ"], [1, "β"], [20, "x¯"])))).toEqual(["ˆ", "β", "x¯"]);
});

test("codes of bitmap fonts are ligatures in the encoding that the font has", () => {
  expect(texDecoder(["Ver\u00F6\u001Bentlichung"])("Ver\u00F6\u001Bentlichung gro\u00FFe \u001Enity")).toBe(
    "Veröffentlichung große ffinity",
  );
  expect(texDecoder(["e\u000Ecient", "\u000Cnal"])("e\u000Ecient \u000Cnal \u0019")).toBe("efficient final ß");
});
