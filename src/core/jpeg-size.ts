/** Reads width and height in pixels from the first frame header of a JPEG file (ITU-T T.81 § B.2.2). @throws RangeError for a file that is cut */
export function jpegSize(view: DataView): { width: number; height: number } | undefined {
  for (let at = 2; at < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
  }
  return undefined;
}
