/** Headers that another origin may see too: they say what the client takes, and not who it is. */
const PORTABLE_HEADERS = new Set(["accept", "accept-language", "user-agent"]);

/** Returns the headers that a request to another origin keeps. */
export function portableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isPortableHeader(name)));
}

/** Reports whether another origin may see a header too. */
export function isPortableHeader(name: string): boolean {
  return PORTABLE_HEADERS.has(name.toLowerCase());
}

/**
 * Reports whether a page may see the headers of a request for another URL of its site: not without TLS when the request had it,
 * since everybody on the way would read them.
 */
export function keepsTls(page: URL, asked: URL): boolean {
  return page.protocol === "https:" || asked.protocol === "http:";
}
