/** Decodes percent-encoding (RFC 3986 § 2.1). Returns invalidly encoded text unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
