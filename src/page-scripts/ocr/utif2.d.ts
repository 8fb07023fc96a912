/** A directory of a TIFF: the values of its tags by `t` and their number, and the size once the picture is decoded. */
export interface TiffDirectory {
  [tag: string]: unknown;
  data: Uint8Array;
  width: number;
  height: number;
}

export function decode(file: ArrayBuffer): TiffDirectory[];
/** Sets `data`, `width` and `height`. @throws Error for damaged data */
export function decodeImage(file: ArrayBuffer, page: TiffDirectory): void;
/** Returns four bytes for each pixel. */
export function toRGBA8(page: TiffDirectory): Uint8Array<ArrayBuffer>;
