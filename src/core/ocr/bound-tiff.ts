/** Bytes of a value of each type (TIFF 6.0, section 2), by the number of the type. */
const TYPE_BYTES = [1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
/** Tags whose values are the offsets of further directories, with metadata. */
const DIRECTORY_TAGS = new Set([330, 34_665, 34_853, 40_965, 50_740, 61_440]);
/** Reserved for private use, and read by nothing. */
const PRIVATE_TAG = 65_001;
const MAX_DIRECTORIES = 1_000;

/**
 * Changes a TIFF so that a reader which trusts it comes to an end: its chain of directories ends before one that was
 * there, and directories of metadata are left out.
 * @throws Error for a list of values that is longer than the file
 */
export function boundTiff(bytes: Uint8Array<ArrayBuffer>): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8) throw new Error("The file is too short for a TIFF");
  const isLittle = view.getUint8(0) === 0x49;
  const seen = new Set<number>();
  for (let place = 4; ;) {
    const directory = view.getUint32(place, isLittle);
    if (directory === 0) return;
    const end = directory + 2 > bytes.length ? Infinity : directory + 2 + 12 * view.getUint16(directory, isLittle);
    if (seen.has(directory) || seen.size >= MAX_DIRECTORIES || end > bytes.length) {
      return view.setUint32(place, 0, isLittle);
    }
    seen.add(directory);
    for (let at = directory + 2; at < end; at += 12) boundEntry(view, at, isLittle);
    // The chain ends here: there is no room for a next offset.
    if (end + 4 > bytes.length) return;
    place = end;
  }
}

function boundEntry(view: DataView, at: number, isLittle: boolean): void {
  const count = view.getUint32(at + 4, isLittle);
  if (count * (TYPE_BYTES[view.getUint16(at + 2, isLittle)] ?? 1) > view.byteLength) {
    throw new Error("A list of values is longer than the file");
  }
  if (DIRECTORY_TAGS.has(view.getUint16(at, isLittle))) view.setUint16(at, PRIVATE_TAG, isLittle);
}
