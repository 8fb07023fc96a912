import { jpegSize } from "../../../core/jpeg-size.ts";
import { pictureType } from "./picture-type.ts";
import { tiffPages } from "./tiff-pages.ts";

/** Width and height in pixels, as the header of a picture states them. */
export interface PictureSize {
  width: number;
  height: number;
}

/** Bytes in which the size of a picture is searched: metadata may precede it. */
const SEARCHED_BYTES = 1_000_000;

/** Reads the size of a picture from its header, without decoding it; undefined when the header does not state it. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, SEARCHED_BYTES));
  try {
    switch (pictureType(bytes)) {
      case "image/png":
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case "image/gif":
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      case "image/bmp":
        return { width: view.getUint32(18, true), height: Math.abs(view.getInt32(22, true)) };
      case "image/jpeg":
        return jpegSize(view);
      case "image/webp":
        return webpSize(view);
      case "image/avif":
        return avifSize(view);
      case "image/tiff":
        return tiffPages(bytes)[0];
      case undefined:
        return undefined;
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads the first chunk (RFC 9649 § 2.5–2.7). */
function webpSize(view: DataView): PictureSize | undefined {
  const chunk = String.fromCharCode(view.getUint8(12), view.getUint8(13), view.getUint8(14), view.getUint8(15));
  if (chunk === "VP8 ") {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (chunk === "VP8L") {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  const three = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
  return chunk === "VP8X" ? { width: three(24) + 1, height: three(27) + 1 } : undefined;
}

/** Reads the largest `ispe` property (ISO/IEC 23008-12 § 6.5.3): one for the picture, others for its tiles. */
function avifSize(view: DataView): PictureSize | undefined {
  let size: PictureSize | undefined;
  for (let at = 0; at + 16 <= view.byteLength; at++) {
    if (view.getUint8(at) !== 0x69 || view.getUint32(at) !== 0x69_73_70_65) continue;
    const found = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    if (size === undefined || found.width * found.height > size.width * size.height) size = found;
  }
  return size;
}
