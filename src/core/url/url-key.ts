const INDEX_FILE = /\/(?:index|default)\.(?:html?|php|aspx?|jsp)$/i;

/** A hash that a script reads as a path, such as `#/a/b` or `#!/a`, and not a place in the page. */
export function isHashRoute(hash: string): boolean {
  return hash.length > 2 && hash.includes("/");
}

/** How a crawl writes a URL: no fragment, no credentials, and on request no query. Changes the URL in place. */
export function tidyUrl(url: URL, { ignoreQueryParameters }: { ignoreQueryParameters: boolean }): URL {
  if (url.hash !== "" && !isHashRoute(url.hash)) url.hash = "";
  if (url.username !== "") url.username = "";
  if (url.password !== "") url.password = "";
  if (ignoreQueryParameters && url.search !== "") url.search = "";
  // A lone `?` or `#` parses as empty and still stands in the text.
  if (url.href.endsWith("#")) url.hash = "";
  if (url.href.endsWith("?")) url.search = "";
  return url;
}

/**
 * What a page is known by. Similar URLs, which differ in `www.`, http or https, an index file or the last slash, have the same key.
 * Takes a tidy URL.
 */
export function similarUrlKey({ host, pathname, search, hash }: URL): string {
  const bareHost = host.startsWith("www.") && host.length > 4 ? host.slice(4) : host;
  const folder = pathname.replace(INDEX_FILE, "/");
  const path = folder.endsWith("/") ? folder.slice(0, -1) : folder;
  return `${bareHost}${path}${search}${hash}`;
}
