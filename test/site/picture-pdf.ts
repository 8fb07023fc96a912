/** An image of a PDF page: its bytes as the filter expects them. */
export interface PdfPicture {
  bytes: Uint8Array;
  filter: "DCTDecode" | "JBIG2Decode" | "JPXDecode";
  width: number;
  height: number;
}

/** A page that shows a picture on all of it, or nothing; or one whose drawing operations are given. */
export interface PicturePage {
  picture?: PdfPicture;
  /** Default: draws the picture on the whole page. `/Im` is its name. */
  content?: string;
  /** Turn of the picture on the page, in degrees clockwise: the text of a scanned sheet that lay askew. */
  turned?: 0 | 90 | 180 | 270;
}

const PAGE = { width: 595, height: 842 };
/** Matrices that draw a picture on the whole page, turned clockwise. */
const PLACES = {
  0: [PAGE.width, 0, 0, PAGE.height, 0, 0],
  90: [0, -PAGE.width, PAGE.height, 0, 0, PAGE.width],
  180: [-PAGE.width, 0, 0, -PAGE.height, PAGE.width, PAGE.height],
  270: [0, PAGE.width, -PAGE.height, 0, PAGE.height, 0],
};

/** Writes a PDF (ISO 32000-1) whose pages are pictures, as scanners make them. */
export function picturePdf(pages: readonly PicturePage[]): Uint8Array<ArrayBuffer> {
  const objects: Uint8Array[] = [];
  const ids = pages.map((_, at) => 3 + at * 3);
  objects.push(
    text("<< /Type /Catalog /Pages 2 0 R >>"),
    text(`<< /Type /Pages /Count ${pages.length} /Kids [${ids.map((id) => `${id} 0 R`).join(" ")}] >>`),
  );
  for (const [at, { picture, content, turned = 0 }] of pages.entries()) {
    const id = ids[at] ?? 0;
    const drawn = content ?? (picture === undefined ? "" : `q ${PLACES[turned].join(" ")} cm /Im Do Q`);
    const size = turned % 180 === 0 ? [PAGE.width, PAGE.height] : [PAGE.height, PAGE.width];
    const resources = picture === undefined ? "<< >>" : `<< /XObject << /Im ${id + 2} 0 R >> >>`;
    objects.push(
      text(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(" ")}] /Resources ${resources} /Contents ${id + 1} 0 R >>`,
      ),
      stream("", text(drawn)),
      picture === undefined ? text("null") : image(picture),
    );
  }
  return assemble(objects);
}

function image({ bytes, filter, width, height }: PdfPicture): Uint8Array {
  const depth = filter === "JBIG2Decode" ? "/BitsPerComponent 1 /ColorSpace /DeviceGray" : "/BitsPerComponent 8";
  const colours = filter === "DCTDecode" ? " /ColorSpace /DeviceRGB" : "";
  const size = `/Width ${width} /Height ${height}`;
  return stream(`/Type /XObject /Subtype /Image ${size} ${depth}${colours} /Filter /${filter}`, bytes);
}

function stream(dictionary: string, bytes: Uint8Array): Uint8Array {
  return joined([text(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`), bytes, text("\nendstream")]);
}

function text(words: string): Uint8Array {
  return new TextEncoder().encode(words);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function assemble(objects: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [text("%PDF-1.7\n")];
  let length = parts[0]?.length ?? 0;
  const offsets = objects.map((object, at) => {
    const part = joined([text(`${at + 1} 0 obj\n`), object, text("\nendobj\n")]);
    const offset = length;
    parts.push(part);
    length += part.length;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`;
  return joined([...parts, text(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`)]);
}
