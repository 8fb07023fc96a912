/** Length of the number that says how long the JSON is. */
const HEAD_BYTES = 4;

/** Packs a value and bytes: the length of the JSON as 32 bits in network order, the JSON in UTF-8, the bytes. */
export function packCall(value: unknown, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(value));
  const packed = new Uint8Array(HEAD_BYTES + json.byteLength + bytes.byteLength);
  new DataView(packed.buffer).setUint32(0, json.byteLength);
  packed.set(json, HEAD_BYTES);
  packed.set(bytes, HEAD_BYTES + json.byteLength);
  return packed;
}

/** The reverse of `packCall`; the bytes are a view. @throws RangeError or SyntaxError for what it has not packed */
export function unpackCall(packed: Uint8Array): { value: unknown; bytes: Uint8Array } {
  const length = new DataView(packed.buffer, packed.byteOffset).getUint32(0);
  const end = HEAD_BYTES + length;
  return {
    value: JSON.parse(new TextDecoder().decode(packed.subarray(HEAD_BYTES, end))),
    bytes: packed.subarray(end),
  };
}
