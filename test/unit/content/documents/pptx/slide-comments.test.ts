import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

const source = { contentType: undefined, url: "https://example.com/files/x.pptx" };
const NAMES =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:n="http://schemas.microsoft.com/office/powerpoint/2018/8/main"';

const relations = (...entries: string[]): Uint8Array =>
  strToU8(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries.join("")}</Relationships>`,
  );

async function read(parts: Record<string, string>, comments: string): Promise<string> {
  const files = Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)] as const);
  const bytes = zipSync({
    "ppt/presentation.xml": strToU8(
      `<p:presentation ${NAMES}><p:sldIdLst><p:sldId r:id="r1"/><p:sldId r:id="r2"/></p:sldIdLst></p:presentation>`,
    ),
    "ppt/_rels/presentation.xml.rels": relations(
      '<Relationship Id="r1" Type="a/slide" Target="slides/slide1.xml"/>',
      '<Relationship Id="r2" Type="a/slide" Target="slides/slide2.xml"/>',
    ),
    "ppt/slides/slide1.xml": strToU8(`<p:sld ${NAMES}><p:cSld><p:spTree/></p:cSld></p:sld>`),
    "ppt/slides/slide2.xml": strToU8(`<p:sld ${NAMES}><p:cSld><p:spTree/></p:cSld></p:sld>`),
    "ppt/slides/_rels/slide1.xml.rels": relations(`<Relationship Id="r1" Type="a/comments" Target="${comments}"/>`),
    ...Object.fromEntries(files),
  });
  return (await readDocument("pptx", bytes, source)).markdown;
}

test("the comments of a slide follow it, with their authors", async () => {
  const parts = {
    "ppt/commentAuthors.xml": `<p:cmAuthorLst ${NAMES}><p:cmAuthor id="0" name="Ada"/><p:cmAuthor id="1" name=""/></p:cmAuthorLst>`,
    "ppt/comments/comment1.xml": `<p:cmLst ${NAMES}><p:cm authorId="0"><p:pos x="1" y="1"/><p:text>Is 5 &lt; 6?</p:text></p:cm><p:cm authorId="1"><p:text>Yes.</p:text></p:cm><p:cm authorId="0"><p:text> </p:text></p:cm></p:cmLst>`,
  };
  expect(await read(parts, "../comments/comment1.xml")).toBe(
    "## Slide 1\n\n### Comments\n\n- Ada: Is 5 < 6?\n- Yes.\n\n## Slide 2",
  );
});

test("replies of a thread follow the comment that they answer", async () => {
  const body = (text: string): string => `<n:txBody><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></n:txBody>`;
  const parts = {
    "ppt/authors.xml": `<n:authorLst ${NAMES}><n:author id="{A}" name="Ada"/><n:author id="{B}" name="Bo"/></n:authorLst>`,
    "ppt/comments/modern1.xml": `<n:cmLst ${NAMES}><n:cm authorId="{A}"><n:replyLst><n:reply authorId="{B}">${body("Done")}</n:reply></n:replyLst>${body("Larger letters")}</n:cm><n:cm authorId="{A}">${body("Thanks")}</n:cm></n:cmLst>`,
  };
  expect(await read(parts, "../comments/modern1.xml")).toContain(
    "### Comments\n\n- Ada: Larger letters\n- Bo: Done\n- Ada: Thanks",
  );
});

test("items of a slide whose levels are no numbers from 0 on are at the outermost level", async () => {
  const item = (level: string, text: string): string =>
    `<a:p><a:pPr lvl="${level}"><a:buChar char="x"/></a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const shape = `<p:sp><p:txBody>${item("-2", "one")}${item("x", "two")}${item("1", "three")}</p:txBody></p:sp>`;
  const slide = `<p:sld ${NAMES}><p:cSld><p:spTree>${shape}</p:spTree></p:cSld></p:sld>`;
  expect(await read({ "ppt/slides/slide1.xml": slide }, "../comments/none.xml")).toBe(
    "## Slide 1\n\n- one\n- two\n  - three\n\n## Slide 2",
  );
});

test("a slide whose comments are missing has none", async () => {
  expect(await read({}, "../comments/none.xml")).toBe("## Slide 1\n\n## Slide 2");
});

test("a line break in a comment is a space", async () => {
  const parts = {
    "ppt/comments/modern1.xml": `<p188:cmLst ${NAMES} xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main"><p188:cm><p188:txBody><a:p><a:r><a:t>Larger</a:t></a:r><a:br/><a:r><a:t>letters</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>`,
  };
  expect(await read(parts, "../comments/modern1.xml")).toContain("- Larger letters");
});

test("a line break in a title is a space", async () => {
  const title = `<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Annual Report</a:t></a:r><a:br><a:rPr/></a:br><a:r><a:t>20</a:t></a:r><a:fld><a:t>24</a:t></a:fld></a:p></p:txBody></p:sp>`;
  const parts = {
    "ppt/slides/slide1.xml": `<p:sld ${NAMES}><p:cSld><p:spTree>${title}</p:spTree></p:cSld></p:sld>`,
  };
  expect(await read(parts, "../comments/none.xml")).toContain("## Annual Report 2024");
});
