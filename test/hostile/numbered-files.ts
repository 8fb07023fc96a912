import { strToU8, zipSync } from "fflate";
import type { FileKind } from "../../src/content/documents/read-document.ts";

/** A place for a number in the files below. */
const PLACE = "§";

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const DRAWING = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
const SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const ODF = ["office", "text", "table", "style", "fo"]
  .map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === "fo" ? "xsl-fo-compatible" : name}:1.0"`,
  )
  .join(" ");

const relations = (...targets: [id: string, type: string, target: string][]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`).join("")}</Relationships>`;
const contentTypes = (format: string, parts: Record<string, string>): string =>
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${Object.entries(
    parts,
  )
    .map(
      ([name, type]) =>
        `<Override PartName="/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.${format}.${type}+xml"/>`,
    )
    .join("")}</Types>`;

const wordParagraph = (properties: string): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>kept</w:t></w:r></w:p>`;
const slideParagraph = "<a:p><a:r><a:t>kept</a:t></a:r></a:p>";

/** Small sound files by the parts of their archives, or by their text, with a mark in place of each number. */
const TEMPLATES: readonly (readonly [kind: FileKind, parts: Record<string, string> | string])[] = [
  [
    "docx",
    {
      "[Content_Types].xml": contentTypes("wordprocessingml", { "word/document": "document.main", "word/numbering": "numbering", "word/styles": "styles", "word/footnotes": "footnotes" }), // prettier-ignore
      "_rels/.rels": relations(["a", "officeDocument", "word/document.xml"]),
      "word/_rels/document.xml.rels": relations(["b", "numbering", "numbering.xml"], ["c", "styles", "styles.xml"], ["d", "footnotes", "footnotes.xml"]), // prettier-ignore
      "word/numbering.xml": `<w:numbering ${WORD}><w:abstractNum w:abstractNumId="§"><w:lvl w:ilvl="§"><w:start w:val="§"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2"/></w:lvl><w:lvl w:ilvl="2"><w:start w:val="§"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%§"/></w:lvl></w:abstractNum><w:num w:numId="§"><w:abstractNumId w:val="§"/><w:lvlOverride w:ilvl="§"><w:startOverride w:val="§"/></w:lvlOverride></w:num></w:numbering>`,
      "word/styles.xml": `<w:styles ${WORD}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="§"/><w:numPr><w:ilvl w:val="§"/><w:numId w:val="§"/></w:numPr></w:pPr></w:style></w:styles>`,
      "word/footnotes.xml": `<w:footnotes ${WORD}><w:footnote w:id="§"><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote></w:footnotes>`,
      "word/document.xml": `<w:document ${WORD}><w:body>${wordParagraph('<w:pStyle w:val="Heading1"/>')}${wordParagraph('<w:numPr><w:ilvl w:val="§"/><w:numId w:val="§"/></w:numPr>')}${wordParagraph('<w:ind w:left="§"/><w:outlineLvl w:val="§"/>')}<w:p><w:r><w:rPr><w:sz w:val="§"/></w:rPr><w:footnoteReference w:id="§"/></w:r></w:p><w:tbl><w:tblGrid><w:gridCol w:w="§"/></w:tblGrid><w:tr><w:trPr><w:gridBefore w:val="§"/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val="§"/></w:tcPr>${wordParagraph("")}</w:tc></w:tr></w:tbl></w:body></w:document>`,
    },
  ],
  [
    "pptx",
    {
      "ppt/presentation.xml": `<p:presentation xmlns:p="p" xmlns:r="${OFFICE}"><p:sldIdLst><p:sldId id="§" r:id="a"/></p:sldIdLst><p:sldSz cx="§" cy="§"/></p:presentation>`,
      "ppt/_rels/presentation.xml.rels": relations(["a", "slide", "slides/slide1.xml"]),
      "ppt/slides/_rels/slide1.xml.rels": relations(["b", "chart", "../charts/chart1.xml"]),
      "ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:r="${OFFICE}" xmlns:c="c" ${DRAWING}><p:cSld><p:spTree><p:sp><p:nvSpPr><p:cNvPr id="§"/><p:nvPr><p:ph type="title" idx="§"/></p:nvPr></p:nvSpPr><p:txBody>${slideParagraph}</p:txBody></p:sp><p:graphicFrame><a:tbl><a:tblGrid><a:gridCol w="§"/></a:tblGrid><a:tr h="§"><a:tc gridSpan="§" rowSpan="§"><a:txBody>${slideParagraph}</a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame><p:graphicFrame><c:chart r:id="b"/></p:graphicFrame></p:spTree></p:cSld></p:sld>`,
      "ppt/charts/chart1.xml": `<c:chartSpace xmlns:c="c" ${DRAWING}><c:chart><c:plotArea><c:ser><c:idx val="§"/><c:cat><c:pt idx="§"><c:v>kept</c:v></c:pt></c:cat><c:val><c:ptCount val="§"/><c:pt idx="§"><c:v>§</c:v></c:pt></c:val></c:ser></c:plotArea></c:chart></c:chartSpace>`,
    },
  ],
  [
    "odt",
    {
      "content.xml": `<office:document-content ${ODF}><office:automatic-styles><text:list-style style:name="L"><text:list-level-style-number text:level="§" style:num-format="1" text:start-value="§"/></text:list-style><style:style style:name="S"><style:text-properties fo:font-weight="§" style:text-position="§% 58%"/></style:style></office:automatic-styles><office:body><office:text><text:h text:outline-level="§">kept</text:h><text:p>kept <text:span text:style-name="S">text</text:span></text:p><text:list text:style-name="L"><text:list-item text:start-value="§"><text:p>kept</text:p></text:list-item></text:list><table:table><table:table-column table:number-columns-repeated="§"/><table:table-row table:number-rows-repeated="§"><table:table-cell table:number-columns-repeated="§" table:number-columns-spanned="§" table:number-rows-spanned="§"><text:p>kept</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>`,
    },
  ],
  [
    "ods",
    {
      mimetype: "application/vnd.oasis.opendocument.spreadsheet",
      "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="m"/>',
      "content.xml": `<office:document-content ${ODF}><office:automatic-styles><style:style style:name="d" style:family="table-column"/></office:automatic-styles><office:body><office:spreadsheet><table:table table:name="kept"><table:table-column table:number-columns-repeated="§"/><table:table-row><table:table-cell office:value-type="string"><text:p>kept</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="§"><table:table-cell office:value-type="float" office:value="§" table:number-columns-repeated="§" table:number-columns-spanned="§" table:number-rows-spanned="§"><text:p>§</text:p></table:table-cell><table:table-cell office:value-type="percentage" office:value="§"/></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`,
    },
  ],
  [
    "xlsx",
    {
      "[Content_Types].xml": contentTypes("spreadsheetml", { "xl/workbook": "sheet.main", "xl/worksheets/sheet1": "worksheet", "xl/sharedStrings": "sharedStrings", "xl/styles": "styles" }), // prettier-ignore
      "xl/workbook.xml": `<workbook ${SHEET} xmlns:r="${OFFICE}"><workbookPr date1904="§"/><sheets><sheet name="kept" sheetId="§" r:id="a"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": relations(["a", "worksheet", "worksheets/sheet1.xml"], ["b", "sharedStrings", "sharedStrings.xml"], ["c", "styles", "styles.xml"]), // prettier-ignore
      "xl/sharedStrings.xml": `<sst ${SHEET} count="§" uniqueCount="§"><si><t>zero</t></si><si><t>one</t></si></sst>`,
      "xl/styles.xml": `<styleSheet ${SHEET}><numFmts count="§"><numFmt numFmtId="§" formatCode="0.00"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm"/></numFmts><cellXfs count="§"><xf numFmtId="§"/><xf numFmtId="165"/><xf numFmtId="14"/><xf numFmtId="12"/><xf numFmtId="46"/></cellXfs></styleSheet>`,
      "xl/worksheets/sheet1.xml": `<worksheet ${SHEET}><dimension ref="A§:B§"/><cols><col min="§" max="§" width="§" outlineLevel="§"/></cols><sheetData><row r="§" ht="§" spans="§:§"><c r="A§" s="§" t="s"><v>§</v></c>${[1, 2, 3, 4].map((style) => `<c s="${style}"><v>§</v></c>`).join("")}</row></sheetData><mergeCells count="§"><mergeCell ref="A§:B§"/></mergeCells><hyperlinks><hyperlink ref="A§:A§" location="b"/></hyperlinks></worksheet>`,
    },
  ],
  [
    "rtf",
    String.raw`{\rtf1\ansi\ansicpg§\deff§{\fonttbl{\f§\fcharset§ Serif;}}{\stylesheet{\s§\outlinelevel§ heading 1;}}\pard\s§\outlinelevel§ kept\par\pard\f§\fs§\b§ kept\uc1\u§?\par\pard\ls§\li§ kept\par\trowd\trleft§\clmgf\cellx§\clmrg\cellx§\pard\intbl\itap§ kept\cell kept\cell\row\pard kept\par{\super§ kept}\par}`,
  ],
];

/** A small file with some numbers. */
export interface NumberedFile {
  kind: FileKind;
  /** How many numbers it has. */
  numbers: number;
  /** Writes the file with the number that `valueAt` returns for each place. */
  make: (valueAt: (place: number) => string) => Uint8Array;
}

export const NUMBERED_FILES: readonly NumberedFile[] = TEMPLATES.map(([kind, template]) => {
  const texts = typeof template === "string" ? [template] : Object.values(template);
  return {
    kind,
    numbers: texts.join("").split(PLACE).length - 1,
    make(valueAt) {
      let next = 0;
      const filled = (text: string): Uint8Array => strToU8(text.replaceAll(PLACE, () => valueAt(next++)));
      if (typeof template === "string") return filled(template);
      return zipSync(Object.fromEntries(Object.entries(template).map(([name, text]) => [name, filled(text)])), {
        level: 0,
      });
    },
  };
});
