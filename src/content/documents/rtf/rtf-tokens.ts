/** A piece of RTF source. Text and bytes are in the code page of the current font. */
export type RtfToken =
  | { type: "open" }
  | { type: "close" }
  | { type: "word"; name: string; value: number | undefined }
  | { type: "symbol"; symbol: string }
  | { type: "byte"; value: number }
  | { type: "text"; text: string };

const CONTROL_WORD = /([a-zA-Z]{1,32})(-?\d{1,10})? ?/y;
const PLAIN_TEXT = /[^\\{}\r\n]+/y;

/**
 * Splits RTF source, one character a byte, into tokens (Rich Text Format Specification 1.9.1). Binary data is skipped.
 */
export function* rtfTokens(source: string): Generator<RtfToken> {
  let at = 0;
  while (at < source.length) {
    const character = source[at];
    if (character === "{" || character === "}") {
      at++;
      yield { type: character === "{" ? "open" : "close" };
    } else if (character === "\\") {
      const { token, next } = controlAt(source, at + 1);
      at = token.type === "word" && token.name === "bin" ? next + Math.max(0, token.value ?? 0) : next;
      yield token;
    } else if (character === "\r" || character === "\n") {
      at++;
    } else {
      PLAIN_TEXT.lastIndex = at;
      const text = PLAIN_TEXT.exec(source)?.[0] ?? "";
      at += Math.max(1, text.length);
      yield { type: "text", text };
    }
  }
}

function controlAt(source: string, at: number): { token: RtfToken; next: number } {
  CONTROL_WORD.lastIndex = at;
  const word = CONTROL_WORD.exec(source);
  if (word !== null) {
    const value = word[2] === undefined ? undefined : Number(word[2]);
    return { token: { type: "word", name: word[1] ?? "", value }, next: at + word[0].length };
  }
  const symbol = source[at] ?? "";
  if (symbol === "'") {
    const value = Number.parseInt(source.slice(at + 1, at + 3), 16);
    return { token: { type: "byte", value: Number.isNaN(value) ? 0x20 : value }, next: at + 3 };
  }
  // A backslash in front of a line end is a paragraph mark.
  if (symbol === "\r" || symbol === "\n")
    return { token: { type: "word", name: "par", value: undefined }, next: at + 1 };
  return { token: { type: "symbol", symbol }, next: at + 1 };
}
