/** Undoes percent-encoding (RFC 3986 § 2.1). A text that is not encoded as it should be stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
