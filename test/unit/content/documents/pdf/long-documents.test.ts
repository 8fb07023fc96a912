import { expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { madePdf, type MadeText, paragraph, widthOf } from "./made-pdf.ts";

const SENTENCE = "tells what the orchard bore in the years of the report. ";

/** Returns a dense page whose words are placed one by one, as LaTeX does. */
function densePage(number: number): { texts: MadeText[] } {
  const lines = paragraph(`Page ${number} ${SENTENCE.repeat(60)}`, 72, 150, 400);
  return {
    texts: lines.flatMap((line) => {
      let x = line.x;
      return line.text.split(" ").map((text) => {
        const word = { ...line, text, x };
        x += widthOf(`${text} `);
        return word;
      });
    }),
  };
}

test("a long document of dense pages that are packed well is read to its end", async () => {
  const pages = Array.from({ length: 30 }, (_, at) => densePage(at + 1));
  const { markdown, numPages, warning } = await readPdf(
    madePdf(pages, { isPacked: true }),
    "https://example.com/a.pdf",
  );
  expect(warning).toBeUndefined();
  expect(numPages).toBe(30);
  expect(markdown).toContain("Page 30 tells");
});
