import { describe, expect, test } from "vitest";
import { MANY_ELEMENTS } from "../../../../../src/content/documents/docx/large-tables.ts";
import { splitParagraphs } from "../../../../../src/content/documents/docx/split-paragraphs.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";
import { docxOf } from "../../../../hostile/hostile-office.ts";

const source = { contentType: undefined, url: "https://example.com/a.docx" };
const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (content: string, properties = ""): string =>
  `<w:p>${properties === "" ? "" : `<w:pPr>${properties}</w:pPr>`}${content}</w:p>`;
const item = (text: string): string =>
  paragraph(run(text), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>');
const times = (count: number, write: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => write(at)).join("");
const wrap = (body: string): string => `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
const partsOf = (body: string, styles = ""): string[] => [...splitParagraphs(wrap(body), styles, new Set(["quote"]))];
const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;

const NUMBERING =
  '<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>';

describe("large Word documents", () => {
  test("are read in parts that each end behind a paragraph or a table", () => {
    const body = times(4_000, (at) => paragraph(run(`text ${at}`)));
    const parts = partsOf(body);
    expect(parts).toHaveLength(Math.ceil((4_000 * 3) / MANY_ELEMENTS));
    const inner = parts.map((part) => part.replace(/^.*<w:body>/, "").replace("</w:body></w:document>", ""));
    expect(inner.join("") === body).toBe(true);
    const tables = times(
      200,
      () => `<w:tbl>${times(20, () => `<w:tr><w:tc>${paragraph(run("x"))}</w:tc></w:tr>`)}</w:tbl>`,
    );
    expect(partsOf(tables).length).toBeGreaterThan(3);
  });

  test.each([
    { what: "a list", body: times(3_000, (at) => item(`item ${at}`)) },
    { what: "quotations", body: times(3_000, () => paragraph(run("x"), '<w:pStyle w:val="Q"/>')) },
    {
      what: "a field",
      body: paragraph(field("begin")) + times(3_000, () => paragraph(run("x"))) + paragraph(field("end")),
    },
    { what: "empty paragraphs", body: times(6_000, () => "<w:p/>") },
    { what: "a comment in the XML", body: `<!-- > -->${times(3_000, () => paragraph(run("x")))}` },
  ])("have no part that ends within $what", ({ body }) => {
    const styles = '<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/></w:style>';
    expect(partsOf(body, styles)).toEqual([wrap(body)]);
  });

  test(
    "give all their paragraphs, lists and tables in order, and notes with one numbering",
    { tags: ["long"] },
    async () => {
      const reference = (name: string, id: number): string => `<w:r><w:${name}Reference w:id="${id}"/></w:r>`;
      const note = (id: number): string => `<w:footnote w:id="${id}">${paragraph(run(`note ${id}`))}</w:footnote>`;
      const block = (at: number): string =>
        [
          paragraph(run(`text ${at}`) + reference("footnote", 500 - at)),
          item(`first ${at}`),
          item(`second ${at}`),
          `<w:del>${paragraph(reference("footnote", 501))}</w:del>`,
          `<w:tbl><w:tr><w:tc>${paragraph(run("a"))}</w:tc><w:tc>${paragraph(run(`cell ${at}`) + (at === 299 ? reference("comment", 1) : ""))}</w:tc></w:tr></w:tbl>`,
        ].join("");
      const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
      const bytes = docxOf(times(300, block), "", {
        "word/numbering.xml": NUMBERING,
        "word/footnotes.xml": `<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${times(502, note)}</w:footnotes>`,
        "word/comments.xml": `<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:comment w:id="1" w:initials="AB">${paragraph(run("the comment"))}</w:comment></w:comments>`,
        "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="n" Type="${type}/numbering" Target="numbering.xml"/><Relationship Id="f" Type="${type}/footnotes" Target="footnotes.xml"/><Relationship Id="c" Type="${type}/comments" Target="comments.xml"/></Relationships>`,
      });
      const { markdown } = await readDocument("docx", bytes, source);
      const blocks = Array.from({ length: 300 }, (_, at) => [`text ${at}[${at + 1}]`, at * 2 + 1, at * 2 + 2]);
      expect(Array.from(markdown.matchAll(/text (\d+).*\[(\d+)\]/g), ([, at, number]) => [at, number])).toEqual(
        blocks.map((_, at) => [String(at), String(at + 1)]),
      );
      expect(Array.from(markdown.matchAll(/^\d+\. (first|second) (\d+)$/gm), ([, , at]) => Number(at))).toEqual(
        blocks.flatMap((_, at) => [at, at]),
      );
      expect(markdown.match(/\| cell \d+/g)).toHaveLength(300);
      expect(markdown).toMatch(/cell 299.*AB1/);
      expect(
        Array.from(markdown.matchAll(/^(\d+)\. note (\d+)/gm), ([, number, id]) => [Number(number), Number(id)]),
      ).toEqual(blocks.map((_, at) => [at + 1, 500 - at]));
      expect(markdown).toContain("the comment");
    },
  );

  test("are divided in linear time where many signs have one end", async () => {
    const body = `${"<".repeat(600_000)}>`;
    // Some 20 ms; each end searched from each sign would take two seconds.
    expect(await leastProcessorMs(() => partsOf(body), 500)).toBeLessThan(500);
  });

  test("keep a text with the marks of references as it is", async () => {
    const marked = "\uE0060\uE007";
    const { markdown } = await readDocument("docx", docxOf(times(2_000, () => paragraph(run(`a ${marked}`)))), source);
    expect(markdown.split(`a ${marked}`)).toHaveLength(2_001);
  });
});
