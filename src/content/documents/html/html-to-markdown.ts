import { splitFormulas } from "../../markdown/math/math-text.ts";
import { cleanHtml, openHtml, toMarkdown } from "../../read-html.ts";

/** Converts the HTML of a document to markdown like that of a page. Nothing is left out as boilerplate. */
export function htmlToMarkdown(html: string, url: string): string {
  if (html.trim() === "") return "";
  const view = openHtml(`<!doctype html><html><body>${withMarkedDollars(html)}</body></html>`, url);
  const cleaned = cleanHtml(view, { onlyMainContent: false, includeTags: [], excludeTags: [] });
  return toMarkdown(view, cleaned, { removeBase64Images: true })
    .trim()
    .replaceAll(DOLLARS, String.raw`\$\$`);
}

/** Stands for two dollar signs in HTML that is converted: a private-use character, which text does not contain here. */
const DOLLARS = "\uE0FE";
const CODE_OR_TAG = /(<pre[\s>][\s\S]*?<\/pre>|<code[\s>][\s\S]*?<\/code>|<[^<>]*>)/;

/** Marks pairs of dollar signs that enclose no formula, as those of prices: in Markdown they would begin one. */
function withMarkedDollars(html: string): string {
  if (!html.includes("$$")) return html;
  return html
    .split(CODE_OR_TAG)
    .map((part, at) => {
      if (at % 2 === 1 || !part.includes("$$")) return part;
      const written = splitFormulas(part).map((piece) => {
        if (typeof piece === "string") return piece.replaceAll("$$", () => DOLLARS);
        return piece.isDisplay ? `$$${piece.tex}$$` : String.raw`\(${piece.tex}\)`;
      });
      return written.join("");
    })
    .join("");
}
