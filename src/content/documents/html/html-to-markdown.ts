import { everythingOf } from "../../html/cleaned.ts";
import { splitFormulas } from "../../markdown/math/math-text.ts";
import { openHtml, toMarkdown } from "../../read-html.ts";
import { htmlParts } from "./html-parts.ts";

/** Converts the HTML of a document to markdown like that of a page. Nothing is left out as boilerplate. */
export function htmlToMarkdown(html: string, url: string): string {
  const written: string[] = [];
  for (const part of htmlParts(html, PART_LENGTH)) {
    const markdown = partToMarkdown(part, url);
    if (markdown !== "") written.push(markdown);
  }
  return written.join("\n\n").trim();
}

/** Characters of HTML that are converted at once, at least: the tree of a long document never is in memory as a whole. */
const PART_LENGTH = 100_000;

/**
 * Converts a part of a document, which begins and ends between two blocks that are not both lists: the parts, joined by blank
 * lines, are the markdown of the whole. Empty for a part without text.
 */
export function partToMarkdown(html: string, url: string): string {
  if (html.trim() === "") return "";
  // A text with the sign itself keeps both as they are.
  const isMarked = html.includes("$$") && !html.includes(DOLLARS);
  const view = openHtml(`<!doctype html><html><body>${isMarked ? withMarkedDollars(html) : html}</body></html>`, url);
  const markdown = toMarkdown(view, everythingOf(view.tree.root), { removeBase64Images: true }).replace(/\n$/, "");
  return isMarked ? markdown.replaceAll(DOLLARS, String.raw`\$\$`) : markdown;
}

/** Stands for two dollar signs in HTML that is converted: a private-use character. */
const DOLLARS = "\uE0FE";
const CODE = /(?:pre|code)(?=[\s>])/y;

/** Marks pairs of dollar signs that enclose no formula, as those of prices: in Markdown they would begin one. */
function withMarkedDollars(html: string): string {
  let marked = "";
  for (const { text, markup } of partsOf(html)) marked += `${withoutPairs(text)}${markup}`;
  return marked;
}

function withoutPairs(text: string): string {
  if (!text.includes("$$")) return text;
  const pieces = splitFormulas(text).map((piece) => {
    if (typeof piece === "string") return piece.replaceAll("$$", () => DOLLARS);
    return piece.isDisplay ? `$$${piece.tex}$$` : String.raw`\(${piece.tex}\)`;
  });
  return pieces.join("");
}

/** Yields each text with the tag, or the whole of the code, behind it. An end that is missing is looked for once. */
function* partsOf(html: string): Generator<{ text: string; markup: string }> {
  const endless = new Set<string>();
  const behind = (end: string, from: number): number | undefined => {
    const at = endless.has(end) ? -1 : html.indexOf(end, from);
    if (at < 0) endless.add(end);
    return at < 0 ? undefined : at + end.length;
  };
  for (let at = 0; at < html.length;) {
    const mark = html.indexOf("<", at);
    if (mark < 0) return yield { text: html.slice(at), markup: "" };
    CODE.lastIndex = mark + 1;
    const [name] = CODE.exec(html) ?? [];
    const end = (name === undefined ? undefined : behind(`</${name}>`, mark)) ?? behind(">", mark) ?? html.length;
    yield { text: html.slice(at, mark), markup: html.slice(mark, end) };
    at = end;
  }
}
