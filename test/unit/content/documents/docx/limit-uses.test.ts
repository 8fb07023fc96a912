import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { ZipFiles } from "../../../../../src/content/documents/containers/zip.ts";
import { UseLimit } from "../../../../../src/content/documents/docx/limit-uses.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const REPEATED = "parts that the document refers to repeatedly";

const relations = (entries: [id: string, type: string, target: string][]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;
const link = (prefix = "r"): string => `<w:hyperlink ${prefix}:id="n"><w:r><w:t>x</w:t></w:r></w:hyperlink>`;
const reference = (id: number): string => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
const note = (id: number, body: string): string =>
  `<w:footnote w:id="${id}"><w:p><w:r><w:t>${body}</w:t></w:r></w:p></w:footnote>`;

function limitOf(address: string) {
  const budget = new WorkBudget();
  const list = strToU8(relations([["n", "hyperlink", address]]));
  const files = new ZipFiles(budget, [["word/_rels/document.xml.rels", list]]);
  return { budget, limit: new UseLimit(files) };
}

test("links with one long address become text beyond a limit", () => {
  const { budget, limit } = limitOf("h".repeat(50_000));
  const text = limit.limit(link().repeat(100) + link("rel"), "word/document.xml");
  expect(text.match(/:id="n"/g)).toHaveLength(80);
  expect(text.match(/<w:t>x/g)).toHaveLength(101);
  expect(budget.cutParts).toEqual([REPEATED]);
});

test("a note that is referred to repeatedly is written up to a limit, with its links; others are written once each", () => {
  const { budget, limit } = limitOf("h".repeat(1_000));
  limit.addNotes(note(1, "y".repeat(99_000) + link()) + note(2, "short") + note(3, "z"), "word/document.xml");
  const text = limit.limit(reference(1).repeat(100) + reference(2) + reference(3), "word/document.xml");
  expect(text.match(/w:id="1"/g)).toHaveLength(40);
  expect(text).toContain(reference(2) + reference(3));
  expect(budget.cutParts).toEqual([REPEATED]);
});

test("the text of a document without many uses is not changed", () => {
  const { budget, limit } = limitOf("https://example.com/");
  limit.addNotes(note(1, "short"), "word/footnotes.xml");
  const text = link().repeat(100) + reference(1).repeat(100);
  expect(limit.limit(text, "word/document.xml")).toBe(text);
  expect(budget.cutParts).toEqual([]);
});

test("one long note that a document refers to 300 times is not written 300 times, whatever its part is called", async () => {
  const files = {
    "[Content_Types].xml":
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": relations([["a", "officeDocument", "word/document.xml"]]),
    "word/_rels/document.xml.rels": relations([["b", "footnotes", "other.xml"]]),
    "word/other.xml": `<w:footnotes ${W}>${note(1, "y".repeat(100_000))}</w:footnotes>`,
    "word/document.xml": `<w:document ${W}><w:body><w:p>${reference(1).repeat(300)}<w:r><w:t>end</w:t></w:r></w:p></w:body></w:document>`,
  };
  const bytes = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  const budget = new WorkBudget();
  const url = "https://example.com/a.docx";
  const { markdown } = await readDocument("docx", bytes, { contentType: undefined, url, budget });
  expect(markdown).toContain("end");
  expect(markdown.length).toBeGreaterThan(1_000_000);
  expect(markdown.length).toBeLessThan(5_000_000);
  expect(budget.cutParts).toEqual([REPEATED]);
});
