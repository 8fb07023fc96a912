/** Long words of letters and digits are likely to be what lets a caller in, as in the addresses of chat services. */
const TOKEN = /^(?=.*\d)(?=.*[a-z])[\w~+=.-]{16,}$/i;

/** A URL without what may be a secret: credentials, query, fragment, and parts of the path that look like a token. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  const path = pathname.split("/").map((segment) => (TOKEN.test(segment) ? "…" : segment));
  return `${protocol}//${host}${path.join("/")}`;
}
