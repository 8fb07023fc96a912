const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", "#39": "'" };

/** Decodes the entities that sites leave in JSON by mistake, and removes tags around texts. */
export function decodeEntities(text: string): string {
  return text
    .replace(/<\/?(?:p|br|li|ul|ol|strong|em|b|i|span|div|h\d)\b[^>]*>/gi, " ")
    .replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (whole, label: string) => NAMED[label] ?? whole)
    .replace(/&#(\d{2,6});/g, (whole, code: string) =>
      Number(code) < 0x110000 ? String.fromCodePoint(Number(code)) : whole,
    );
}
