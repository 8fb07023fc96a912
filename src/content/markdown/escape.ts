/** White space as HTML collapses it, with the no-break space, which says nothing to a reader of markdown. */
const SPACES = /[ \t\r\n\f\u00a0]+/g;
/** Invisible characters: zero-width space, byte order mark, soft hyphen, control characters. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const INVISIBLE = /[\u0000-\u0008\u000b\u000e-\u001f\u200b\u00ad\ufeff]/g;
const SPECIAL = /[\\`*_[\]<&~]/;

/** Source text with white space collapsed and invisible characters removed. */
export function collapse(text: string): string {
  return text.replace(INVISIBLE, "").replace(SPACES, " ");
}

/**
 * Escapes text so that CommonMark with GFM reads it as the text that it is, and no more than that: `my_var_name` and
 * `2 * 3` stay. Inside a link every square bracket is escaped.
 */
export function escapeText(text: string, inLink: boolean): string {
  if (!SPECIAL.test(text)) return text;
  let escaped = text
    .replace(/\\(?=[!-/:-@[-`{-~])/g, "\\\\")
    .replace(/&(?=#?\w+;)/g, "&amp;")
    .replace(/`/g, "\\`")
    .replace(/<(?=[a-z/!?])/gi, "\\<")
    .replace(/\*+/g, (run, offset: number) =>
      isFlanking(text, offset, run.length) ? run.replaceAll("*", "\\*") : run,
    );
  if (escaped.includes("_")) escaped = escapeUnderscores(escaped);
  if (/~[^~\s].*~/.test(escaped) || escaped.includes("~~")) escaped = escaped.replace(/~/g, "\\~");
  return inLink ? escaped.replace(/[[\]]/g, "\\$&") : escaped.replace(/\[(?=[^[\]]*\]\()/g, "\\[");
}

/** Delimiters with spaces on both sides mean themselves (CommonMark § 6.2). Offsets count in the unescaped text. */
function isFlanking(text: string, offset: number, length: number): boolean {
  const before = text.charAt(offset - 1);
  const after = text.charAt(offset + length);
  return !(/^\s?$/.test(before) && /^\s?$/.test(after)) || (before === "" && after !== "" && !/\s/.test(after));
}

/** Underscores inside words mean themselves; at a word's edge they would open or close emphasis. */
function escapeUnderscores(text: string): string {
  return text.replace(/_+/g, (run, offset: number) => {
    const before = text.charAt(offset - 1);
    const after = text.charAt(offset + run.length);
    const isInsideWord = isWordCharacter(before) && isWordCharacter(after);
    const standsAlone = /^\s?$/.test(before) && /^\s?$/.test(after);
    return isInsideWord || standsAlone ? run : run.replaceAll("_", "\\_");
  });
}

/** Letters, digits: what emphasis delimiters look at in their neighbours. */
export function isWordCharacter(character: string): boolean {
  return character !== "" && /[\p{L}\p{N}]/u.test(character);
}

/** True for punctuation and symbols, as CommonMark's flanking rules mean them. */
export function isPunctuation(character: string): boolean {
  return character !== "" && /[\p{P}\p{S}]/u.test(character);
}

/** Escapes what would make the start of a paragraph's line something else: a heading, a list, a quote, a rule, a table. */
export function escapeLineStart(line: string): string {
  if (/^#{1,6}(?:\s|$)/.test(line) || /^[-+*](?:\s|$)/.test(line) || line.startsWith(">")) return `\\${line}`;
  if (/^(?:=+|~{3,}.*|([-*_])(?:\s*\1){2,}|-+)\s*$/.test(line) || /^[|:\s]*-[-|:\s]*$/.test(line)) return `\\${line}`;
  if (/^\[[^\]]+\]:/.test(line) || /^\[[ xX]\]\s/.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");
}

/** An address that is a valid link destination whatever is in it (CommonMark § 6.3). */
export function escapeAddress(address: string): string {
  return address.replace(
    /[\s<>()\\|]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
