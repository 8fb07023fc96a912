/** Bytes that a text takes in UTF-8. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** The longest beginning of a text that fits into so many bytes of UTF-8; no character is cut in two. */
export function cutUtf8(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength <= maxBytes) return text;
  let end = maxBytes;
  // Bytes that go on with a character begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder("utf-8", { ignoreBOM: true, fatal: false }).decode(bytes.subarray(0, end));
}
