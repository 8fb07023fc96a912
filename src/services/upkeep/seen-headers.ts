/** Headers that every client sends, or that the service sets itself. */
const OWN = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "host",
  "priority",
  "signature",
  "signature-agent",
  "signature-input",
  "upgrade-insecure-requests",
  "user-agent",
]);
const OWN_PREFIX = "sec-";
/** Headers that state the address of the sender. */
const ADDRESSES = ["cf-connecting-ip", "x-forwarded-for", "x-real-ip", "true-client-ip"];
const MAX_SHOWN_CHARS = 80;
const MAX_SHOWN = 30;

/** Returns the headers that an echo's JSON states, by names in lower case; undefined for other texts, pages included. */
export function headersOf(text: string): Record<string, string> | undefined {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start < 0 || end < start) return undefined;
  try {
    // A browser shows JSON as the text of a page.
    const parsed: unknown = JSON.parse(
      text
        .slice(start, end + 1)
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&"),
    );
    const { headers } = Object(parsed) as { headers?: unknown };
    if (headers === null || typeof headers !== "object") return undefined;
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  } catch {
    return undefined;
  }
}

/** Returns the headers that the service did not send, as `name: value` with commas between them. */
export function addedHeaders(headers: Readonly<Record<string, string>>): string {
  const added = Object.entries(headers).filter(([name]) => !OWN.has(name) && !name.startsWith(OWN_PREFIX));
  return added
    .slice(0, MAX_SHOWN)
    .map(([name, value]) => `${name}: ${value.slice(0, MAX_SHOWN_CHARS)}`)
    .join(", ");
}

/** Returns the addresses that a site sees, with the names of the headers that state them. */
export function addressesIn(headers: Readonly<Record<string, string>>): string {
  return ADDRESSES.flatMap((name) => (headers[name] === undefined ? [] : [`${headers[name]} (${name})`])).join(", ");
}
