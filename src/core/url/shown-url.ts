import { decodePercent } from "./decode-percent.ts";

/** Words that are likely to be access tokens, as in webhook URLs of chat services: of letters and digits, or of both cases. */
const TOKENS = [/^(?=.*\d)(?=.*[a-z])\S{6,}$/i, /^(?=.*[a-z])(?=.*[A-Z])\S{20,}$/];
/** Short names with a number, such as `oauth2` and `orders-2026`. */
const NUMBERED = /^[a-z][a-z._-]{0,10}\d{1,4}$/i;

/** Returns a URL without possible secrets: credentials, query, fragment, and path segments that look like a token. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  const path = pathname.split("/").map((segment) => (isToken(decodePercent(segment)) ? "…" : segment));
  return `${protocol}//${host}${path.join("/")}`;
}

function isToken(segment: string): boolean {
  return TOKENS.some((token) => token.test(segment)) && !NUMBERED.test(segment);
}
