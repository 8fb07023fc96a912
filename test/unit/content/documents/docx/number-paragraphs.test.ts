import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { withNumbers } from "../../../../../src/content/documents/docx/number-paragraphs.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const W14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"';
const source = { contentType: undefined, url: "https://example.com/a.docx" };

/** Returns a level of a numbering. */
const level = (at: number, format: string, text: string, start = 1): string =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;

const NUMBERING = `<w:numbering ${NAMESPACE}>
<w:abstractNum w:abstractNumId="7">${level(0, "upperRoman", "%1.", 3)}${level(1, "lowerLetter", "%1.%2)")}${level(2, "bullet", "•")}</w:abstractNum>
<w:abstractNum w:abstractNumId="8">${level(0, "decimal", "%1.")}</w:abstractNum>
<w:abstractNum w:abstractNumId="9">${level(0, "decimal", "%1.")}${level(1, "decimal", "%1.%2")}${level(2, "lowerLetter", "(%3)")}${level(3, "none", "")}${level(4, "chineseCounting", "%5、")}</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="9"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="9"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`;

const style = (id: string, name: string, properties = "", basedOn = "Normal"): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:basedOn w:val="${basedOn}"/>${properties}</w:style>`;
const numbered = (at: number, id?: number): string =>
  `<w:numPr><w:ilvl w:val="${at}"/>${id === undefined ? "" : `<w:numId w:val="${id}"/>`}</w:numPr>`;

const STYLES = `<w:styles ${NAMESPACE}>${style("Heading1", "heading 1")}
${style("Numbers", "Numbers", `<w:pPr>${numbered(1, 1)}</w:pPr>`)}${style("Heading2", "heading 2", "", "Numbers")}
${style("Heading3", "heading 3", `<w:pPr>${numbered(2, 1)}</w:pPr>`)}
${style("Chapter", "House chapter", "", "Heading1")}${style("Annex", "House annex", "", "Chapter")}${style("Motto", "Quote", "", "Heading1")}</w:styles>`;

const paragraph = (text: string, properties = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const heading = (at: number, text: string, properties = ""): string =>
  paragraph(text, `<w:pStyle w:val="Heading${at}"/>${properties}`);

async function read(body: string): Promise<string> {
  const part = (name: string, type: string): string =>
    `<Override PartName="/word/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${type}+xml"/>`;
  const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part("document", "document.main")}${part("numbering", "numbering")}${part("styles", "styles")}</Types>`;
  const relations = (...targets: [id: string, type: string, target: string][]): string =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([id, type, target]) => `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`).join("")}</Relationships>`;
  const files = {
    "[Content_Types].xml": types,
    "_rels/.rels": relations(["a", "officeDocument", "word/document.xml"]),
    "word/_rels/document.xml.rels": relations(["b", "numbering", "numbering.xml"], ["c", "styles", "styles.xml"]),
    "word/numbering.xml": NUMBERING,
    "word/styles.xml": STYLES,
    "word/document.xml": `<w:document ${NAMESPACE} ${W14}><w:body>${body}</w:body></w:document>`,
  };
  const bytes = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  return (await readDocument("docx", bytes, source)).markdown;
}

test("headings have the numbers that Word computes, from the paragraph or from styles", async () => {
  const markdown = await read(
    [
      heading(1, "Harbour", numbered(0, 1)),
      heading(2, "Boats"),
      heading(2, "Crews"),
      heading(3, "Cooks"),
      heading(1, "Market", numbered(0, 1)),
      heading(2, "Prices"),
      heading(1, "Without a number"),
      heading(1, "Of another list", numbered(0, 2)),
    ].join(""),
  );
  expect(markdown.split("\n\n")).toEqual([
    "# III. Harbour",
    "## III.a) Boats",
    "## III.b) Crews",
    "### Cooks",
    "# IV. Market",
    "## IV.a) Prices",
    "# Without a number",
    "# 1. Of another list",
  ]);
});

test("a numbered paragraph of a list counts, and its list begins with its number", async () => {
  const markdown = await read(
    heading(1, "One", numbered(0, 2)) + paragraph("an item", numbered(0, 2)) + heading(1, "Three", numbered(0, 2)),
  );
  expect(markdown).toContain("# 1. One");
  expect(markdown).toContain("2. an item");
  expect(markdown).toContain("# 3. Three");
});

test("check boxes have their state", async () => {
  const box = (isChecked: boolean, text: string): string =>
    `<w:p><w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="${isChecked ? 1 : 0}"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☐</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t xml:space="preserve"> ${text}</w:t></w:r></w:p>`;
  expect(await read(box(true, "landed") + box(false, "weighed"))).toBe("[x] landed\n\n[ ] weighed");
});

test("items have the numbers of Word where text, other lists and levels interrupt them", async () => {
  const item = (at: number, text: string, id = 3): string => paragraph(text, numbered(at, id));
  const markdown = await read(
    [
      item(0, "Oak"),
      item(1, "Bark"),
      item(2, "Cork"),
      item(2, "Tannin"),
      paragraph("Words in between."),
      item(1, "Leaves"),
      item(0, "Elm"),
      item(0, "Ash again", 4),
      item(0, "Yew", 4),
      item(3, "Without a number"),
      item(4, "樫"),
      item(4, "楡"),
    ].join(""),
  );
  expect(markdown).toBe(
    [
      "1. Oak\n   - 1.1 Bark\n     - (a) Cork\n     - (b) Tannin",
      "Words in between.",
      "- 1.2 Leaves",
      "2. Elm",
      "1) Ash again\n2) Yew",
      "Without a number",
      "- 一、 樫\n- 二、 楡",
    ].join("\n\n"),
  );
});

test("an alternative is one text, and counts once", async () => {
  const MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
  const either = (choice: string, fallback: string): string =>
    `<mc:AlternateContent ${MC}><mc:Choice Requires="wps">${choice}</mc:Choice><mc:Choice Requires="w16">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
  const item = (text: string): string => paragraph(text, numbered(0, 2));
  const nested = either(item("in both"), item("in both"));
  const markdown = await read(item("first") + either(nested + item("last"), nested + item("last")));
  expect(markdown).toBe("1. first\n2. in both\n3. last");
  expect(await read(either(item("choice alone"), "<w:p/>"))).toBe("1. choice alone");
});

test("styles that are based on one of a heading are headings, but for those with a meaning of their own", async () => {
  const styled = (id: string, text: string): string => paragraph(text, `<w:pStyle w:val="${id}"/>`);
  expect(await read(styled("Chapter", "Harbours") + styled("Annex", "Maps") + styled("Motto", "To sea."))).toBe(
    "# Harbours\n\n# Maps\n\n> To sea.",
  );
});

test("a long text of a level is cut, and numbers of many characters end at a limit", () => {
  const item = paragraph("x", numbered(0, 1));
  const numbering = (text: string, start = 1): string =>
    `<w:abstractNum w:abstractNumId="0">${level(0, "lowerLetter", text, start)}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
  const budget = new WorkBudget();
  const write = (text: string, count: number, start?: number): string =>
    withNumbers(item.repeat(count), { numbering: numbering(text, start), styles: "" }, budget);
  const long = write(`${"z".repeat(98)}&amp;${"z".repeat(100_000)}`, 10);
  expect(long.length).toBeLessThan(5_000);
  expect(long).toContain(`${"z".repeat(98)} </w:t>`);
  expect(budget.cutParts).toEqual([]);
  expect(write("%1".repeat(50), 900, 3_000).length).toBeLessThan(5_000_000);
  expect(budget.cutParts).toEqual(["numbers of paragraphs"]);
});

test("an item whose properties were changed in a revision has its number", async () => {
  const change = `<w:pPrChange w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"><w:pPr>${numbered(1, 3)}</w:pPr></w:pPrChange>`;
  expect(await read(paragraph("one", numbered(0, 2) + change) + paragraph("two", numbered(0, 2)))).toBe(
    "1. one\n2. two",
  );
});

test.each(["-1", "0.5", "1.5", "9", "x", "NaN", "1e9", "1e308"])(
  "a paragraph of the level %s has no number",
  async (at) => {
    const properties = `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="3"/></w:numPr>`;
    expect(await read(paragraph("one", properties) + paragraph("two", numbered(0, 3)))).toMatch(/one\s+1\. two$/);
  },
);
