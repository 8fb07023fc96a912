import { expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadeText, madePdf, paragraph, widthOf } from "./made-pdf.ts";

const read = async (texts: readonly MadeText[]): Promise<string> => {
  const { markdown } = await readPdf(madePdf([{ texts }]), "https://example.com/a.pdf");
  return markdown;
};

test("letters that are drawn in parts, dots first and apart from their letter, are the text that the file gives for them", async () => {
  const x = 300;
  const [beh, meem] = [{ text: "ب" }, { text: "م" }];
  const markdown = await read([
    { text: "\u066e", x, y: 100, actual: meem },
    // The dot below is drawn before its letter, to the right of where the letter begins.
    { text: ".", x: x + 8, y: 103, actual: beh },
    { text: "\u066e", x: x + 5, y: 100, actual: beh },
  ]);
  expect(markdown).toBe("بم");
});

test("a cluster of an Indian script is in the order of writing", async () => {
  const cluster = { text: "वि" };
  const markdown = await read([
    { text: "नगर", x: 72, y: 100 },
    { text: "ि", x: 92, y: 100, actual: cluster },
    { text: "व", x: 97, y: 100, actual: cluster },
    { text: "रुद्ध", x: 102, y: 100 },
  ]);
  expect(markdown).toBe("नगर विरुद्ध");
});

test("a hyphen that the file calls a soft one is none, at the end of a line", async () => {
  const markdown = await read([
    { text: "They measured the self", x: 72, y: 100 },
    { text: "-", x: 72 + widthOf("They measured the self"), y: 100, actual: { text: "\u00ad" } },
    { text: "Same lines again, which nobody had expected", x: 72, y: 112 },
  ]);
  expect(markdown).toBe("They measured the selfSame lines again, which nobody had expected");
});

test("glyphs without a text are left out, and a text for several lines does not replace them", async () => {
  const lines = { text: "summary" };
  const markdown = await read([
    { text: "Kept words", x: 72, y: 100 },
    { text: "......", x: 130, y: 100, actual: { text: " " } },
    ...paragraph("The orchard bore more in that year than ever. ".repeat(4).trim(), 72, 160, 300, { actual: lines }),
  ]);
  expect(markdown).toContain("Kept words");
  expect(markdown).not.toContain("...");
  expect(markdown).toContain("The orchard bore more in that year");
  expect(markdown).not.toContain("summary");
});

test("a text that is too long to stand for glyphs is none", async () => {
  const markdown = await read([{ text: "Kept words", x: 72, y: 100, actual: { text: "other ".repeat(40) } }]);
  expect(markdown).toBe("Kept words");
});
