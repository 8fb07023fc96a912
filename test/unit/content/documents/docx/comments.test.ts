import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const source = { contentType: undefined, url: "https://example.com/a.docx" };

async function read(body: string, comments: string): Promise<string> {
  const relations = (id: string, type: string, target: string): string =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`;
  const files = {
    "[Content_Types].xml":
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": relations("a", "officeDocument", "word/document.xml"),
    "word/_rels/document.xml.rels": relations("b", "comments", "comments.xml"),
    "word/comments.xml": `<w:comments ${W}>${comments}</w:comments>`,
    "word/document.xml": `<w:document ${W}><w:body>${body}</w:body></w:document>`,
  };
  const bytes = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  return (await readDocument("docx", bytes, source)).markdown;
}

test("comments are behind the text, with the signs of their places; empty ones have no entry", async () => {
  const comment = (id: number, text: string): string =>
    `<w:comment w:id="${id}" w:author="Ada B" w:initials="AB"><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:comment>`;
  const commented = (id: number, text: string): string =>
    `<w:p><w:r><w:t>${text}</w:t></w:r><w:r><w:commentReference w:id="${id}"/></w:r></w:p>`;
  const markdown = await read(
    commented(0, "Oak is hard.") + commented(1, "Elm is not."),
    comment(0, "Which oak?") + comment(1, ""),
  );
  expect(markdown).toBe("Oak is hard.[AB1]\n\nElm is not.[AB2]\n\n**Comment [AB1]**  \nWhich oak?");
});
