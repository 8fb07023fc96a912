/** An empty deflate block of the stored type. */
const EMPTY_BLOCK = [0, 0, 0, 0xff, 0xff];
/** The last block of a stream, of the fixed type and empty. */
const LAST_BLOCK = [3, 0];
const HEADER_BYTES = 30;

/** Writes an archive whose files have the same packed bytes: empty blocks, which unpack to nothing. */
export function sharedArchive(names: readonly string[], blocks: number, declaredBytes = 0): Uint8Array {
  const packed = new Uint8Array(blocks * EMPTY_BLOCK.length + LAST_BLOCK.length);
  for (let at = 0; at < blocks; at++) packed.set(EMPTY_BLOCK, at * EMPTY_BLOCK.length);
  packed.set(LAST_BLOCK, packed.length - LAST_BLOCK.length);
  const header = new Uint8Array(HEADER_BYTES);
  new DataView(header.buffer).setUint32(0, 0x04034b50, true);
  const entries = names.map((name) => entryOf(name, packed.length, declaredBytes));
  const directoryAt = header.length + packed.length;
  const end = new Uint8Array(22);
  const view = new DataView(end.buffer);
  view.setUint32(0, 0x06054b50, true);
  view.setUint32(16, directoryAt, true);
  return Uint8Array.from([header, packed, ...entries, end].flatMap((part) => [...part]));
}

function entryOf(name: string, packedBytes: number, declaredBytes: number): Uint8Array {
  const encoded = new TextEncoder().encode(name);
  const entry = new Uint8Array(46 + encoded.length);
  const view = new DataView(entry.buffer);
  view.setUint32(0, 0x02014b50, true);
  view.setUint16(10, 8, true);
  view.setUint32(20, packedBytes, true);
  view.setUint32(24, declaredBytes, true);
  view.setUint16(28, encoded.length, true);
  entry.set(encoded, 46);
  return entry;
}
