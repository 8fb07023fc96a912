import { expect, test } from "vitest";
import { ZipFiles } from "../../../../../src/content/documents/containers/zip.ts";
import { WordDrawings } from "../../../../../src/content/documents/docx/word-drawings.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";

const nested = (depth: number, text: string): string =>
  "<mc:AlternateContent><mc:Fallback>".repeat(depth) + text + "</mc:Fallback></mc:AlternateContent>".repeat(depth);
const replaced = (text: string): string =>
  new WordDrawings(new ZipFiles(new WorkBudget(), [])).replaceIn(text, "word/document.xml");

test.each([1, 16, 17, 60])("alternatives that are nested %i deep are read once, and what follows them", (depth) => {
  const text = "<w:t>inside</w:t>";
  expect(replaced(`<w:p>${nested(depth, text)}<w:t>after</w:t></w:p>`)).toBe(`<w:p>${text}<w:t>after</w:t></w:p>`);
});

test("a large text in 200,000 alternatives within one another is searched a few times, not once for each", () => {
  const text = "a".repeat(2_000_000);
  expect(replaced(nested(200_000, text))).toBe(text);
});
