/** Bytes of `\u00e4`, as the protocol writes every character outside of ASCII. */
const ESCAPED_BYTES = 6;

/** Returns how many characters fit into so many bytes of a protocol message, whose JSON is ASCII with escapes. */
export function lengthInMessage(text: string, maxBytes: number): number {
  if (text.length * ESCAPED_BYTES <= maxBytes) return text.length;
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    bytes += bytesOf(text.charCodeAt(at));
    if (bytes > maxBytes) return at;
  }
  return text.length;
}

/** Returns the bytes that a text takes in a protocol message. */
export function bytesInMessage(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) bytes += bytesOf(text.charCodeAt(at));
  return bytes;
}

function bytesOf(code: number): number {
  const isPlain = code >= 0x20 && code < 0x7f && code !== 0x22 && code !== 0x5c;
  if (isPlain) return 1;
  return code < 0x7f && code !== 0x0b && code >= 0x08 ? 2 : ESCAPED_BYTES;
}
