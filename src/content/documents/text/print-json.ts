const MAX_ADDED_CHARACTERS = 20_000_000;
/** Number of pieces that are joined at once: each takes more memory than its letters. */
const PIECES_A_GROUP = 4_096;

/**
 * Prints a text that is JSON with two spaces for each level. Numbers and the order of members stay as they are, which
 * `JSON.stringify` changes; escaped letters in strings are decoded.
 * @returns undefined when indentation would exceed the content, as in deeply nested JSON
 */
export function printJson(text: string): string | undefined {
  const groups: string[] = [];
  let pieces: string[] = [];
  let depth = 0;
  let added = 0;
  let before = "";
  for (const token of tokensOf(text)) {
    const isEnd = token === "}" || token === "]";
    const isFirst = before === "{" || before === "[";
    if (isEnd) depth--;
    // Nothing is between the brackets of an empty object.
    if (before === "," || isEnd !== isFirst) {
      pieces.push("\n", "  ".repeat(depth));
      added += 1 + 2 * depth;
    }
    if (added > MAX_ADDED_CHARACTERS) return undefined;
    pieces.push(writtenToken(token));
    if (token === "{" || token === "[") depth++;
    before = token;
    if (pieces.length < PIECES_A_GROUP) continue;
    groups.push(pieces.join(""));
    pieces = [];
  }
  return groups.join("") + pieces.join("");
}

function writtenToken(token: string): string {
  if (token === ":") return ": ";
  if (!token.startsWith('"') || !token.includes("\\")) return token;
  const letters: unknown = JSON.parse(token);
  return JSON.stringify(letters);
}

/** A mark or a value; of a string, its first quote. */
const TOKEN = /["{}[\],:]|[^\s"{}[\],:]+/g;

function* tokensOf(text: string): Generator<string> {
  const pattern = new RegExp(TOKEN);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [token] = match;
    if (token === '"') pattern.lastIndex = endOfString(text, match.index);
    yield token === '"' ? text.slice(match.index, pattern.lastIndex) : token;
  }
}

/** Returns the position behind the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
