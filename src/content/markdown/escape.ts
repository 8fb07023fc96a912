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
  return text.replace(SPECIAL_RUN, (run, offset: number) => {
    const before = text.charAt(offset - 1);
    const rest = text.slice(offset + run.length, offset + run.length + LOOK_AHEAD);
    return isLiteral(run, { before, rest, inLink }) ? run : escapeRun(run);
  });
}

const SPECIAL_RUN = /\\|`+|<|&|\*+|_+|~+|[[\]]/g;
/** As far as a run's meaning can depend on what follows: the text of a link that was meant as text. */
const LOOK_AHEAD = 200;

interface Surroundings {
  before: string;
  rest: string;
  inLink: boolean;
}

/** True for runs that mean themselves where they stand. */
function isLiteral(run: string, { before, rest, inLink }: Surroundings): boolean {
  const after = rest.charAt(0);
  switch (run.charAt(0)) {
    case "\\":
      return !/^[!-/:-@[-`{-~]/.test(after) && after !== "";
    case "&":
      return !/^#?\w+;/.test(rest);
    case "<":
      return !/^[a-z/!?]/i.test(after) && after !== "";
    case "[":
      return !inLink && !/^[^[\]]*\]\(/.test(rest) && !rest.startsWith("^");
    case "]":
      return !inLink;
    case "*":
      return isBlank(before) && isBlank(after) && !(before === "" || after === "");
    case "_":
      return (isWordCharacter(before) && isWordCharacter(after)) || (before === " " && after === " ");
    case "~":
      return run.length > 2 || (before === " " && after === " ");
    default:
      return false;
  }
}

function escapeRun(run: string): string {
  if (run === "&") return "&amp;";
  return run.replace(/./g, "\\$&");
}

function isBlank(character: string): boolean {
  return /^\s?$/.test(character);
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
