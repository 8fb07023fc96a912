import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { ZipFiles } from "../../../../../src/content/documents/containers/zip.ts";
import { UseLimit } from "../../../../../src/content/documents/docx/limit-uses.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { docxOf } from "../../../../hostile/hostile-office.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";
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

// Where the work was quadratic, 40,000 attributes took 6 s.
test.each([
  ["a link without an end", "hyperlink", "<"],
  ["a link", "hyperlink", "/>"],
  ["a note without an end", "footnote", "<"],
  ["a reference without an end", "footnoteReference", "<"],
])("the many attributes of %s are read in linear time", async (_, name, end) => {
  const maxMs = 300;
  for (const part of [' x:id="a"', " ", " x:id", " a='>'", " x:id='", "a"]) {
    const text = `<w:${name} ${part.repeat(40_000)}${end}`;
    const read = (): void => {
      const { limit } = limitOf("https://example.com/");
      limit.addNotes(text, "word/document.xml");
      limit.limit(text, "word/document.xml");
    };
    expect(await leastProcessorMs(read, maxMs), part).toBeLessThan(maxMs);
  }
});

test.each([
  ["an end of a tag in a value", '<w:hyperlink w:tooltip="a>b" r:id="n">'],
  ["an id in a value", `<w:hyperlink w:tooltip=" r:id='m'" r:id="n">`],
  ["a character reference", '<w:hyperlink r:id="&#110;">'],
  ["a character that is no white space", '<w:hyperlink\u0080r:id="n">'],
  ["a control character", '<w:hyperlink w:tooltip="a"\u0001r:id="n">'],
  ["a long prefix", `<${"w".repeat(30)}:hyperlink ${"r".repeat(30)}:id="n">`],
])("links with %s are limited as well", (_, start) => {
  const { budget, limit } = limitOf("h".repeat(50_000));
  const text = limit.limit(`${start}x`.repeat(100), "word/document.xml");
  expect(text.match(/:id="/g)).toHaveLength(80);
  expect(text.match(/>x/g)).toHaveLength(100);
  expect(budget.cutParts).toEqual([REPEATED]);
});

test("a document with many links that are not well-formed is damaged; one with few is read", () => {
  const start = '<w:hyperlink w:tooltip="a<b" r:id="n">x';
  const read = (count: number) => limitOf("h".repeat(50_000)).limit.limit(start.repeat(count), "word/document.xml");
  expect(read(80)).toBe(start.repeat(80));
  expect(() => read(81)).toThrow("damaged");
});

test("a reference to a note that the document lacks is removed, with the text around it kept", async () => {
  const parts = {
    "word/footnotes.xml": `<w:footnotes ${W}>${note(1, "a note")}</w:footnotes>`,
    "word/_rels/document.xml.rels": relations([["f", "footnotes", "footnotes.xml"]]),
  };
  const missing = ["footnote", "endnote", "comment"]
    .map((kind) => `<w:r><w:${kind}Reference w:id="7"/></w:r>`)
    .join("");
  const body = `<w:p><w:r><w:t>One</w:t></w:r>${missing}${reference(1)}</w:p>`;
  const source = { contentType: undefined, url: "https://example.com/a.docx" };
  const { markdown } = await readDocument("docx", docxOf(body, "", parts), source);
  expect(markdown).toBe("One[1]\n\n1. a note");
});
