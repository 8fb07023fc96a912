import { marked } from "marked";
import { cleanHtml, openHtml, toHtml } from "../../read-html.ts";

/** Tags that the markdown of a page may have: tables with merged cells, and small raised or lowered text. */
const TAG = /<(\/?)(table|thead|tbody|tfoot|tr|th|td|caption|br|sub|sup)((?:\s[^<>]*)?)\/?>/gi;
const SPAN = /\b(?:col|row)span\s*=\s*["']?\d{1,3}["']?/gi;
/** The address of a link may stand in angle brackets. */
const OTHER_TAG = /<(?!(?<=\]\(\s{0,9}<)(?:https?:|mailto:))(?=[a-z/!?])/gi;
/** Labels and addresses have no brackets, so that each is read once. */
const IMAGE = /!\[([^[\]\n]*)\]\([^)[\]\n]*\)/g;
const UNSAFE_LINK = /\[([^[\]\n]*)\]\((?!\s*<?(?:https?:|mailto:))[^)[\]\n]*\)/gi;
/** The end of a link's label, and an address that is none of the web: labels may nest. */
const UNSAFE_ADDRESS = /\]\((?!\s*<?(?:https?:|mailto:))[^)[\]\n]*\)/gi;
/** The same where the address has brackets or line ends in it. */
const UNSAFE_START = /\]\((?!\s*<?(?:https?:|mailto:))/gi;
const REFERENCE_DEFINITION = /^([ \t>]{0,20}\[[^\n]{0,500}?\]):/gm;
const KEPT = "\uE000";

/**
 * Returns the markdown of a vision model without what a page could have made it write: tags other than those of tables,
 * pictures, and links that are no web addresses become text.
 */
export function toSafeMarkdown(markdown: string): string {
  return markdown
    .replaceAll(KEPT, "")
    .replace(IMAGE, "$1")
    .replaceAll("![", "[")
    .replace(UNSAFE_LINK, "$1")
    .replace(UNSAFE_ADDRESS, "]")
    .replace(UNSAFE_START, "]\\(")
    .replace(REFERENCE_DEFINITION, "$1\\:")
    .replace(TAG, (_, slash: string, name: string, attributes: string) => {
      const spans = slash === "" ? (attributes.match(SPAN) ?? []).map((span) => ` ${span}`).join("") : "";
      return `${KEPT}${slash}${name.toLowerCase()}${spans}>`;
    })
    .replace(OTHER_TAG, "\\<")
    .replaceAll(KEPT, "<")
    .trim();
}

/** Returns markdown that is safe as HTML, cleaned like that of a page. */
export function toPageHtml(markdown: string, url: string): string {
  const html = marked.parse(markdown, { async: false, gfm: true });
  const view = openHtml(`<!doctype html><html><body>${html}</body></html>`, url);
  return toHtml(view, cleanHtml(view, { onlyMainContent: false, includeTags: [], excludeTags: [] }));
}
