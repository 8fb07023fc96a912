/**
 * Most addresses of a page are already in the normal form of a URL parser. Checking that takes a tenth of the time of a
 * parser, and allocates no objects.
 */

/** Characters that no part of a URL encodes, and no `%`, which may encode a dot. */
const PLAIN = String.raw`[\w\-.~!$&()*+,;=:@/]`;
const REST = String.raw`${PLAIN}*(?:\?(?:${PLAIN}|[%?])*)?(?:#(?:${PLAIN}|[%?])*)?$`;
const FROM_ROOT = new RegExp(String.raw`^/(?!/)${REST}`);
/** A name of letters at the end: a number there turns the host into an IP address. */
const ABSOLUTE = new RegExp(String.raw`^https?://(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,}/${REST}`);
/** Dot segments of a path, which a parser resolves. */
const DOTS = /\/\.{1,2}(?:[/?#]|$)/;

/** Returns `URL.parse(address, baseUrl).href` for an address of a simple form; undefined for all others. */
export function readPlainAddress(address: string, baseUrl: string): string | undefined {
  const isFromRoot = address.charCodeAt(0) === SLASH;
  if (!(isFromRoot ? FROM_ROOT : ABSOLUTE).test(address) || DOTS.test(address)) return undefined;
  // Without a valid base a parser rejects absolute addresses as well.
  const root = rootOf(baseUrl);
  if (root === undefined) return undefined;
  return isFromRoot ? root + address : detached(address);
}

const SLASH = 47;
/** V8 copies slices that are shorter than 13 characters. */
const COPIED_CHARS = 8;

/**
 * Returns an equal text that does not retain the page. An address of a page is a slice, which retains all of the page for
 * as long as a crawl remembers the link. A joined text is copied at its first use, at a tenth of the time of `copyText`.
 */
function detached(address: string): string {
  return address.slice(0, COPIED_CHARS) + address.slice(COPIED_CHARS);
}

/** Cache of the root of the last base: a page has one for all of its addresses. */
let known: { baseUrl: string; root: string | undefined } = { baseUrl: "", root: undefined };

function rootOf(baseUrl: string): string | undefined {
  if (known.baseUrl !== baseUrl) {
    const base = URL.parse(baseUrl);
    const isPlain = base !== null && /^https?:$/.test(base.protocol) && base.username === "" && base.password === "";
    known = { baseUrl, root: isPlain ? base.origin : undefined };
  }
  return known.root;
}
