import { shownUrl } from "../url/shown-url.ts";

/** Fields of a log line. */
export type LogEvent = Record<string, string | number | boolean | undefined>;

const MAX_TEXT_CHARS = 4000;
const KEY = /\bfc-[0-9a-f]{32}/gi;
const BEARER = /\b(Bearer\s+)[^\s"',;]+/gi;
const ADDRESS = /\b(?:https?|wss?):\/\/[^\s"'<>`)\]}]+/gi;
/** Suffix of the engine's message on broken JSON; the text quoted before it may be confidential. */
const NOT_JSON = " is not valid JSON";

/** Removes API keys, possible secrets in URLs and document text from a text for the log. */
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

/** Returns a log line as JSON, which the platform indexes by field. */
export function toLogLine(event: LogEvent): string {
  const shown = Object.entries(event).map(([field, value]) => [
    field,
    typeof value === "string" ? redact(value) : value,
  ]);
  return JSON.stringify(Object.fromEntries(shown));
}

function showAddress(text: string): string {
  // Punctuation behind a URL belongs to the sentence.
  const [, address = text, rest = ""] = /^(.*?)((?<![.,;:!?])[.,;:!?]*)$/.exec(text) ?? [];
  return URL.canParse(address) ? `${shownUrl(address)}${rest}` : "…";
}
