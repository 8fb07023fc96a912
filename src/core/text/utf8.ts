/** Returns the length of a text in UTF-8 bytes. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Returns the longest prefix of a text that fits into `maxBytes` of UTF-8, without splitting a character. */
export function cutUtf8(text: string, maxBytes: number): string {
  // A character takes a byte or more: what lies behind as many is cut off in any case.
  const bytes = new TextEncoder().encode(text.length > maxBytes ? text.slice(0, maxBytes + 1) : text);
  if (bytes.byteLength <= maxBytes) return text;
  let end = maxBytes;
  // Continuation bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder("utf-8", { ignoreBOM: true, fatal: false }).decode(bytes.subarray(0, end));
}
