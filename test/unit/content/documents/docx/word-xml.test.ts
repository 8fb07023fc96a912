import { expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import * as wordXml from "../../../../../src/content/documents/docx/word-xml.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";
import { docxOf } from "../../../../hostile/hostile-office.ts";

const { withoutEntities } = wordXml;
/** Cleans a text that comes in pieces of some length. */
async function withoutLooks(text: string, length = 130_001): Promise<string> {
  const count = Math.ceil(text.length / length);
  return wordXml.withoutLooks(Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length)));
}
const source = { contentType: undefined, url: "https://example.com/a.docx" };
const CELL_LOOKS =
  '<w:tcPr><w:tcW w:w="1"/><w:tcBorders><w:top w:val="nil"/><w:left w:val="nil"/></w:tcBorders><w:shd w:fill="F"/></w:tcPr>';
const RUN_LOOKS = '<w:rPr><w:rFonts w:ascii="A"/><w:sz w:val="20"/><w:szCs w:val="20"/></w:rPr>';

test("elements that only concern looks are removed, those with a meaning are kept", async () => {
  const text = `<w:p w:rsidR="00AB"><w:pPr><w:jc w:val="left"/>${RUN_LOOKS}</w:pPr><w:r><w:rPr><w:b/><w:sz w:val="2"/></w:rPr><w:tab/><w:t>a</w:t></w:r></w:p>`;
  expect(await withoutLooks(text)).toBe("<w:p><w:r><w:rPr><w:b/></w:rPr><w:tab/><w:t>a</w:t></w:r></w:p>");
  expect(await withoutLooks('<w:tcPr><w:gridSpan w:val="2"/><w:tcW w:w="9"/></w:tcPr>')).toBe(
    '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>',
  );
});

test("a large document is cleaned in parts like a small one", async () => {
  const paragraph = `<w:p w:rsidR="00AB"><w:pPr><w:pStyle w:val="A"/>${RUN_LOOKS}</w:pPr><w:r>${RUN_LOOKS}<w:t>a</w:t></w:r></w:p>`;
  const style = `<w:style w:styleId="A"><w:rPr><w:sz w:val="2"/></w:rPr><w:name w:val="A"/></w:style>`;
  for (const piece of [paragraph, style]) {
    const count = Math.ceil(1_000_000 / piece.length);
    expect((await withoutLooks(piece.repeat(count))) === (await withoutLooks(piece)).repeat(count)).toBe(true);
  }
  const cutAnywhere = paragraph.repeat(6_000);
  expect((await withoutLooks(cutAnywhere, 7)) === (await withoutLooks(paragraph)).repeat(6_000)).toBe(true);
  const unbroken = "x".repeat(900_000);
  expect((await withoutLooks(unbroken)) === unbroken).toBe(true);
});

test("a document is cleaned up to a number of elements, drawings not counted", async () => {
  const paragraph = "<w:p><w:r><w:t>a</w:t></w:r></w:p>";
  let pieces = 0;
  function* endless(text: string): Generator<string> {
    for (; pieces < 100; pieces++) yield text.repeat(Math.ceil(100_000 / text.length));
  }
  const cleaned = await wordXml.withoutLooks(endless(paragraph), 20_000);
  expect(cleaned.split("<w:p>").length).toBeGreaterThan(20_000 / 3);
  expect(pieces).toBeLessThan(20);
  pieces = 0;
  await wordXml.withoutLooks(endless(`<w:p><w:r><w:drawing/></w:r></w:p>`), 20_000);
  expect(pieces).toBe(100);
});

test("a table whose cells have many looks is read to its end", async () => {
  const cell = `<w:tc>${CELL_LOOKS}<w:p><w:pPr><w:ind w:left="1"/>${RUN_LOOKS}</w:pPr><w:r>${RUN_LOOKS}<w:t>cell</w:t></w:r></w:p></w:tc>`;
  const last = "<w:p><w:r><w:t>The last line</w:t></w:r></w:p>";
  const bytes = docxOf(`<w:tbl>${`<w:tr>${cell.repeat(10)}</w:tr>`.repeat(520)}</w:tbl>${last}`);
  const { markdown, warning } = await readDocument("docx", bytes, source);
  expect({ rows: markdown.match(/^\| cell/gm)?.length, warning }).toEqual({ rows: 520, warning: undefined });
  expect(markdown.endsWith("The last line")).toBe(true);
});

test("references to entities that XML does not know become text, or nothing", async () => {
  expect(withoutEntities("a&nbsp;b &amp; &#38; &#x26; &lt;&unknown;c & d;")).toBe(
    "a\u00a0b &amp; &#38; &#x26; &lt;c & d;",
  );
  const type = '<!DOCTYPE w [<!ENTITY outside SYSTEM "file:///etc/passwd">]>';
  const bytes = docxOf("<w:p><w:r><w:t>Before&outside; and &eacute; after</w:t></w:r></w:p>", type);
  expect((await readDocument("docx", bytes, source)).markdown).toBe("Before and é after");
});

test("hidden text is left out, with the marks of its fields kept, in linear time", async () => {
  const run = (properties: string, inside: string): string => `<w:r><w:rPr>${properties}</w:rPr>${inside}</w:r>`;
  const text = (words: string): string => `<w:t xml:space="preserve">${words}</w:t>`;
  const mark = (type: string): string => `<w:fldChar w:fldCharType="${type}"/>`;
  const body = [
    `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run("<w:b/>", text("seen"))}`,
    run("<w:i/><w:vanish/>", text(" secret")),
    run('<w:vanish w:val="0"/>', text(" shown")),
    run('<w:vanish w:val="true"/>', mark("begin")),
    run("<w:vanish/>", '<w:instrText xml:space="preserve"> XE "secret" </w:instrText>'),
    `${run("<w:vanish/>", mark("end"))}${run("", text(" end"))}</w:p>`,
  ].join("");
  expect((await readDocument("docx", docxOf(body), source)).markdown).toBe("**seen** shown end");
  const open = "<w:r><w:rPr><w:vanish/>".repeat(100_000);
  const startedAtMs = performance.now();
  expect(wordXml.withoutHidden(open)).toBe(open);
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
});

const run = (words: string, properties = ""): string =>
  `<w:r>${properties}<w:t xml:space="preserve">${words}</w:t></w:r>`;
const markdownOf = async (body: string): Promise<string> => (await readDocument("docx", docxOf(body), source)).markdown;

test("the text of simple fields and of changed directions is read", async () => {
  const field = `<w:fldSimple w:instr=" SEQ Figure \\* ARABIC ">${run("1")}</w:fldSimple>`;
  expect(await markdownOf(`<w:p>${run("Figure ")}${field}<w:fldSimple w:instr="X"/>${run(": Revenue")}</w:p>`)).toBe(
    "Figure 1: Revenue",
  );
  const turned = `<w:dir w:val="rtl">${run("one")}<w:bdo w:val="ltr">${run(" two")}</w:bdo></w:dir>`;
  expect(await markdownOf(`<w:p>${turned}${run(" three")}</w:p>`)).toBe("one two three");
});

test("ruby is its base text, in linear time", async () => {
  const ruby = (base: string): string =>
    `<w:r><w:ruby><w:rubyPr><w:rubyAlign w:val="center"/></w:rubyPr><w:rt>${run("よみ")}</w:rt><w:rubyBase>${base}</w:rubyBase></w:ruby></w:r>`;
  const bold = run("語", "<w:rPr><w:b/></w:rPr>");
  expect(await markdownOf(`<w:p>${run("前")}${ruby(run("漢字"))}${ruby(bold)}${run("後")}</w:p>`)).toBe(
    "前漢字**語**後",
  );
  const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const address = '<w:r><w:instrText> HYPERLINK "https://example.com/k" </w:instrText></w:r>';
  expect(
    await markdownOf(`<w:p>${field("begin")}${address}${field("separate")}${ruby(run("字"))}${field("end")}</w:p>`),
  ).toBe("[字](https://example.com/k)");
  expect(wordXml.withPlainRuns("<w:ruby><w:rubyBase></w:ruby><w:t>x</w:t>")).toBe("<w:t>x</w:t>");
  const open = "<w:ruby><w:rubyBase>".repeat(50_000);
  expect(await leastProcessorMs(() => wordXml.withPlainRuns(open), 200)).toBeLessThan(200);
});

test("properties before a revision are removed, in linear time", async () => {
  const former =
    '<w:pPrChange w:id="1" w:author="A"><w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr></w:pPrChange>';
  const text = `<w:p><w:pPr><w:pStyle w:val="A"/>${former}</w:pPr><w:r><w:rPr><w:b/><w:rPrChange w:id="2"><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>a</w:t></w:r></w:p>`;
  expect(await withoutLooks(text)).toBe(
    '<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:p>',
  );
  const open = "<w:pPrChange><w:rPrChange>".repeat(10_000);
  expect(await leastProcessorMs(() => withoutLooks(open), 300)).toBeLessThan(300);
});
