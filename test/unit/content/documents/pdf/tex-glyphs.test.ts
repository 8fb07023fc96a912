import { expect, test } from "vitest";
import { texDecoder, withAccents } from "../../../../../src/content/documents/pdf/pages/tex-glyphs.ts";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
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

/** A page that shows a text in a font whose glyphs are drawn by the page, and have these names. */
function pdfWithDrawnGlyphs(text: string, nameOf: (code: number) => string): Uint8Array {
  const names = [...text].map((letter) => nameOf(letter.charCodeAt(0)));
  const differences = [...text].map((letter, at) => `${letter.charCodeAt(0)} /${names[at]}`).join(" ");
  const codes = Buffer.from(text, "latin1").toString("hex");
  const stream = (content: string): string => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>",
    stream(`BT /F 10 Tf 72 700 Td <${codes}> Tj ET`),
    `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 0 /LastChar 255 /Widths [${"500 ".repeat(256)}] /Encoding << /Type /Encoding /Differences [${differences}] >> /CharProcs << ${[...new Set(names)].map((name) => `/${name} 6 0 R`).join(" ")} >> /Resources << >> >>`,
    stream("500 0 0 0 500 700 d1 0 0 500 700 re f"),
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join("");
  return new TextEncoder().encode(`%PDF-1.4\n${body}trailer << /Root 1 0 R /Size 7 >>\n`);
}

test("glyphs that a page draws have TeX's codes only where they are named by codes, as pdfTeX does", async () => {
  const read = async (nameOf: (code: number) => string): Promise<string> =>
    (await readPdf(pdfWithDrawnGlyphs("Lou\u00FFs", nameOf), "https://example.com/a.pdf")).markdown;
  const names: Record<string, string> = { L: "L", o: "o", u: "u", s: "s", "\u00FF": "ydieresis" };
  expect(await read((code) => names[String.fromCharCode(code)] ?? "")).toBe("Lou\u00FFs");
  expect(await read((code) => `a${code}`)).toBe("Loußs");
});
