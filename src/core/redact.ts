import { shownUrl } from "./shown-url.ts";

/** Values of a line in the log. */
export type LogEvent = Record<string, string | number | boolean | undefined>;

const MAX_TEXT_CHARS = 4000;
const KEY = /\bfc-[0-9a-f]{32}/gi;
const BEARER = /\b(Bearer\s+)[^\s"',;]+/gi;
const ADDRESS = /\b(?:https?|wss?):\/\/[^\s"'<>`)\]}]+/gi;
/** What the engine says about broken JSON quotes the text, which may be anybody's. */
const QUOTED_JSON = /,?\s*(?:\.\.\.)?"[^]*"(?:\.\.\.)?(?= is not valid JSON)/;

/** A text for the log: without keys, without what may be secret in addresses, without the text of a document. */
export function redact(text: string): string {
  return text
    .replace(QUOTED_JSON, " …")
    .replace(ADDRESS, showAddress)
    .replace(KEY, "…")
    .replace(BEARER, "$1…")
    .slice(0, MAX_TEXT_CHARS);
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
  const [, address = text, rest = ""] = /^(.*?)([.,;:!?]*)$/.exec(text) ?? [];
  return URL.canParse(address) ? `${shownUrl(address)}${rest}` : "…";
}
