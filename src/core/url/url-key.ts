const INDEX_FILE = /\/(?:index|default)\.(?:html?|php|aspx?|jsp)$/i;

const HASH_ROUTE = /^#!?\/./;

/**
 * Reports whether a hash is a client-side route, such as `#/a/b` or `#!/a`, and not an anchor in the page. The routes
 * `#/` and `#!/` are the page itself.
 */
export function isHashRoute(hash: string): boolean {
  return HASH_ROUTE.test(hash);
}

/** Removes the fragment of a URL, unless it is a hash route. Changes the URL in place. */
export function dropAnchor(url: URL): URL {
  if (url.hash !== "" && !isHashRoute(url.hash)) url.hash = "";
  // A lone `#` or `?` parses as empty but is still part of `href`.
  if (url.href.endsWith("#")) url.hash = "";
  return url;
}

/** Normalizes a URL for a crawl: no fragment, no credentials, and optionally no query. Changes the URL in place. */
export function tidyUrl(url: URL, { ignoreQueryParameters }: { ignoreQueryParameters: boolean }): URL {
  dropAnchor(url);
  if (url.username !== "") url.username = "";
  if (url.password !== "") url.password = "";
  if (ignoreQueryParameters && url.search !== "") url.search = "";
  if (url.href.endsWith("?")) url.search = "";
  return url;
}

/** The parts of a URL by which pages are told apart and judged: a `URL`, or pieces of its text. */
export type UrlParts = Pick<URL, "href" | "host" | "hostname" | "pathname" | "search" | "hash">;

/**
 * Returns the key that identifies a page. URLs that differ only in `www.`, http or https, an index file or the last
 * slash have the same key. Takes a URL normalized by `tidyUrl`.
 */
export function similarUrlKey({ host, pathname, search, hash }: Omit<UrlParts, "href" | "hostname">): string {
  const bareHost = host.startsWith("www.") && host.length > 4 ? host.slice(4) : host;
  const folder = pathname.replace(INDEX_FILE, "/");
  const path = folder.endsWith("/") ? folder.slice(0, -1) : folder;
  return `${bareHost}${path}${search}${hash}`;
}

/** Returns the keys that the page of a normalized URL may have; which one depends on the rules of its crawl. */
export function keysOfUrl(url: string): string[] {
  const parsed = URL.parse(url);
  return parsed === null ? [] : [similarUrlKey(parsed), parsed.href];
}
