import { resolveUrl } from "../resolve-url.ts";
import { BLOCK_TAGS, textOf, type ElementNode } from "../tree.ts";
import type { Emitter, InlineContext } from "./emitter.ts";
import { collapse, escapeAddress } from "./escape.ts";

/** Parts of a highlighter's markup that are no code: line numbers, gutters, copy buttons. */
const NO_CODE =
  /(?:^|\s)(?:line-?numbers?(?:-rows)?|linenos?|gutter|copy(?:btn|-button|-code)?|code-copy|hljs-ln-numbers|rouge-gutter|blob-num|react-code-line-number|lineno|ln-num|clipboard-copy)(?:\s|$)/i;
/** Elements that some highlighters make of each line. */
const LINE_CLASS = /(?:^|\s)(?:token-line|code-line|view-line|CodeMirror-line|cm-line|react-code-text)(?:\s|$)/;
const LANGUAGE_CLASS =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|brush:\s*|sourceCode\s+)([a-z0-9+#_.-]+)/i;
/** Words of class names that look like a language and are none. */
const NO_LANGUAGE =
  /^(?:highlight|light|dark|theme.*|line.*|none|plain(?:text)?|text|code.*|default|nohighlight|auto|source|hljs|copy.*|wrap.*)$/i;

/** A fenced block; its fence is longer than any inside. */
export function codeBlock(element: ElementNode): string[] {
  const code = codeText(element);
  if (code.trim() === "") return [];
  const longest = Math.max(2, ...[...code.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}${codeLanguage(element)}\n${code}\n${fence}`];
}

/** Code in the line, between as many backticks as it takes; a link around all of it stays a link. */
export function inlineCode(emitter: Emitter, element: ElementNode, { inLink }: InlineContext): string {
  const raw = collapse(textOf(element));
  const code = raw.trim();
  if (code === "") return raw;
  const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const padding = code.startsWith("`") || code.endsWith("`") ? " " : "";
  const text = fence + padding + code + padding + fence;
  const link = inLink ? undefined : onlyLink(element);
  const address = link === undefined ? undefined : resolveUrl(link.attributes["href"], emitter.baseUrl);
  const shown = address === undefined ? text : `[${text}](${escapeAddress(address)})`;
  return (raw.startsWith(" ") ? " " : "") + shown + (raw.endsWith(" ") ? " " : "");
}

function onlyLink({ children }: ElementNode): ElementNode | undefined {
  const [child, ...others] = children;
  return others.length === 0 && child !== undefined && typeof child !== "string" && child.tag === "a"
    ? child
    : undefined;
}

/** The language that a highlighter's markup names on the block, its code or its frame, in lower case; empty without one. */
export function codeLanguage(element: ElementNode): string {
  const inner = element.children.find((child) => typeof child !== "string" && child.tag === "code");
  const places = [typeof inner === "string" ? undefined : inner, element, element.parent, element.parent?.parent];
  for (const place of places) {
    const language = place === undefined ? undefined : languageOf(place);
    if (language !== undefined) return language;
  }
  return "";
}

function languageOf({ tag, attributes }: ElementNode): string | undefined {
  const classes = attributes["class"] ?? "";
  const highlighted = /(?:^|\s)hljs(?:\s|$)/.test(classes)
    ? classes
        .replace(/(?:^|\s)hljs(?=\s|$)/, "")
        .trim()
        .split(/\s+/)[0]
    : undefined;
  const candidates = [
    attributes["data-lang"],
    attributes["data-language"],
    LANGUAGE_CLASS.exec(classes)?.[1],
    highlighted,
  ];
  if (tag === "pre" && /^[a-z+#]+$/i.test(attributes["lang"] ?? "")) candidates.push(attributes["lang"]);
  const language = candidates.find(
    (candidate) => candidate !== undefined && candidate !== "" && !NO_LANGUAGE.test(candidate),
  );
  return language
    ?.toLowerCase()
    .replace(/^source[.-]/, "")
    .replace(/[^a-z0-9+#_.-]/g, "");
}

/** The code itself: line breaks from `<br>` and from elements that stand for lines, no line numbers. Depth is capped by the tree. */
function codeText(element: ElementNode): string {
  const text = readCode(element, "");
  return text
    .replace(/\r\n?/g, "\n")
    .replaceAll("\u00a0", " ")
    .replace(/[\u200b\ufeff]/g, "")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

function readCode(element: ElementNode, before: string): string {
  let text = before;
  for (const child of element.children) {
    if (typeof child === "string") text += child;
    else if (child.tag === "br") text += "\n";
    else if (!isNoCode(child)) {
      const length = text.length;
      text = readCode(child, text);
      if (isLine(child) && text.length > length && !text.endsWith("\n")) text += "\n";
    }
  }
  return text;
}

function isNoCode({ tag, attributes }: ElementNode): boolean {
  if (tag === "button" || tag === "script" || tag === "style" || tag === "svg") return true;
  if (tag === "code" || tag === "pre" || tag === "table") return false;
  return NO_CODE.test(attributes["class"] ?? "");
}

function isLine({ tag, attributes }: ElementNode): boolean {
  return (BLOCK_TAGS.has(tag) && tag !== "pre" && tag !== "td") || LINE_CLASS.test(attributes["class"] ?? "");
}

const CODE_FRAME =
  /(?:^|\s)(?:highlight\S*|codehilite(?:table)?|rouge-table|lntable|gist|js-file-line-container|code-block\S*|prism-code|hljs-ln|syntaxhighlighter)(?:\s|$)/i;

/** The listing inside a highlighter's frame, beside which there are at most line numbers; undefined for other elements. */
export function framedListing(frame: ElementNode): ElementNode | undefined {
  if (!CODE_FRAME.test(frame.attributes["class"] ?? "")) return undefined;
  const listings: ElementNode[] = [];
  collectListings(frame, listings);
  const withCode = listings.filter((listing) => /[^\d\s]/.test(textOf(listing)));
  return withCode.length === 1 ? withCode[0] : undefined;
}

function collectListings(element: ElementNode, listings: ElementNode[]): void {
  for (const child of element.children) {
    if (typeof child === "string") continue;
    if (child.tag === "pre") listings.push(child);
    else collectListings(child, listings);
  }
}
