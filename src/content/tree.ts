import { Parser } from "htmlparser2";

/** An element; text children are bare strings, so that a page costs one object an element. */
export class ElementNode {
  /** Lower case; `#root` for the root. */
  readonly tag: string;
  /** Names in lower case, values decoded; one shared empty object where there are none. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: ElementNode | undefined;
  readonly children: (ElementNode | string)[] = [];

  constructor(tag: string, attributes: Readonly<Record<string, string>>, parent: ElementNode | undefined) {
    this.tag = tag;
    this.attributes = attributes;
    this.parent = parent;
  }
}

/** What the head of a page says, gathered while parsing. Metas and links of the body count as well. */
export interface HtmlHead {
  title: string;
  metas: Record<string, string>[];
  links: Record<string, string>[];
  /** `href` of the first `<base>`; empty without one. */
  baseHref: string;
  /** Text of each JSON-LD script. */
  jsonLd: string[];
  /** `lang` of the root element. */
  language: string;
}

export interface HtmlTree {
  root: ElementNode;
  head: HtmlHead;
}

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});
/** Blink goes no deeper either: what lies below is laid side by side at this depth. */
const MAX_DEPTH = 512;
/** MathJax keeps its formulas in scripts: the one kind whose text is content. */
export const TEX_SCRIPT = /^math\/tex/i;
const VOID_TAGS = new Set(
  "area base basefont bgsound br col command embed frame hr image img input keygen link meta param source track wbr".split(
    " ",
  ),
);

/** Elements that stand in a block of their own when a page is laid out (HTML § 15.3). */
export const BLOCK_TAGS: ReadonlySet<string> = new Set(
  (
    "#root html head body address article aside blockquote button caption center dd details dialog div dl dt fieldset " +
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre " +
    "search section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

/**
 * Parses HTML into a lean tree in one pass, without recursion. Comments are left out, and so is the text of scripts and
 * styles (JSON-LD is kept in the head's record). Never throws; closing tags that fit nothing are passed over.
 */
export function parseHtml(html: string): HtmlTree {
  const builder = new TreeBuilder();
  const parser = new Parser(builder, { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true });
  parser.write(mendOpenEnds(html));
  parser.end();
  return builder.tree;
}

const CDATA_BEFORE_TAG = /<!\[CDATA\[(?=\s*<)/g;
const FRAME_LEFT_OPEN = /(<iframe\b[^<>]*>)(\s*<\/noscript)/gi;

/**
 * Closes two things whose missing end would swallow the rest of the page, while browsers get over them: a CDATA mark before
 * a tag (HTML knows none outside of SVG and MathML), and a frame in a `noscript` (which scripted browsers take for text).
 */
function mendOpenEnds(html: string): string {
  return html.replace(CDATA_BEFORE_TAG, "").replace(FRAME_LEFT_OPEN, "$1</iframe>$2");
}

class TreeBuilder {
  readonly tree: HtmlTree = {
    root: new ElementNode("#root", NO_ATTRIBUTES, undefined),
    head: { title: "", metas: [], links: [], baseHref: "", jsonLd: [], language: "" },
  };
  private current = this.tree.root;
  private depth = 0;
  /** Elements below the deepest level: they hold nothing, and their closing tags close nothing. */
  private flattened = 0;
  private inTitle = false;
  private svgDepth = 0;
  private mutedBy = "";
  private jsonLd: string | undefined;

  onopentag(tag: string, attributes: Record<string, string>): void {
    this.noteHead(tag, attributes);
    const element = new ElementNode(tag, isEmpty(attributes) ? NO_ATTRIBUTES : attributes, this.current);
    this.current.children.push(element);
    if (VOID_TAGS.has(tag)) return;
    if (this.depth >= MAX_DEPTH) {
      this.flattened++;
      return;
    }
    this.depth++;
    this.current = element;
  }

  ontext(text: string): void {
    if (this.jsonLd !== undefined) this.jsonLd += text;
    if (this.mutedBy !== "") return;
    if (this.inTitle) this.tree.head.title += text;
    const { children } = this.current;
    const last = children.length - 1;
    const before = children[last];
    if (typeof before === "string") children[last] = before + text;
    else children.push(text);
  }

  onclosetag(tag: string): void {
    this.endHead(tag);
    if (VOID_TAGS.has(tag)) return;
    if (this.flattened > 0) {
      this.flattened--;
      return;
    }
    let steps = 1;
    let opened: ElementNode | undefined = this.current;
    while (opened !== undefined && opened.tag !== tag) {
      opened = opened.parent;
      steps++;
    }
    if (opened?.parent === undefined) return;
    this.current = opened.parent;
    this.depth -= steps;
  }

  private noteHead(tag: string, attributes: Record<string, string>): void {
    const { head } = this.tree;
    switch (tag) {
      case "meta":
        head.metas.push(attributes);
        break;
      case "link":
        head.links.push(attributes);
        break;
      case "base":
        head.baseHref ||= attributes["href"] ?? "";
        break;
      case "html":
        head.language ||= attributes["lang"] ?? attributes["xml:lang"] ?? "";
        break;
      case "svg":
        this.svgDepth++;
        break;
      case "title":
        this.inTitle = this.svgDepth === 0 && head.title === "";
        break;
      case "script":
        if (!TEX_SCRIPT.test(attributes["type"] ?? "")) this.mutedBy ||= tag;
        if (/ld\+json/i.test(attributes["type"] ?? "")) this.jsonLd = "";
        break;
      case "style":
        this.mutedBy ||= tag;
    }
  }

  private endHead(tag: string): void {
    if (tag === "title") this.inTitle = false;
    if (tag === "svg" && this.svgDepth > 0) this.svgDepth--;
    if (tag === this.mutedBy) this.mutedBy = "";
    if (tag !== "script" || this.jsonLd === undefined) return;
    this.tree.head.jsonLd.push(this.jsonLd);
    this.jsonLd = undefined;
  }
}

function isEmpty(attributes: Record<string, string>): boolean {
  for (const _ in attributes) return false;
  return true;
}

/** Calls `visit` for each element below (and with) `from`, in document order, without recursion. */
export function walkElements(from: ElementNode, visit: (element: ElementNode) => void): void {
  const stack: ElementNode[] = [from];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    visit(element);
    for (let index = element.children.length - 1; index >= 0; index--) {
      const child = element.children[index];
      if (child !== undefined && typeof child !== "string") stack.push(child);
    }
  }
}

/** All text below an element, as it stands in the source. */
export function textOf(from: ElementNode): string {
  const stack: (ElementNode | string)[] = [from];
  let text = "";
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === "string") {
      text += node;
      continue;
    }
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child !== undefined) stack.push(child);
    }
  }
  return text;
}
