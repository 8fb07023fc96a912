/** One picture of a tab. */
export interface Frame {
  /** Rises by one with each frame of a connection. */
  number: number;
  /** Ms since the epoch. */
  atMs: number;
  /** The page's visible part in CSS pixels; the picture may be smaller. */
  width: number;
  height: number;
  jpeg: Uint8Array;
}

const HEADER_BYTES = 8;

/** A frame on the wire: its number (32 bits, big-endian), width and height (16 bits each), then the JPEG file. */
export function encodeFrame({ number, width, height, jpeg }: Frame): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + jpeg.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, number);
  view.setUint16(4, Math.min(width, 0xffff));
  view.setUint16(6, Math.min(height, 0xffff));
  bytes.set(jpeg, HEADER_BYTES);
  return bytes;
}
