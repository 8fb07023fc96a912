/**
 * White space as HTML collapses it; the no-break space and the line separators mean nothing to a reader of markdown.
 */
const SPACE_RUN = /[ \t\r\n\f\v\u00a0\u2028\u2029]+/g;
/** Control characters, soft hyphen, zero-width space, word joiner, byte order mark. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
export const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f\u00ad\u200b\u2060\ufeff]+/g;
// oxlint-disable-next-line no-control-regex -- as above
const NEEDS_COLLAPSE = /[\u0000-\u001f\u007f\u00a0\u00ad\u200b\u2028\u2029\u2060\ufeff]| {2}/;

/** Returns source text with white space collapsed to single spaces and invisible characters removed. */
export function collapse(text: string): string {
  if (!NEEDS_COLLAPSE.test(text)) return text;
  return text.replace(INVISIBLE, "").replace(SPACE_RUN, " ");
}

const SPECIAL = /[\\`*_[\]<&~]|^[(:]/;
const CANDIDATES = /\*+|_+|~+|[\\`[\]<&]/g;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][\da-z]{1,31});/iy;
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/;
const TAG_START = /[a-z/!?]/i;
const WORD = /[\p{L}\p{N}\p{M}]/u;

/**
 * Escapes text so that CommonMark with GFM reads it literally, and no more than that: `my_var_name` and `2 * 3` stay.
 * Inside a link every square bracket is escaped.
 * @param before the character in front, empty at the start of a block
 */
export function escapeText(text: string, inLink: boolean, before = ""): string {
  if (!SPECIAL.test(text)) return text;
  if (!inLink && MAY_HOLD_ADDRESS.test(text)) return escapeAroundAddresses(text, before);
  return escapeWords(text, inLink, before);
}

function escapeWords(text: string, inLink: boolean, before: string): string {
  const escaped = text.replace(CANDIDATES, (run, offset: number) => {
    const previous = offset === 0 ? before : text.charAt(offset - 1);
    const next = text.charAt(offset + run.length);
    return isMarkup(run, { previous, next, text, offset, inLink }) ? run.replace(/./g, "\\$&") : run;
  });
  // `[a]` followed by `(b)` or `: b` from the next element would read as a link or as a definition.
  return before === "]" && /^[(:]/.test(text) ? `\\${escaped}` : escaped;
}

const MAY_HOLD_ADDRESS = /https?:\/\/|www\./i;
/** Text that GFM may turn into a link (§ 6.9): everything up to the next space. */
const ADDRESS = /(?<![a-z])(?:https?:\/\/|www\.)\S+/giu;

/** Escapes text around addresses. Inside of an address no sign is markup, and a backslash would become part of it. */
function escapeAroundAddresses(text: string, before: string): string {
  let escaped = "";
  let done = 0;
  const escapeUpTo = (end: number): void => {
    escaped += escapeWords(text.slice(done, end), false, done === 0 ? before : text.charAt(done - 1));
  };
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    escapeUpTo(index);
    escaped += escapeFoundAddress(address);
    done = index + address.length;
  }
  escapeUpTo(text.length);
  return escaped;
}

/** Escapes an address so that it does not become a link when its signs would have to be escaped. */
function escapeFoundAddress(address: string): string {
  const escaped = escapeWords(address, false, " ");
  return escaped === address ? address : escaped.replace(/https?(?=:\/\/)|www(?=\.)/gi, "$&\\");
}

/** The box of a task, and brackets that could form an image, a link or a definition. */
const NO_PLAIN_BRACKETS = /^\\\[[ xX]\\\]|!\\\[|\]\\?[(:[]/;

/**
 * True for escaped text with square brackets that are literal without a backslash, even in the text of a link: in
 * pairs, and nothing else.
 */
export function hasPlainBrackets(escaped: string): boolean {
  if (!escaped.includes("\\[") || NO_PLAIN_BRACKETS.test(escaped)) return false;
  let depth = 0;
  for (const [, bracket] of escaped.matchAll(/\\([\s\S])/g)) {
    if (bracket === "[") depth++;
    else if (bracket === "]" && --depth < 0) return false;
  }
  return depth === 0;
}

/** True for texts that end in an address, or in something that GFM may read as one. */
export function endsInAddress(text: string): boolean {
  return MAY_HOLD_ADDRESS.test(text.slice(text.lastIndexOf(" ") + 1));
}

interface Place {
  previous: string;
  /** Empty at the end of the text, where anything may follow. */
  next: string;
  text: string;
  offset: number;
  inLink: boolean;
}

function isMarkup(run: string, { previous, next, text, offset, inLink }: Place): boolean {
  switch (run.charAt(0)) {
    case "\\":
      return isSpace(next) || ASCII_PUNCTUATION.test(next) || (offset === 0 && !isSpace(previous));
    case "`":
      return true;
    case "*":
      return !(isSpace(previous) && next === " ");
    case "_":
      return !(isSpace(previous) && next === " ") && !(WORD.test(previous) && WORD.test(next));
    case "~":
      return run.length > 1 || next === "" || !isSpace(previous);
    case "[":
      return inLink;
    case "]":
      return inLink || next === "(" || next === ":";
    case "<":
      return next === "" || TAG_START.test(next);
    default:
      ENTITY.lastIndex = offset;
      return ENTITY.test(text);
  }
}

function isSpace(character: string): boolean {
  return character === "" || character === " " || character === "\n";
}

/**
 * Headings, quotes, list markers, fences, rules and underlines of headings and tables (CommonMark § 4, 5; GFM § 4.10).
 */
const BLOCK_START = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|~{3}|-{2,}\s*$|(?:_\s*){3,}$)/;
/** The label of a definition, which would not be shown at all (CommonMark § 4.7). */
const DEFINITION = /^\[(?:[^[\]\\]|\\.)+\]:/;
const NUMBER_START = /^(\d{1,9})(?=[.)](?:\s|$))/;
const UNDERLINE = /^(?:=+\s*$|[|:-][\s|:-]*$)/;

/** Escapes text that would start another block at the beginning of a paragraph's line. */
export function escapeLineStart(line: string, isFirst = true): string {
  if (BLOCK_START.test(line) || DEFINITION.test(line) || (!isFirst && UNDERLINE.test(line))) return `\\${line}`;
  return line.replace(NUMBER_START, "$1\\");
}

/** Escapes text inside the square brackets of an image. */
export function escapeDescription(text: string): string {
  return collapse(text)
    .trim()
    .replace(/[\\[\]`*_<~]|&(?=#?\w+;)/g, "\\$&");
}

/**
 * Escapes an address for the round brackets of a link: no spaces, no angle brackets, round brackets only in pairs,
 * nothing that reads as an entity, and no backtick, which another one behind the link would make code of.
 */
export function escapeAddress(address: string): string {
  if (!/[\s<>()\\&|`]/.test(address)) return address;
  const text = address
    .replace(/[\s<>\\|`]/g, (character) => encodeURIComponent(character))
    .replace(/&(?=#?\w+;)/g, "\\&");
  return hasPairedBrackets(text) ? text : text.replaceAll("(", "%28").replaceAll(")", "%29");
}

function hasPairedBrackets(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[()]/g)) {
    depth += bracket === "(" ? 1 : -1;
    if (depth < 0 || depth > 30) return false;
  }
  return depth === 0;
}
