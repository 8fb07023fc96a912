/** Reads a `Retry-After` header, in seconds or as a date (RFC 9110 § 10.2.3). @returns ms; undefined for other texts. */
export function retryAfterMs(text: string, nowMs: number): number | undefined {
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
