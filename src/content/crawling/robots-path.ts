/**
 * Paths of robots.txt and of URLs, brought to one spelling so that they can be compared octet by octet (RFC 9309
 * § 2.2.2): what is not ASCII is percent-encoded, what need not be encoded is not, hexadecimal digits are capitals, and
 * reserved characters mean the same either way inside a query. `*` and a last `$` are operators in a pattern and
 * `%2A` and `%24` in a path.
 */
export function toPathPattern(rule: string): string {
  const hasEnd = rule.endsWith("$");
  const body = normalise(hasEnd ? rule.slice(0, -1) : rule).replaceAll("$", "%24");
  // Several stars say what one says.
  return `${body.replace(/\*{2,}/g, "*")}${hasEnd ? "$" : ""}`;
}

/** The path and query of a URL in the spelling that patterns are compared with. */
export function toMatchablePath(url: string): string {
  const { pathname, search } = new URL(url);
  return normalise(`${pathname}${search}`).replaceAll("*", "%2A").replaceAll("$", "%24");
}

/**
 * Whether a pattern matches a path from its start: `*` stands for any characters, a last `$` for the end.
 * Each piece between stars is looked for once, from where the one before ended: linear in pattern and path.
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

/** `indexOf` may look at each place of the text as often as the piece is long; long pieces are found with Knuth, Morris and Pratt. */
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

/** For each prefix the length of its longest proper border: the part at its end that it also begins with. */
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
