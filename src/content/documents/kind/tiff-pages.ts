/** Width and height in pixels. */
export interface TiffPage {
  width: number;
  height: number;
}

/** Pages of a file that are counted. */
const MAX_PAGES = 300;
const MAX_DIRECTORIES = 1_000;
const MAX_ENTRIES = 1_000;
const SHORT = 3;
const NEW_SUBFILE_TYPE = 254;
const IMAGE_WIDTH = 256;
const IMAGE_LENGTH = 257;

/**
 * Returns the pages of a TIFF (TIFF 6.0 § 2), without decoding them: pictures of reduced size for a preview are none. A file that
 * breaks off has the pages up to there.
 */
export function tiffPages(bytes: Uint8Array): TiffPage[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pages: TiffPage[] = [];
  try {
    const isLittle = view.getUint8(0) === 0x49;
    let directory = view.getUint32(4, isLittle);
    const seen = new Set<number>();
    while (directory !== 0 && !seen.has(directory) && seen.size < MAX_DIRECTORIES && pages.length < MAX_PAGES) {
      seen.add(directory);
      const entries = Math.min(MAX_ENTRIES, view.getUint16(directory, isLittle));
      const page = pageOf(view, { directory, entries, isLittle });
      if (page !== undefined) pages.push(page);
      directory = view.getUint32(directory + 2 + entries * 12, isLittle);
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return pages;
}

function pageOf(
  view: DataView,
  { directory, entries, isLittle }: { directory: number; entries: number; isLittle: boolean },
): TiffPage | undefined {
  const values = new Map<number, number>();
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + entry * 12;
    const isShort = view.getUint16(at + 2, isLittle) === SHORT;
    values.set(
      view.getUint16(at, isLittle),
      isShort ? view.getUint16(at + 8, isLittle) : view.getUint32(at + 8, isLittle),
    );
  }
  const [width = 0, height = 0] = [values.get(IMAGE_WIDTH), values.get(IMAGE_LENGTH)];
  const isPreview = ((values.get(NEW_SUBFILE_TYPE) ?? 0) & 1) === 1;
  return width === 0 || height === 0 || isPreview ? undefined : { width, height };
}
