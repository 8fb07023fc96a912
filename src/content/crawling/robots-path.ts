/**
 * Normalises paths of robots.txt and of URLs, so that they can be compared octet by octet (RFC 9309 § 2.2.2):
 * characters outside of ASCII are percent-encoded, characters that need no encoding are not, hexadecimal digits are
 * capitals, and reserved characters mean the same either way inside a query. `*` and a last `$` are operators in a
 * pattern and `%2A` and `%24` in a path.
 */
export function toPathPattern(rule: string): string {
  const hasEnd = rule.endsWith("$");
  const body = normalise(hasEnd ? rule.slice(0, -1) : rule).replaceAll("$", "%24");
  // Several stars mean the same as one.
  return `${body.replace(/\*{2,}/g, "*")}${hasEnd ? "$" : ""}`;
}

/** Returns the path and query of a URL in the spelling of normalised patterns. */
export function toMatchablePath(url: string): string {
  const { pathname, search } = new URL(url);
  return normalise(`${pathname}${search}`).replaceAll("*", "%2A").replaceAll("$", "%24");
}

/**
 * Reports whether a pattern matches a path from its start: `*` matches any characters, a last `$` the end. Each piece
 * between stars is searched once, from the end of the previous one: linear in pattern and path.
 */
export function matchesPath(pattern: string, path: string): boolean {
  if (!pattern.includes("*")) return pattern.endsWith("$") ? pattern.slice(0, -1) === path : path.startsWith(pattern);
  const isAnchored = pattern.endsWith("$");
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  const first = pieces.shift() ?? "";
  if (!path.startsWith(first)) return false;
  const last = isAnchored ? (pieces.pop() ?? "") : "";
  let position = first.length;
  for (const piece of pieces) {
    const found = findFrom(path, piece, position);
    if (found < 0) return false;
    position = found + piece.length;
  }
  return !isAnchored || (path.length - last.length >= position && path.endsWith(last));
}

const ESCAPE = /%[0-9a-f]{2}/gi;
const NOT_ASCII = /[^\u{21}-\u{7E}]+/gu;

function normalise(path: string): string {
  const ascii = path.replace(NOT_ASCII, (text) => encodeURIComponent(text.toWellFormed()));
  if (!ascii.includes("%")) return ascii;
  const query = ascii.indexOf("?");
  if (query < 0) return ascii.replace(ESCAPE, (escape) => decodeIf(/[A-Za-z0-9._~-]/, escape));
  const head = ascii.slice(0, query).replace(ESCAPE, (escape) => decodeIf(/[A-Za-z0-9._~-]/, escape));
  return `${head}${ascii.slice(query).replace(ESCAPE, (escape) => decodeIf(/[A-Za-z0-9._~:/?@!'()+,;-]/, escape))}`;
}

function decodeIf(plain: RegExp, escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return plain.test(character) ? character : escape.toUpperCase();
}

const SHORT = 16;

/**
 * Finds a piece. `indexOf` may compare each position with the whole piece; long pieces are found with Knuth, Morris and
 * Pratt.
 */
function findFrom(text: string, piece: string, start: number): number {
  if (piece.length <= SHORT) return text.indexOf(piece, start);
  if (piece.length > text.length - start) return -1;
  const borders = bordersOf(piece);
  let matched = 0;
  for (let position = start; position < text.length; position++) {
    while (matched > 0 && text[position] !== piece[matched]) matched = borders[matched - 1] ?? 0;
    if (text[position] === piece[matched]) matched++;
    if (matched === piece.length) return position - matched + 1;
  }
  return -1;
}

/** Returns for each prefix the length of its longest proper border: the part at its end that it also begins with. */
function bordersOf(piece: string): Uint32Array {
  const borders = new Uint32Array(piece.length);
  let length = 0;
  for (let index = 1; index < piece.length; index++) {
    while (length > 0 && piece[index] !== piece[length]) length = borders[length - 1] ?? 0;
    if (piece[index] === piece[length]) length++;
    borders[index] = length;
  }
  return borders;
}
