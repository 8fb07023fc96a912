/** Long words of letters and digits are likely to be access tokens, as in webhook URLs of chat services. */
const TOKEN = /^(?=.*\d)(?=.*[a-z])[\w~+=.-]{16,}$/i;

/** Returns a URL without possible secrets: credentials, query, fragment, and path segments that look like a token. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  const path = pathname.split("/").map((segment) => (TOKEN.test(segment) ? "…" : segment));
  return `${protocol}//${host}${path.join("/")}`;
}
