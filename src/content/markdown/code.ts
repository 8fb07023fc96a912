import { resolveUrl } from "../html/resolve-url.ts";
import { ofChildren } from "../html/tree/of-children.ts";
import { BLOCK_TAGS, textOf, type ElementNode } from "../html/tree/tree.ts";
import { codeLanguage } from "./inline/code-language.ts";
import { collapse, escapeAddress, INVISIBLE } from "./inline/escape.ts";
import { inlineCodeText, longestTicks } from "./inline/inline-code.ts";
import type { InlineRun } from "./inline/inline-run.ts";
import { takeStep, type MarkdownPage } from "./page.ts";

/** Parts of a highlighter's markup that are no code: line numbers, gutters, copy buttons. */
const NO_CODE =
  /(?:^|\s)(?:line-?numbers?(?:-rows)?|linenos?|linenodiv|lineno|gutter|lnt|ln-num|line-?num(?:s)?|copy(?:btn|-button|-code)?|code-copy|clipboard-copy|hljs-ln-numbers|hljs-ln-line-number|rouge-gutter|blob-num|react-line-number|react-code-line-number|crayon-nums?)(?:\s|$)/i;
/** Elements that highlighters create for each line. */
const LINE_CLASS =
  /(?:^|\s)(?:token-line|code-line|view-line|CodeMirror-line|cm-line|react-code-text|crayon-line|ec-line)(?:\s|$)/;

/** A class that highlighters give to each line; other classes with the same ending have a different meaning. */
const ANY_LINE_CLASS = /(?:^|\s)(\S*(?<!in|out|over|under|new|multi|single|base|head|time)line)(?=\s|$)/i;
const BLOCK_STYLE = /(?:^|[;\s])display\s*:\s*block/i;

const CHARS_A_STEP = 16;

/** Returns a fenced block; the fence is longer than any inside. Empty for empty listings, and beyond the budget. */
export function fencedCode(element: ElementNode, page: MarkdownPage): string {
  const code = codeText(element);
  if (code.trim() === "" || !takeStep(page, code.length / CHARS_A_STEP)) return "";
  const fence = "`".repeat(Math.max(3, longestTicks(code) + 1));
  return `${fence}${codeLanguage(element)}\n${code}\n${fence}`;
}

/** Writes code in the line; a link around all of it stays a link. */
export function inlineCode(run: InlineRun, element: ElementNode, page: MarkdownPage): void {
  const raw = collapse(readCode(element));
  const code = raw.trim();
  if (raw.startsWith(" ")) run.addSpace();
  if (code !== "") {
    const link = run.inLink ? undefined : onlyLink(element);
    const address = link === undefined ? undefined : resolveUrl(link.attributes["href"], page.baseUrl);
    // In a link these would end its text, or form a definition.
    if (run.inLink && /\][:(]/.test(code)) run.addText(code);
    else if (address === undefined) run.addCode(code, element.tag === "kbd");
    else run.addAtom(`[${inlineCodeText(code)}](${escapeAddress(address)})`);
  }
  if (raw.endsWith(" ")) run.addSpace();
}

function onlyLink({ children }: ElementNode): ElementNode | undefined {
  const [child] = children;
  return children.length === 1 && typeof child === "object" && child.tag === "a" ? child : undefined;
}

const hasText = ofChildren((children) => children.some((child) => typeof child === "string" && child.trim() !== ""));

/** True for `<code>` that holds several lines outside of running text: a listing without `<pre>`. */
export function isListing({ tag, children, parent }: ElementNode): boolean {
  if (tag !== "code") return false;
  const lines = children.filter((child) => typeof child !== "string" && (child.tag === "br" || child.tag === "div"));
  return lines.length >= 2 && parent !== undefined && !hasText(parent);
}

/** Returns the text of the code: line breaks from `<br>` and from elements that represent lines, no line numbers. */
export function codeText(element: ElementNode): string {
  return readCode(element)
    .replace(/\r\n?/g, "\n")
    .replaceAll("\u00a0", " ")
    .replace(INVISIBLE, "")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

/** Collects pieces instead of one growing text: listings of many thousand tokens are common. */
function readCode(element: ElementNode): string {
  const pieces: string[] = [];
  /** Line breaks of the source and of elements that always represent lines. */
  let breaks = 0;
  const push = (piece: string): void => {
    pieces.push(piece);
    if (piece.includes("\n")) breaks++;
  };
  const read = (from: ElementNode): void => {
    let before: Line | undefined;
    for (const child of from.children) {
      const name = typeof child === "string" ? undefined : lineName(child);
      const isBehindLine = name !== undefined && name === before?.name && !before.isParted;
      before = undefined;
      if (typeof child === "string") push(child);
      else if (child.tag === "br") push("\n");
      else if (!isNoCode(child)) {
        const seam = pieces.length;
        if (isBehindLine) pieces.push("\n");
        const start = pieces.length;
        const breaksAbove = breaks;
        read(child);
        if (pieces.length > start && isLine(child) && pieces.at(-1)?.endsWith("\n") !== true) push("\n");
        const isParted = breaks > breaksAbove;
        if (isBehindLine && isParted) pieces[seam] = "";
        if (name !== undefined) before = { name, isParted };
      }
    }
  };
  read(element);
  return pieces.join("");
}

/** A neighbour that may be a separate line. */
interface Line {
  name: string;
  /** The source breaks lines inside of it, so that the page does not rely on its style. */
  isParted: boolean;
}

/** Returns the class or style by which pages lay out neighbours as lines without a line break in the source. */
function lineName({ attributes }: ElementNode): string | undefined {
  const { class: classes, style } = attributes;
  if (classes?.includes("ine") === true) return ANY_LINE_CLASS.exec(classes)?.[1];
  return style !== undefined && BLOCK_STYLE.test(style) ? "" : undefined;
}

function isNoCode({ tag, attributes }: ElementNode): boolean {
  if (tag === "button" || tag === "script" || tag === "style" || tag === "svg") return true;
  if (tag === "code" || tag === "table" || attributes["class"] === undefined) return false;
  return NO_CODE.test(attributes["class"]) && tag !== "pre";
}

function isLine({ tag, attributes }: ElementNode): boolean {
  if (BLOCK_TAGS.has(tag)) return tag !== "pre" && tag !== "td" && tag !== "th";
  return attributes["class"] !== undefined && LINE_CLASS.test(attributes["class"]);
}

const CODE_TABLE =
  /(?:^|[\s_-])(?:highlight\S*|codehilite\S*|rouge-\S+|lntable|syntaxhighlighter|crayon-table|js-file-line-container|hljs-ln|gist\S*|code-table)(?:$|[\s_-])/i;
const CODE_CELL = /(?:^|[\s_-])(?:code|blob-code\S*|crayon-code|hljs-ln-code)(?:$|\s)/i;
const GUTTER_CLASS = /(?:^|[\s_-])(?:gutter|linenos?|line-?numbers?|lineno|crayon-nums)(?:$|[\s_-])/i;

/**
 * Returns the listings of a table that shows code beside its line numbers; none for every other table. One within
 * another is a part of it.
 */
export function listingsOfTable(table: ElementNode, page: MarkdownPage): ElementNode[] {
  if (!isCodeTable(table)) return [];
  const listings: ElementNode[] = [];
  let hasCodeCell = false;
  const stack = [table];
  for (let element = stack.pop(); element !== undefined && takeStep(page); element = stack.pop()) {
    const { tag, children } = element;
    if (tag === "pre") {
      if (!isGutter(element)) listings.push(element);
      continue;
    }
    hasCodeCell ||= isCodeCell(element);
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index];
      if (child !== undefined && typeof child !== "string") stack.push(child);
    }
  }
  return listings.length === 0 && hasCodeCell ? [table] : listings;
}

/** True for a cell of a table whose class says that it holds code. */
export function isCodeCell({ tag, attributes }: ElementNode): boolean {
  return tag === "td" && CODE_CELL.test(attributes["class"] ?? "");
}

/** True for a table whose class, or that of its parent, is one that programs give listings. */
export function isCodeTable({ attributes, parent }: ElementNode): boolean {
  return CODE_TABLE.test(`${attributes["class"] ?? ""} ${parent?.attributes["class"] ?? ""}`);
}

/** True for a `<pre>` that holds nothing but the numbers of lines. */
export function isGutter(pre: ElementNode): boolean {
  if (/[^\d\s]/.test(textOf(pre))) return false;
  let element: ElementNode | undefined = pre;
  for (let steps = 0; element !== undefined && steps < 6; steps++) {
    if (GUTTER_CLASS.test(element.attributes["class"] ?? "") || (element.tag === "table" && isCodeTable(element)))
      return true;
    element = element.parent;
  }
  return false;
}
