/** A page of a TIFF: a JPEG. */
export interface TiffPicture {
  bytes: Uint8Array;
  width: number;
  height: number;
  /** Set for a picture of reduced size, which is no page. */
  isPreview?: boolean;
}

const [SHORT, LONG] = [3, 4];

/** Writes a TIFF (TIFF 6.0, with JPEG as in its Technical Note 2), a directory for each page. */
export function pictureTiff(pages: readonly TiffPicture[]): Uint8Array<ArrayBuffer> {
  const entriesOf = (
    { bytes, width, height, isPreview = false }: TiffPicture,
    strip: number,
  ): [number, number, number][] => [
    [254, LONG, isPreview ? 1 : 0],
    [256, LONG, width],
    [257, LONG, height],
    [258, SHORT, 8],
    [259, SHORT, 7],
    [262, SHORT, 6],
    [273, LONG, strip],
    [277, SHORT, 3],
    [278, LONG, height],
    [279, LONG, bytes.length],
  ];
  const directorySize = 2 + 10 * 12 + 4;
  const length = 8 + pages.reduce((sum, { bytes }) => sum + directorySize + bytes.length + 1, 0);
  const file = new Uint8Array(length);
  const view = new DataView(file.buffer);
  view.setUint32(0, 0x49_49_2a_00);
  let at = 8;
  view.setUint32(4, at, true);
  for (const [index, page] of pages.entries()) {
    const strip = at + directorySize;
    const next = strip + page.bytes.length + (page.bytes.length % 2);
    const entries = entriesOf(page, strip);
    view.setUint16(at, entries.length, true);
    for (const [number, [tag, type, value]] of entries.entries()) {
      const entry = at + 2 + number * 12;
      view.setUint16(entry, tag, true);
      view.setUint16(entry + 2, type, true);
      view.setUint32(entry + 4, 1, true);
      if (type === SHORT) view.setUint16(entry + 8, value, true);
      else view.setUint32(entry + 8, value, true);
    }
    view.setUint32(at + 2 + entries.length * 12, index === pages.length - 1 ? 0 : next, true);
    file.set(page.bytes, strip);
    at = next;
  }
  return file;
}
