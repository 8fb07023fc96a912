import type { PdfDocument } from "./pdf-document.ts";

const NAMES: readonly (readonly [infoKey: string, name: string])[] = [
  ["Title", "title"],
  ["Author", "author"],
  ["Subject", "description"],
  ["Keywords", "keywords"],
  ["Creator", "creator"],
  ["Producer", "producer"],
  ["Language", "language"],
];

/** Reads the document information dictionary and, for the title, the XMP packet; dates as ISO 8601. */
export async function pdfMetadata(document: PdfDocument): Promise<Record<string, string>> {
  const read = await document.getMetadata().catch(() => undefined);
  const info = new Map<string, unknown>(Object.entries(read?.info ?? {}));
  const metadata: Record<string, string> = {};
  for (const [key, name] of NAMES) {
    const value = info.get(key);
    if (typeof value === "string" && value.trim() !== "") metadata[name] = value.trim();
  }
  const xmpTitle: unknown = read?.metadata?.get("dc:title");
  if (metadata.title === undefined && typeof xmpTitle === "string" && xmpTitle.trim() !== "")
    metadata.title = xmpTitle.trim();
  const created = toIsoDate(info.get("CreationDate"));
  const modified = toIsoDate(info.get("ModDate"));
  if (created !== undefined) metadata.publishedTime = created;
  if (modified !== undefined) metadata.modifiedTime = modified;
  return metadata;
}

/**
 * Converts a PDF date to ISO 8601: `D:YYYYMMDDHHmmSSOHH'mm'`, ISO 32000-1 § 7.9.4; everything after the year may be
 * missing.
 */
function toIsoDate(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const match = /^(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(Z|[+-]\d{2})?'?(\d{2})?/.exec(value);
  if (match === null) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", zone = "Z", zoneMinute = "00"] =
    match;
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}${zone === "Z" ? "Z" : `${zone}:${zoneMinute}`}`;
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}
