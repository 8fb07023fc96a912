import { deflateSync } from "node:zlib";

/** A piece of text, by its start on the baseline in points from the upper left corner. */
export interface MadeText {
  text: string;
  x: number;
  y: number;
  size?: number;
  font?: FontName;
  /** Quarter turns clockwise. */
  turns?: 0 | 1 | 2 | 3;
  /** Text that the file gives in place of what is shown, of this piece and of those after it with the same object. */
  actual?: { readonly text: string };
}

/** A drawn line, by its ends. */
export type MadeRule = readonly [x1: number, y1: number, x2: number, y2: number];

export interface MadePage {
  texts: readonly MadeText[];
  rules?: readonly MadeRule[];
  /** Boxes that are painted in grey, by their edges. */
  boxes?: readonly (readonly [left: number, top: number, right: number, bottom: number])[];
  /** Grey pictures of one pixel, by their boxes from the upper left corner of the page. */
  pictures?: readonly (readonly [left: number, top: number, right: number, bottom: number])[];
  /** Links to addresses, by their boxes from the upper left corner of the page. */
  links?: readonly { href: string; box: readonly [left: number, top: number, right: number, bottom: number] }[];
  /** Size of a unit of the page in points. */
  unit?: number;
}

export type FontName = keyof typeof FONTS;

/** Fonts without glyphs: letters are half as wide as high; Chinese, Japanese and Korean ones as wide as high. */
const FONTS = {
  plain: { name: "Plain", map: "Identity-H" },
  bold: { name: "Plain-Bold", map: "Identity-H" },
  italic: { name: "Plain-Italic", map: "Identity-H" },
  mono: { name: "Plain-Mono", map: "Identity-H" },
  vertical: { name: "Plain", map: "Identity-V" },
  corsiva: { name: "ABCDEF+MonotypeCorsiva", map: "Identity-H" },
  digital: { name: "DigitalAcademico-Capital", map: "Identity-H" },
} as const;

const PAGE = { width: 612, height: 792 };
const WIDE = /[\u2E80-\u9FFF\uAC00-\uD7AF\uFF00-\uFFEF]/;

/** Returns the width of a text in points. */
export function widthOf(text: string, size = 10): number {
  return [...text].reduce((sum, letter) => sum + (WIDE.test(letter) ? size : size / 2), 0);
}

/** Returns the lines of a paragraph that is set in a width, each placed below the last. */
export function paragraph(
  text: string,
  x: number,
  y: number,
  width: number,
  style: Partial<MadeText> = {},
): MadeText[] {
  const size = style.size ?? 10;
  const parts = WIDE.test(text) ? [...text] : text.split(/(?<= )/);
  const lines: string[] = [];
  for (const part of parts) {
    const line = lines.at(-1);
    if (line === undefined || widthOf((line + part).trimEnd(), size) > width) lines.push(part);
    else lines[lines.length - 1] = line + part;
  }
  return lines.map((line, at) => ({ ...style, text: line.trimEnd(), x, y: y + at * size * 1.2 }));
}

/** Writes a PDF whose codes are UTF-16, so that every script has the same fonts. */
export function madePdf(pages: readonly MadePage[], { isPacked = false } = {}): Uint8Array {
  const objects: string[] = ["<< /Type /Catalog /Pages 2 0 R >>"];
  const fonts = Object.entries(FONTS).map(([key, font], at) => ({ key, font, id: 4 + at * 3 }));
  const firstPage = 4 + fonts.length * 3;
  const kids = pages.map((_, at) => `${firstPage + at * 2} 0 R`).join(" ");
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`, stream(TO_UNICODE));
  for (const { font, id } of fonts) {
    objects.push(
      `<< /Type /Font /Subtype /Type0 /BaseFont /${font.name} /Encoding /${font.map} /DescendantFonts [${id + 1} 0 R] /ToUnicode 3 0 R >>`,
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${font.name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${id + 2} 0 R /DW 500 /W [11904 40959 1000 44032 55215 1000 65280 65519 1000] >>`,
      `<< /Type /FontDescriptor /FontName /${font.name} /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>`,
    );
  }
  const resources = fonts.map(({ key, id }) => `/${key} ${id} 0 R`).join(" ");
  for (const [at, page] of pages.entries()) {
    objects.push(
      `<< /Type /Page /Parent 2 0 R${linksOf(page)}${page.unit === undefined ? "" : ` /UserUnit ${page.unit}`} /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Resources << /Font << ${resources} >> >> /Contents ${firstPage + at * 2 + 1} 0 R >>`,
      isPacked ? packed(contentOf(page)) : stream(contentOf(page)),
    );
  }
  return assemble(objects);
}

function linksOf({ links }: MadePage): string {
  if (links === undefined) return "";
  const annotations = links.map(({ href, box: [left, top, right, bottom] }) => {
    const rect = `[${left} ${PAGE.height - bottom} ${right} ${PAGE.height - top}]`;
    return `<< /Type /Annot /Subtype /Link /Rect ${rect} /A << /S /URI /URI (${href}) >> >>`;
  });
  return ` /Annots [${annotations.join(" ")}]`;
}

const TO_UNICODE = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Codes def
1 begincodespacerange <0000> <ffff> endcodespacerange
1 beginbfrange <0000> <ffff> <0000> endbfrange
endcmap end end`;

function contentOf({ texts, rules = [], boxes = [], pictures = [] }: MadePage): string {
  const turned = [
    [1, 0, 0, 1],
    [0, -1, 1, 0],
    [-1, 0, 0, -1],
    [0, 1, -1, 0],
  ];
  const written = texts.map(({ text, x, y, size = 10, font = "plain", turns = 0, actual }, at) => {
    const shows = `BT /${font} ${size} Tf ${turned[turns]?.join(" ")} ${x} ${PAGE.height - y} Tm <${codesOf(text)}> Tj ET`;
    if (actual === undefined) return shows;
    const begins = texts[at - 1]?.actual !== actual;
    const ends = texts[at + 1]?.actual !== actual;
    return `${begins ? `/Span << /ActualText <feff${codesOf(actual.text)}> >> BDC ` : ""}${shows}${ends ? " EMC" : ""}`;
  });
  const drawn = rules.map(([x1, y1, x2, y2]) => `${x1} ${PAGE.height - y1} m ${x2} ${PAGE.height - y2} l S`);
  const painted = boxes.map(([left, top, right, bottom]) => {
    return `0.9 g ${left} ${PAGE.height - bottom} ${right - left} ${bottom - top} re f 0 g`;
  });
  const shown = pictures.map(([left, top, right, bottom]) => {
    const place = `${right - left} 0 0 ${bottom - top} ${left} ${PAGE.height - bottom} cm`;
    return `q ${place} BI /W 1 /H 1 /CS /G /BPC 8 /F /AHx ID 80> EI Q`;
  });
  return [...painted, ...drawn, ...shown, ...written].join("\n");
}

function codesOf(text: string): string {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0")).join("");
}

function stream(text: string): string {
  return `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;
}

function packed(text: string): string {
  const data = deflateSync(text).toString("hex");
  return `<< /Length ${data.length} /Filter [/ASCIIHexDecode /FlateDecode] >>\nstream\n${data}\nendstream`;
}

function assemble(objects: readonly string[]): Uint8Array {
  let text = "%PDF-1.7\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return new TextEncoder().encode(`${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`);
}
