/** Headers that another origin may see too: they say what the client takes, and not who it is. */
const PORTABLE_HEADERS = new Set(["accept", "accept-language", "user-agent"]);

/** Returns the headers that a request to another origin keeps. */
export function portableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => PORTABLE_HEADERS.has(name.toLowerCase())));
}
