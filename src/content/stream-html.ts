import type { WorkBudget } from "../core/work-budget.ts";
import { escapeAddress, escapeLineStart, escapeText, collapse } from "./markdown/inline/escape.ts";
import { baseUrlOf, isBase, resolveUrl } from "./html/resolve-url.ts";
import { ForeignContent } from "./html/tree/foreign-content.ts";
import { readTags, type TagSink } from "./html/tree/tag-reader.ts";
import { Rule, rulesOf, VOID_TAGS } from "./html/tree/tag-rules.ts";
import { BLOCK_TAGS, type HtmlHead } from "./html/tree/tree.ts";
import { hasText } from "./text/has-text.ts";

/** The result of reading a page without building a tree. */
export interface StreamedPage {
  head: HtmlHead;
  markdown: string;
  html: string;
  links: string[];
  images: string[];
}

export interface StreamOptions {
  /** Base of relative addresses. */
  baseUrl: string;
  onlyMainContent: boolean;
}

const SILENT_TAGS = new Set("script style template svg noscript select textarea object iframe canvas title".split(" "));
const SIDE_TAGS = new Set(["nav", "header", "footer", "aside"]);
/** Elements at whose end no mark of an item or a heading waits for its text any longer. */
const MARKED_TAGS = new Set("li ul ol h1 h2 h3 h4 h5 h6".split(" "));
const MAX_LIST_DEPTH = 6;
/** Open tags beyond this depth are not tracked. */
const MAX_DEPTH = 512;

/**
 * Reads a page in one pass with the memory of its output: for pages so large that their tree would not fit. Returns
 * headings, paragraphs, lists, listings, links and pictures; tables become lines, and main content is recognised by
 * tags alone.
 */
export function streamHtml(html: string, options: StreamOptions, budget?: WorkBudget): StreamedPage {
  const reader = new StreamReader(options);
  readTags(html, reader, budget);
  return reader.finish();
}

class StreamReader implements TagSink {
  readonly #head: HtmlHead = { title: "", metas: [], links: [], baseHref: "", jsonLd: [], language: "" };
  readonly #blocks: string[] = [];
  readonly #html: string[] = [];
  readonly #links = new Set<string>();
  readonly #images = new Set<string>();
  readonly #foreign = new ForeignContent();
  readonly #onlyMainContent: boolean;
  readonly #pageUrl: string;
  #baseUrl: string;
  /** Number of open elements whose content is left out. */
  #silent = 0;
  readonly #open: string[] = [];
  #listDepth = 0;
  /** The mark of an item or a heading, which waits for the first line of its text. */
  #prefix = "";
  /** The pieces of the line: a long one is joined once, at its end. */
  #line: string[] = [];
  /** The same line as HTML. */
  #markup: string[] = [];
  #link: { address: string; start: number } | undefined;
  #listing: string | undefined;
  #inTitle = false;

  constructor({ baseUrl, onlyMainContent }: StreamOptions) {
    this.#pageUrl = baseUrl;
    this.#baseUrl = baseUrl;
    this.#onlyMainContent = onlyMainContent;
  }

  get isForeign(): boolean {
    return this.#foreign.isForeign;
  }

  openTag(tag: string, attributes: Readonly<Record<string, string>>, isSelfClosing: boolean): void {
    this.#noteHead(tag, attributes);
    this.#foreign.openTag(tag, isSelfClosing);
    const isClosed = isSelfClosing && (this.isForeign || tag === "svg" || tag === "math");
    const isHolder = !VOID_TAGS.has(tag) && !isClosed;
    if ((rulesOf(tag) & Rule.head) === 0) this.#endHead();
    if (isHolder && this.#open.length < MAX_DEPTH) {
      this.#open.push(tag);
      if (this.#isSilent(tag)) this.#silent++;
    }
    if (this.#silent > 0) return;
    if (BLOCK_TAGS.has(tag)) this.#endBlock();
    if (tag === "br") this.#add(" ", "<br>");
    if (tag === "ul" || tag === "ol") this.#listDepth++;
    if (tag === "pre") this.#listing = "";
    if (tag === "a") this.#openLink(attributes["href"]);
    if (tag === "img") this.#addImage(attributes);
    const level = /^h([1-6])$/.exec(tag)?.[1];
    if (level !== undefined) this.#prefix = `${"#".repeat(Number(level))} `;
    if (tag === "li") this.#prefix = `${"  ".repeat(Math.min(MAX_LIST_DEPTH, Math.max(0, this.#listDepth - 1)))}- `;
  }

  text(text: string): void {
    if (this.#inTitle) this.#head.title += text;
    if (this.#open.at(-1) === "head" && hasText(text)) this.#endHead();
    if (this.#silent > 0) return;
    if (this.#listing !== undefined) this.#listing += text;
    else this.#add(escapeText(collapse(text), this.#link !== undefined), escapeHtml(text));
  }

  closeTag(tag: string): void {
    this.#foreign.closeTag(tag);
    if (tag === "title") this.#inTitle = false;
    const wasSilent = this.#silent > 0;
    const opened = this.#open.lastIndexOf(tag);
    // Elements that are still open inside end as well.
    for (const inner of opened === -1 ? [] : this.#open.splice(opened)) if (this.#isSilent(inner)) this.#silent--;
    if (wasSilent) return;
    if (tag === "a") this.#closeLink();
    if (BLOCK_TAGS.has(tag)) this.#endBlock();
    if (MARKED_TAGS.has(tag)) this.#prefix = "";
    if ((tag === "ul" || tag === "ol") && this.#listDepth > 0) this.#listDepth--;
  }

  finish(): StreamedPage {
    this.#endBlock();
    const head = this.#head;
    const blocks = this.#blocks;
    const html = this.#html;
    const links = this.#links;
    const images = this.#images;
    const markdown = blocks.length === 0 ? "" : `${blocks.join("\n\n")}\n`;
    return {
      head,
      markdown,
      html: `<html><body>${html.join("")}</body></html>`,
      links: [...links],
      images: [...images],
    };
  }

  #isSilent(tag: string): boolean {
    return SILENT_TAGS.has(tag) || tag === "head" || (this.#onlyMainContent && SIDE_TAGS.has(tag));
  }

  /** Content ends the head, whose end tag may be left out. */
  #endHead(): void {
    if (this.#open.at(-1) !== "head") return;
    this.#open.pop();
    this.#silent--;
  }

  #noteHead(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (tag === "meta") this.#head.metas.push(attributes);
    else if (tag === "link") this.#head.links.push(attributes);
    else if (tag === "html") this.#head.language ||= attributes["lang"] ?? "";
    else if (tag === "title") this.#inTitle = this.#head.title === "" && !this.isForeign;
    else if (tag === "base") this.#noteBase(attributes["href"]);
    else if (tag === "a") this.#noteLink(attributes["href"]);
  }

  /** The first base counts. */
  #noteBase(href = ""): void {
    if (!isBase(href) || this.#head.baseHref !== "") return;
    this.#head.baseHref = href;
    this.#baseUrl = baseUrlOf(href, this.#pageUrl);
  }

  #noteLink(href: string | undefined): void {
    const address = href?.startsWith("#") ? undefined : resolveUrl(href, this.#baseUrl);
    if (address !== undefined) this.#links.add(address);
  }

  #openLink(href: string | undefined): void {
    const address = resolveUrl(href, this.#baseUrl);
    if (address === undefined) return;
    this.#link = { address, start: this.#line.length };
    this.#markup.push(`<a href="${escapeHtml(address)}">`);
  }

  #closeLink(): void {
    if (this.#link === undefined) return;
    const { address, start } = this.#link;
    const text = this.#line.slice(start).join("").trim();
    this.#link = undefined;
    this.#markup.push("</a>");
    if (text === "") return;
    this.#line.length = start;
    this.#line.push(`[${text}](${escapeAddress(address)})`);
  }

  #addImage(attributes: Readonly<Record<string, string>>): void {
    const address = resolveUrl(attributes["src"], this.#baseUrl);
    if (address === undefined || address.startsWith("data:")) return;
    this.#images.add(address);
    const alt = attributes["alt"] ?? "";
    this.#add(
      `![${escapeText(alt, true)}](${escapeAddress(address)})`,
      `<img src="${escapeHtml(address)}" alt="${escapeHtml(alt)}">`,
    );
  }

  #add(text: string, markup: string): void {
    this.#line.push(text);
    this.#markup.push(markup);
  }

  #endBlock(): void {
    this.#closeLink();
    if (this.#listing !== undefined) this.#endListing(this.#listing);
    const text = this.#line.join("").replace(/ {2,}/g, " ").trim();
    if (text !== "") {
      this.#blocks.push(this.#prefix === "" ? escapeLineStart(text) : this.#prefix + text);
      this.#html.push(toHtml(this.#prefix, this.#markup.join("").trim()));
      this.#prefix = "";
    }
    this.#line = [];
    this.#markup = [];
  }

  #endListing(code: string): void {
    this.#listing = undefined;
    if (code.trim() === "") return;
    this.#prefix = "";
    let length = 3;
    for (const [run] of code.matchAll(/`{3,}/g)) length = Math.max(length, run.length + 1);
    const fence = "`".repeat(length);
    this.#blocks.push(`${fence}\n${code.trim()}\n${fence}`);
    this.#html.push(`<pre>${escapeHtml(code)}</pre>`);
  }
}

function toHtml(prefix: string, markup: string): string {
  const level = /^(#+) $/.exec(prefix)?.[1]?.length;
  const tag = level === undefined ? (prefix.trim() === "-" ? "li" : "p") : `h${level}`;
  return `<${tag}>${markup}</${tag}>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
