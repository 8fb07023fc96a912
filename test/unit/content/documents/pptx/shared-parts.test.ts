import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { readOdp, readPptx } from "../../../../../src/content/documents/pptx/presentation.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";

const NAMES =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const body = (text: string): string =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
const slide = (shapes: string): string => `<p:sld ${NAMES}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;
const relations = (entries: string): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries}</Relationships>`;

/** A presentation with these parts, whose slides are in the order of the numbers. */
function presentation(slides: readonly number[], parts: Record<string, string>): Uint8Array {
  const all: Record<string, string> = {
    "ppt/presentation.xml": `<p:presentation ${NAMES}><p:sldIdLst>${slides.map((at) => `<p:sldId r:id="r${at}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relations(
      [...new Set(slides)]
        .map((at) => `<Relationship Id="r${at}" Type="a/slide" Target="slides/slide${at}.xml"/>`)
        .join(""),
    ),
    ...parts,
  };
  return zipSync(Object.fromEntries(Object.entries(all).map(([name, text]) => [name, strToU8(text)])));
}

test("a slide that is named repeatedly is read once", () => {
  const parts = { "ppt/slides/slide1.xml": slide(body("one")), "ppt/slides/slide2.xml": slide(body("two")) };
  const { html, metadata } = readPptx(presentation([2, 1, 2, 1, 1], parts), new WorkBudget());
  expect(html.match(/one|two/g)).toEqual(["two", "one"]);
  expect(metadata.numSlides).toBe(2);
});

test("notes that many slides share are read up to a limit", () => {
  const numbers = Array.from({ length: 40 }, (_, at) => at + 1);
  const parts = Object.fromEntries(
    numbers.flatMap((at) => [
      [`ppt/slides/slide${at}.xml`, slide(body(`slide ${at}.`))],
      [
        `ppt/slides/_rels/slide${at}.xml.rels`,
        relations('<Relationship Id="r1" Type="a/notesSlide" Target="../notesSlides/notes.xml"/>'),
      ],
    ]),
  );
  const notes = slide(body("long note ".repeat(100_000)));
  const budget = new WorkBudget();
  const { html } = readPptx(presentation(numbers, { ...parts, "ppt/notesSlides/notes.xml": notes }), budget);
  expect(html).toContain("slide 40.");
  expect(html.length).toBeGreaterThan(5_000_000);
  expect(html.length).toBeLessThan(15_000_000);
  expect(budget.warning).toContain("parts that the document refers to repeatedly");
});

test("relations count, and those of notes are read once for all texts of the notes", () => {
  const stepsOf = (texts: number): number => {
    const budget = new WorkBudget();
    const parts = {
      "ppt/slides/slide1.xml": slide(body("one")),
      "ppt/slides/_rels/slide1.xml.rels": relations(
        '<Relationship Id="r1" Type="a/notesSlide" Target="../notesSlides/notes.xml"/>',
      ),
      "ppt/notesSlides/notes.xml": slide(body("note").repeat(texts)),
      "ppt/notesSlides/_rels/notes.xml.rels": relations(
        '<Relationship Id="r1" Type="a/slide" Target="x"/>'.repeat(500),
      ),
    };
    readPptx(presentation([1], parts), budget);
    return budget.steps;
  };
  const [one, many] = [stepsOf(1), stepsOf(20)];
  expect(one).toBeGreaterThan(2_000);
  expect(many).toBeLessThan(2 * one);
});

test("a line break in the title of an OpenDocument slide is a space", () => {
  const names = ["office", "text", "drawing", "presentation"]
    .map((name) => `xmlns:${name === "drawing" ? "draw" : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(" ");
  const title = `<draw:frame presentation:class="title"><draw:text-box><text:p>First line<text:line-break/>second line</text:p></draw:text-box></draw:frame>`;
  const content = `<office:document-content ${names}><office:body><office:presentation><draw:page>${title}</draw:page></office:presentation></office:body></office:document-content>`;
  const { html } = readOdp(zipSync({ "content.xml": strToU8(content) }), new WorkBudget());
  expect(html).toBe("<h2>First line second line</h2>");
});

test("one address of many runs is written up to a limit, and a very long one not at all", () => {
  const read = (characters: number) => {
    const run = '<a:r><a:rPr><a:hlinkClick r:id="r1"/></a:rPr><a:t>x</a:t></a:r>';
    const budget = new WorkBudget();
    const parts = {
      "ppt/slides/slide1.xml": slide(`<p:sp><p:txBody><a:p>${run.repeat(500)}</a:p></p:txBody></p:sp>`),
      "ppt/slides/_rels/slide1.xml.rels": relations(
        `<Relationship Id="r1" Type="a/hyperlink" TargetMode="External" Target="https://${"h".repeat(characters - 8)}"/>`,
      ),
    };
    const { html } = readPptx(presentation([1], parts), budget);
    return { links: html.match(/<a href/g)?.length ?? 0, texts: html.match(/x/g)?.length, cut: budget.cutParts };
  };
  expect(read(10_000)).toEqual({ links: 400, texts: 500, cut: ["parts that the document refers to repeatedly"] });
  expect(read(100)).toEqual({ links: 500, texts: 500, cut: [] });
  expect(read(20_000)).toEqual({ links: 0, texts: 500, cut: [] });
});
