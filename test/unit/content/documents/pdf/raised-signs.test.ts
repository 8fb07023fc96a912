import { expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadeText, madePdf, widthOf } from "./made-pdf.ts";

/** Places pieces on one line; those after a caret are raised. */
const line = (pieces: readonly string[], y: number, size = 10): MadeText[] => {
  let x = 72;
  return pieces.map((piece) => {
    const isRaised = piece.startsWith("^");
    const text = isRaised ? piece.slice(1) : piece;
    const own = isRaised ? size * 0.7 : size;
    const placed: MadeText = { text, x, y: isRaised ? y - size * 0.35 : y, size: own };
    x += widthOf(text, own);
    return placed;
  });
};
const read = (texts: readonly MadeText[]) =>
  readPdf(madePdf([{ texts }]), "https://example.com/a.pdf", { blocks: true });

test("exponents and signs of notes are raised, and stay apart from their words", async () => {
  const { markdown, html, blocks } = await read([
    ...line(["It holds that E = mc", "^2", " for the boats", "^1", " of 1987", "^12", ", or 10", "^-6", " km."], 100),
    ...line(["The writers", "^a", " and others", "^*", " went on the 1", "^st", " of May.", "^[3]"], 112),
    ...line(["^12", " See the list of boats."], 140, 8),
  ]);
  expect(markdown).toBe(
    "It holds that E = mc² for the boats¹ of 1987¹², or 10⁻⁶ km. The writers<sup>a</sup> and others* went on the 1st of May.[3]\n\n¹² See the list of boats.",
  );
  expect(html).toContain("writers<sup>a</sup>");
  expect(blocks?.[0]?.blocks[0]?.text).toContain("E = mc² for the boats¹");
});

test("what is as large as its line, lower than it, or apart from its words is not raised", async () => {
  const { markdown } = await read([
    { text: "Water is H", x: 72, y: 100 },
    { text: "2", x: 122, y: 102.5, size: 7 },
    { text: "O, of class A", x: 125.5, y: 100 },
    { text: "1", x: 190.5, y: 100, size: 7 },
    { text: "and size", x: 198, y: 100 },
    { text: "4", x: 243, y: 96.5, size: 7 },
    { text: "is next.", x: 252, y: 100 },
  ]);
  expect(markdown).toBe("Water is H2O, of class A1 and size 4 is next.");
});
