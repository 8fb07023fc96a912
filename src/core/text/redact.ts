import { shownUrl } from "../url/shown-url.ts";

/** Values of a line in the log. */
export type LogEvent = Record<string, string | number | boolean | undefined>;

const MAX_TEXT_CHARS = 4000;
const KEY = /\bfc-[0-9a-f]{32}/gi;
const BEARER = /\b(Bearer\s+)[^\s"',;]+/gi;
const ADDRESS = /\b(?:https?|wss?):\/\/[^\s"'<>`)\]}]+/gi;
/** What the engine says about broken JSON quotes the text in front of these words; the text may be anybody's. */
const NOT_JSON = " is not valid JSON";

/** A text for the log: without keys, without what may be secret in addresses, without the text of a document. */
export function redact(text: string): string {
  return withoutQuotedJson(text)
    .replace(ADDRESS, showAddress)
    .replace(KEY, "…")
    .replace(BEARER, "$1…")
    .slice(0, MAX_TEXT_CHARS);
}

function withoutQuotedJson(text: string): string {
  const end = text.lastIndexOf(NOT_JSON);
  const quote = text.indexOf('"');
  if (quote < 0 || quote >= end || !/"(?:\.\.\.)?$/.test(text.slice(Math.max(quote + 1, end - 4), end))) return text;
  const before = text
    .slice(0, quote)
    .replace(/\.\.\.$/, "")
    .trimEnd()
    .replace(/,$/, "");
  return `${before} …${text.slice(end)}`;
}

/** One line of the log as JSON, which the platform indexes field by field. */
export function toLogLine(event: LogEvent): string {
  const shown = Object.entries(event).map(([field, value]) => [
    field,
    typeof value === "string" ? redact(value) : value,
  ]);
  return JSON.stringify(Object.fromEntries(shown));
}

function showAddress(text: string): string {
  // Punctuation behind an address belongs to the sentence.
  const [, address = text, rest = ""] = /^(.*?)((?<![.,;:!?])[.,;:!?]*)$/.exec(text) ?? [];
  return URL.canParse(address) ? `${shownUrl(address)}${rest}` : "…";
}
