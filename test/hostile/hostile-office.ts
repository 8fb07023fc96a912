import { strToU8, zipSync } from "fflate";
import { compoundFile as compoundFileOf } from "../fakes/compound-file.ts";
import type { FileKind } from "../../src/content/documents/read-document.ts";

interface HostileFile {
  kind: FileKind;
  make: (n: number) => Uint8Array;
}

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const ODF =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"';
const ENTITIES = (n: number): string =>
  `<!DOCTYPE a [<!ENTITY e0 "ha">${Array.from({ length: Math.min(n, 30) }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join("")}]>`;

/** Hostile files of every kind but PDF, each made of a few lines and growing with `n`. */
export const HOSTILE_FILES = {
  "docx: n paragraphs": docx((n) => "<w:p><w:r><w:t>word</w:t></w:r></w:p>".repeat(n)),
  "docx: tables within tables, n deep": docx((n) => nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", n)),
  "docx: content controls within each other, n deep": docx((n) =>
    nested("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>", n),
  ),
  "docx: n elements behind the document": docx((n) => "</w:body></w:document><w:p/>".repeat(n)),
  "docx: n tags that do not end": docx((n) => "<w:p w:x='".repeat(n)),
  "docx: n runs of one paragraph": docx(
    (n) => `<w:p>${"<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r>".repeat(n)}</w:p>`,
  ),
  "docx: n items of a list, each deeper": docx((n) =>
    Array.from(
      { length: n },
      (_, at) =>
        `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at % 9}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`,
    ).join(""),
  ),
  "docx: entities of entities": {
    kind: "docx",
    make: (n) => docxOf(`<w:p><w:r><w:t>&e${Math.min(n, 30)};</w:t></w:r></w:p>`, ENTITIES(n)),
  },
  "docx: formulas within each other, n deep": docx(
    (n) => `<w:p>${nested("<m:oMath><m:rad><m:e>", "</m:e></m:rad></m:oMath>", n)}</w:p>`,
  ),
  "docx: n formulas that do not end": docx((n) => `<w:p>${"<m:oMath><m:r><m:t>x</m:t></m:r>".repeat(n)}</w:p>`),
  "docx: n text boxes that do not end": docx(
    (n) => `<w:p><w:r><w:drawing>${"<w:txbxContent>".repeat(n)}</w:drawing></w:r></w:p>`,
  ),
  "docx: n files in one archive": {
    kind: "docx",
    make: (n) => zipSync(Object.fromEntries(Array.from({ length: n }, (_, at) => [`word/${at}.xml`, strToU8("<a/>")]))),
  },
  "xlsx: n empty shared strings": {
    kind: "xlsx",
    make: (n) => xlsx("", { "xl/sharedStrings.xml": `<sst ${SHEET}>${"<si><t/></si>".repeat(n)}</sst>` }),
  },
  "xlsx: one long string in n cells": {
    kind: "xlsx",
    make: (n) =>
      xlsx(
        rows(n, () => '<c t="s"><v>0</v></c>'),
        {
          "xl/sharedStrings.xml": `<sst ${SHEET}><si><t>${"long ".repeat(2_000)}</t></si></sst>`,
        },
      ),
  },
  "xlsx: one string of n times 8,000 characters": {
    kind: "xlsx",
    make: (n) =>
      xlsx(
        rows(1, () => '<c t="s"><v>0</v></c>'),
        { "xl/sharedStrings.xml": `<sst ${SHEET}><si><t>${"long ".repeat(1_600 * n)}</t></si></sst>` },
      ),
  },
  "xlsx: n runs in one shared string": {
    kind: "xlsx",
    make: (n) =>
      xlsx(
        rows(10, () => '<c t="s"><v>0</v></c>'),
        { "xl/sharedStrings.xml": `<sst ${SHEET}><si>${"<r><t>run</t></r>".repeat(n)}</si></sst>` },
      ),
  },
  "xlsx: n empty rows": { kind: "xlsx", make: (n) => xlsx(rows(n, () => "")) },
  "xlsx: n cells at the far corner of a sheet": {
    kind: "xlsx",
    make: (n) =>
      xlsx(
        rows(n, (at) => `<c r="XFD${at + 1}"><v>1</v></c>`),
        {},
        '<dimension ref="A1:XFD1048576"/>',
      ),
  },
  "xlsx: n links over a whole sheet": {
    kind: "xlsx",
    make: (n) =>
      xlsx(
        `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><hyperlinks>${'<hyperlink ref="A1:XFD1048576" location="b"/>'.repeat(n)}</hyperlinks>`,
      ),
  },
  "xlsx: n links of one cell each": {
    kind: "xlsx",
    make: (n) =>
      xlsx(
        `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><hyperlinks>${Array.from({ length: n }, (_, at) => `<hyperlink ref="A${at + 1}" location="b"/>`).join("")}</hyperlinks>`,
      ),
  },
  "xlsx: n links over a thousand cells": {
    kind: "xlsx",
    make: (n) =>
      xlsx(
        `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><hyperlinks>${'<hyperlink ref="A1:J100" location="b"/>'.repeat(n)}</hyperlinks>`,
      ),
  },
  "xlsx: n merged areas": {
    kind: "xlsx",
    make: (n) => xlsx(`<sheetData/><mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(n)}</mergeCells>`),
  },
  "xlsx: n formats of numbers": {
    kind: "xlsx",
    make: (n) =>
      xlsx(
        rows(1, () => '<c s="1"><v>1</v></c>'),
        {
          "xl/styles.xml": `<styleSheet ${SHEET}><numFmts>${Array.from({ length: n }, (_, at) => `<numFmt numFmtId="${at + 164}" formatCode="${"0,".repeat(100)}0"/>`).join("")}</numFmts><cellXfs>${"<xf/>".repeat(n)}</cellXfs></styleSheet>`,
        },
      ),
  },
  "odt: rows and cells that repeat, n tables deep": odt((n) =>
    nested(
      '<table:table><table:table-row table:number-rows-repeated="99"><table:table-cell table:number-columns-repeated="99">',
      "</table:table-cell></table:table-row></table:table>",
      Math.min(n, 100),
    ),
  ),
  "odt: lists within lists, n deep": odt((n) =>
    nested("<text:list><text:list-item>", "</text:list-item></text:list>", n),
  ),
  "odt: spans within spans, n deep": odt((n) => `<text:p>${nested("<text:span>", "</text:span>", n)}</text:p>`),
  "odt: n paragraphs": odt((n) => "<text:p>word</text:p>".repeat(n)),
  "pptx: one slide that is named n times": {
    kind: "pptx",
    make: (n) =>
      zipSync({
        "ppt/presentation.xml": strToU8(
          `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${RELATIONS}"><p:sldIdLst>${'<p:sldId r:id="r1"/>'.repeat(n)}</p:sldIdLst></p:presentation>`,
        ),
        "ppt/_rels/presentation.xml.rels": strToU8(
          `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="a/slide" Target="slides/slide1.xml"/></Relationships>`,
        ),
        "ppt/slides/slide1.xml": strToU8(
          `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cSld><p:spTree>${"<p:sp><p:txBody/></p:sp>".repeat(1_000)}</p:spTree></p:cSld></p:sld>`,
        ),
      }),
  },
  "pptx: groups within groups, n deep": pptx((n) => nested("<p:grpSp>", "</p:grpSp>", n)),
  "pptx: n paragraphs of a shape": pptx(
    (n) => `<p:sp><p:txBody>${'<a:p><a:pPr lvl="3"/><a:r><a:t>word</a:t></a:r></a:p>'.repeat(n)}</p:txBody></p:sp>`,
  ),
  "pptx: n rows of a table": pptx(
    (n) =>
      `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${"<a:tr><a:tc><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc></a:tr>".repeat(n)}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`,
  ),
  "epub: n chapters": {
    kind: "epub",
    make: (n) => {
      const numbers = Array.from({ length: n }, (_, at) => at);
      const items = numbers.map((at) => `<item id="c${at}" href="c${at}.xhtml"/>`).join("");
      const spine = numbers.map((at) => `<itemref idref="c${at}"/>`).join("");
      return zipSync({
        "META-INF/container.xml": strToU8(
          '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
        ),
        "a.opf": strToU8(`<package><manifest>${items}</manifest><spine>${spine}</spine></package>`),
        ...Object.fromEntries(
          numbers.map((at) => [`c${at}.xhtml`, strToU8("<html><body><p>a</p><p>b</p></body></html>")]),
        ),
      });
    },
  },
  "epub: elements within elements, n deep": {
    kind: "epub",
    make: (n) =>
      zipSync({
        "META-INF/container.xml": strToU8(
          '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
        ),
        "a.opf": strToU8(
          '<package><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>',
        ),
        "c.xhtml": strToU8(`<html><body>${nested("<div>x", "</div>", n)}</body></html>`),
      }),
  },
  "epub: one chapter that is read n times": {
    kind: "epub",
    make: (n) =>
      zipSync({
        "META-INF/container.xml": strToU8(
          '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
        ),
        "a.opf": strToU8(
          `<package><manifest><item id="c" href="c.xhtml"/></manifest><spine>${'<itemref idref="c"/>'.repeat(n)}</spine></package>`,
        ),
        "c.xhtml": strToU8(`<html><body>${"<p>a</p>".repeat(1_000)}</body></html>`),
      }),
  },
  "rtf: groups within groups, n deep": { kind: "rtf", make: (n) => strToU8(`{\\rtf1 ${"{".repeat(n)}a`) },
  "rtf: n links of one paragraph": {
    kind: "rtf",
    make: (n) =>
      strToU8(
        `{\\rtf1 ${'{\\field{\\*\\fldinst HYPERLINK "https://example.com/"}{\\fldrslt a long text of a link}}'.repeat(n)}}`,
      ),
  },
  "rtf: n characters in hexadecimal": { kind: "rtf", make: (n) => strToU8(`{\\rtf1 ${"\\'e4".repeat(n)}}`) },
  "feed: elements within elements, n deep": {
    kind: "feed",
    make: (n) => strToU8(`<rss><channel><item>${nested("<a>", "</a>", n)}</item></channel></rss>`),
  },
  "feed: n items": {
    kind: "feed",
    make: (n) =>
      strToU8(`<rss><channel>${"<item><title>a</title><description>b</description></item>".repeat(n)}</channel></rss>`),
  },
  "feed: n signs of an open tag": {
    kind: "feed",
    make: (n) => strToU8(`<rss><channel><item><title><![CDATA[${"<".repeat(n)}]]></title></item></channel></rss>`),
  },
  "feed: entities of entities": {
    kind: "feed",
    make: (n) =>
      strToU8(`${ENTITIES(n)}<rss><channel><item><title>&e${Math.min(n, 30)};</title></item></channel></rss>`),
  },
  "feed: n attributes of one element": {
    kind: "feed",
    make: (n) => strToU8(`<rss ${Array.from({ length: n }, (_, at) => `a${at}="b"`).join(" ")}><channel/></rss>`),
  },
  "json: arrays within arrays, n deep": { kind: "json", make: (n) => strToU8("[".repeat(n) + "]".repeat(n)) },
  "json: n objects, a hundred deep": {
    kind: "json",
    make: (n) => strToU8(`[${Array.from({ length: n }, () => "[".repeat(100) + "]".repeat(100)).join(",")}]`),
  },
  "csv: n columns": { kind: "csv", make: (n) => strToU8(",".repeat(n)) },
  "csv: n quotes": { kind: "csv", make: (n) => strToU8('"'.repeat(n)) },
  "xls: n sectors whose chains overlap": {
    kind: "xls",
    make: (n) =>
      compoundFileOf([{ name: "Workbook" }], {
        spareSectors: n,
        relink: (fat, first) => {
          for (let at = first + 1; at < first + n; at++) fat[at] = at - 1;
        },
      }),
  },
  "xls: n sectors of a circle that a stream enters": {
    kind: "xls",
    make: (n) =>
      compoundFileOf([{ name: "Workbook" }], {
        spareSectors: n,
        relink: (fat, first) => {
          for (let at = first; at < first + n; at++) fat[at] = at + 1 < first + n ? at + 1 : first;
        },
        start: (first) => first + Math.floor(n / 2),
      }),
  },
  "doc: n sectors of a chain that goes in a circle": { kind: "doc", make: (n) => compoundFile(n, "circle") },
  "doc: n tables that are the same sector": { kind: "doc", make: (n) => compoundFile(n, "same") },
} satisfies Record<string, HostileFile>;

export type HostileFileName = keyof typeof HOSTILE_FILES;

function nested(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}${close.repeat(depth)}`;
}

function docx(body: (n: number) => string): HostileFile {
  return { kind: "docx", make: (n) => docxOf(body(n)) };
}

function pptx(shapes: (n: number) => string): HostileFile {
  const namespaces =
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
  return {
    kind: "pptx",
    make: (n) =>
      zipSync({
        "ppt/presentation.xml": strToU8(
          `<p:presentation ${namespaces} xmlns:r="${RELATIONS}"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`,
        ),
        "ppt/_rels/presentation.xml.rels": strToU8(
          '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="a/slide" Target="slides/slide1.xml"/></Relationships>',
        ),
        "ppt/slides/slide1.xml": strToU8(
          `<p:sld ${namespaces}><p:cSld><p:spTree>${shapes(n)}</p:spTree></p:cSld></p:sld>`,
        ),
      }),
  };
}

/** A Word document of paragraphs and tables in `body`. */
export function docxOf(body: string, documentType = "", parts: Record<string, string> = {}): Uint8Array {
  const more = Object.entries(parts).map(([name, text]): [string, Uint8Array] => [name, strToU8(text)]);
  return zipSync({
    ...Object.fromEntries(more),
    "[Content_Types].xml": strToU8(
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    ),
    "_rels/.rels": strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="${RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    "word/document.xml": strToU8(`${documentType}<w:document ${WORD}><w:body>${body}</w:body></w:document>`),
  });
}

function rows(n: number, cells: (at: number) => string): string {
  return `<sheetData>${Array.from({ length: n }, (_, at) => `<row r="${at + 1}">${cells(at)}</row>`).join("")}</sheetData>`;
}

function xlsx(sheet: string, more: Record<string, string> = {}, before = ""): Uint8Array {
  const parts: Record<string, string> = {
    "[Content_Types].xml":
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>',
    "xl/workbook.xml": `<workbook ${SHEET} xmlns:r="${RELATIONS}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r3" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": `<worksheet ${SHEET}>${before}${sheet}</worksheet>`,
    "xl/styles.xml": `<styleSheet ${SHEET}/>`,
    "xl/sharedStrings.xml": `<sst ${SHEET}/>`,
    ...more,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

function odt(body: (n: number) => string): HostileFile {
  return {
    kind: "odt",
    make: (n) =>
      zipSync({
        "content.xml": strToU8(
          `<office:document-content ${ODF}><office:body><office:text>${body(n)}</office:text></office:body></office:document-content>`,
        ),
      }),
  };
}

/** A compound file ([MS-CFB]) of `n` sectors whose table of sectors is odd. */
function compoundFile(n: number, oddity: "circle" | "same"): Uint8Array {
  const bytes = new Uint8Array(512 * (n + 3));
  const view = new DataView(bytes.buffer);
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  view.setUint16(30, 9, true);
  view.setUint16(32, 6, true);
  view.setUint32(48, 1, true);
  view.setUint32(56, 4_096, true);
  view.setUint32(60, 0xfffffffe, true);
  view.setUint32(68, 0xfffffffe, true);
  for (let at = 0; at < 109; at++) view.setUint32(76 + at * 4, oddity === "same" || at === 0 ? 0 : 0xffffffff, true);
  for (let at = 0; at < 128; at++) view.setUint32(512 + at * 4, at === 127 ? 1 : at + 1, true);
  return bytes;
}
