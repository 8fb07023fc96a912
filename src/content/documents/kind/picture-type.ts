import { toBinaryString } from "../../text/charset-detection.ts";

/** Media types of pictures that browsers decode, and TIFF. */
export const PICTURE_TYPES = [
  "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/tiff",
] as const; // prettier-ignore
export type PictureType = (typeof PICTURE_TYPES)[number];

/** First bytes of pictures (WHATWG MIME Sniffing § 6.1; AVIF § 6). */
const MAGIC: [PictureType, RegExp][] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBPVP/],
  ["image/avif", /^[^]{4}ftyp(?:avif|avis)/],
  ["image/tiff", /^(?:II\*\0|MM\0\*)/],
  // The size of the file, two empty fields, and the offset of the pixels.
  ["image/bmp", /^BM[^]{4}\0{4}[^]{2}\0{2}/],
];

/** Returns the type of a picture by its first bytes; undefined for other files. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  const head = toBinaryString(bytes.subarray(0, 16));
  return MAGIC.find(([, pattern]) => pattern.test(head))?.[0];
}
