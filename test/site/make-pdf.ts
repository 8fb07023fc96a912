import { deflateSync } from "node:zlib";

export interface PdfText {
  heading: string;
  lines: string[];
}

const LINE_HEIGHT_PT = 16;
const TOP_PT = 760;
const CATALOG = 1;
const PAGE_TREE = 2;
const FONT = 3;
const INFO = 4;
const FIRST_PAGE = 5;

/** A PDF 1.4 file (ISO 32000-1) with one page of Helvetica text for each entry. ASCII text only. */
export function makeTextPdf(title: string, pages: readonly PdfText[]): Buffer {
  const objects = frame(title, pages.length);
  pages.forEach((page, index) => {
    const resources = `<< /Font << /F1 ${FONT} 0 R >> >>`;
    objects.push(pageObject(FIRST_PAGE + index * 2 + 1, resources), streamObject("", Buffer.from(textOperators(page))));
  });
  return assemble(objects);
}

/** A PDF of one page that holds a grey-scale picture and no text, as a scanner makes it. */
export function makeScannedPdf(title: string, picture: { width: number; height: number; grey: Buffer }): Buffer {
  const { width, height, grey } = picture;
  const dictionary = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`;
  const resources = `<< /XObject << /Im1 ${FIRST_PAGE + 2} 0 R >> >>`;
  return assemble([
    ...frame(title, 1),
    pageObject(FIRST_PAGE + 1, resources),
    streamObject("", Buffer.from("q 595 0 0 842 0 0 cm /Im1 Do Q")),
    streamObject(dictionary, deflateSync(grey)),
  ]);
}

/** The objects before the pages: catalogue, page tree, font, information. */
function frame(title: string, pageCount: number): Buffer[] {
  const kids = Array.from({ length: pageCount }, (_, index) => `${FIRST_PAGE + index * 2} 0 R`).join(" ");
  return [
    Buffer.from(`<< /Type /Catalog /Pages ${PAGE_TREE} 0 R /Lang (en) >>`),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pageCount} >>`),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"),
    Buffer.from(
      `<< /Title (${escapeText(title)}) /Author (Harrow Bay Community Press) /CreationDate (D:20240312090000Z) >>`,
    ),
  ];
}

function pageObject(contents: number, resources: string): Buffer {
  return Buffer.from(
    `<< /Type /Page /Parent ${PAGE_TREE} 0 R /MediaBox [0 0 595 842] /Resources ${resources} /Contents ${contents} 0 R >>`,
  );
}

function textOperators({ heading, lines }: PdfText): string {
  const body = lines.map((line) => `(${escapeText(line)}) Tj T*`).join("\n");
  return `BT /F1 20 Tf 72 ${TOP_PT} Td (${escapeText(heading)}) Tj\n/F1 11 Tf ${LINE_HEIGHT_PT} TL 0 -32 Td\n${body}\nET`;
}

function streamObject(dictionary: string, bytes: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from("\nendstream"),
  ]);
}

/** Puts numbered objects, the cross-reference table and the trailer into one file. */
function assemble(objects: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "latin1")];
  let position = parts[0]?.length ?? 0;
  const offsets: number[] = [];
  objects.forEach((object, index) => {
    const framed = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    offsets.push(position);
    position += framed.length;
    parts.push(framed);
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root ${CATALOG} 0 R /Info ${INFO} 0 R >>\nstartxref\n${position}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

function escapeText(text: string): string {
  return text.replace(/[\\()]/g, String.raw`\$&`);
}
