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

const PERCENT = 0x25;
const QUESTION_MARK = 0x3f;
/** Octets that URL parsers encode in paths and not in queries, or not all of them: either way they mean the same. */
const ENCODED = octetsOf(/["<>^`{}]/);
const NOT_PLAIN = /[^\u{21}-\u{7E}]|["%<>^`{}]/u;
const HEX = "0123456789ABCDEF";
/** Octets that mean the same with and without an escape, outside and inside of a query. */
const UNRESERVED = octetsOf(/[A-Za-z0-9._~-]/);
const UNRESERVED_IN_QUERY = octetsOf(/[A-Za-z0-9._~:/?@!'()+,;-]/);

/** Takes one pass over the octets: a call of a function for each escape takes half a second for a file of 500 KiB. */
function normalise(path: string): string {
  if (!NOT_PLAIN.test(path)) return path;
  const octets = new TextEncoder().encode(path);
  const written = new Uint8Array(octets.length * 3);
  let unescaped = UNRESERVED;
  let length = 0;
  for (let index = 0; index < octets.length; index++) {
    const octet = octets[index] ?? 0;
    const escaped = octet === PERCENT ? escapedOctet(octets, index) : undefined;
    if (escaped !== undefined) index += 2;
    if (octet === QUESTION_MARK) unescaped = UNRESERVED_IN_QUERY;
    const isPlain =
      escaped === undefined ? octet >= 0x21 && octet <= 0x7e && !ENCODED.has(octet) : unescaped.has(escaped);
    const value = escaped ?? octet;
    if (isPlain) {
      written[length++] = value;
      continue;
    }
    written[length++] = PERCENT;
    written[length++] = HEX.charCodeAt(value >> 4);
    written[length++] = HEX.charCodeAt(value & 15);
  }
  return new TextDecoder().decode(written.subarray(0, length));
}

/** Returns the octet of the escape that begins at an index; undefined where there is none. */
function escapedOctet(octets: Uint8Array, index: number): number | undefined {
  const high = hexDigit(octets[index + 1]);
  const low = hexDigit(octets[index + 2]);
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function hexDigit(octet = 0): number | undefined {
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const letter = octet | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

function octetsOf(characters: RegExp): ReadonlySet<number> {
  return new Set(Array.from({ length: 128 }, (_, octet) => octet).filter((octet) => characters.test(String.fromCharCode(octet)))); // prettier-ignore
}

const SHORT = 16;

/** Reports whether a piece behind the first star of a pattern is so long that it is searched by its characters. */
export function hasLongPiece(pattern: string): boolean {
  return pattern.slice(pattern.indexOf("*") + 1).split("*").some((piece) => piece.length > SHORT); // prettier-ignore
}

/**
 * Finds a piece. `indexOf` may compare each position with the whole piece; long pieces are found with Knuth, Morris and
 * Pratt, from the first place on that has their first characters.
 */
function findFrom(text: string, piece: string, start: number): number {
  if (piece.length <= SHORT) return text.indexOf(piece, start);
  const first = text.indexOf(piece.slice(0, SHORT), start);
  if (first < 0 || piece.length > text.length - first) return -1;
  fillBorders(piece);
  let matched = 0;
  for (let position = first; position < text.length; position++) {
    const code = text.charCodeAt(position);
    while (matched > 0 && code !== piece.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === piece.charCodeAt(matched)) matched++;
    if (matched === piece.length) return position - matched + 1;
  }
  return -1;
}

/** Of one search at a time: an array of its own for each of thousands of patterns takes as long as the search. */
let borders = new Uint32Array(4_096);

/** Sets for each prefix the length of its longest proper border: the part at its end that it also begins with. */
function fillBorders(piece: string): void {
  if (piece.length > borders.length) borders = new Uint32Array(piece.length);
  borders[0] = 0;
  let length = 0;
  for (let index = 1; index < piece.length; index++) {
    const code = piece.charCodeAt(index);
    while (length > 0 && code !== piece.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (code === piece.charCodeAt(length)) length++;
    borders[index] = length;
  }
}
