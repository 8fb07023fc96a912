import { keepShape, keepShapesOf } from "../../../core/kept-shapes.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { decodeHTML, decodeHTMLAttribute } from "entities/decode";
import { NameTable } from "./name-table.ts";

/** Receives a page's tags and texts in the order of the source. Names are in lower case, entities decoded. */
export interface TagSink {
  openTag(tag: string, attributes: Readonly<Record<string, string>>, isSelfClosing: boolean): void;
  closeTag(tag: string): void;
  /** A text may come in several pieces. `isBlank` is true of white space, unless entities stand for it. */
  text(text: string, isBlank?: boolean): void;
  /** Comments that begin with a dollar sign or a slash, with which frameworks mark positions. */
  comment?(comment: string): void;
  /** True inside of SVG and MathML, where other rules apply to texts. */
  readonly isForeign: boolean;
}

/** Attributes have no prototype to find `constructor` in, and are still plain fast objects. */
// oxlint-disable-next-line typescript/no-extraneous-class -- objects of one class share their layout, those without any do not
class Attributes {}
Object.setPrototypeOf(Attributes.prototype, null);
Reflect.deleteProperty(Attributes.prototype, "constructor");

export const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze(
  new Attributes() as Record<string, string>,
);

/** Elements whose text holds no tags; the entities of some are decoded nevertheless (HTML § 13.2.5). */
const TEXT_ONLY_TAGS: ReadonlyMap<string, "raw" | "decoded" | "to the end"> = new Map([
  ["script", "raw"],
  ["style", "raw"],
  ["iframe", "raw"],
  ["noembed", "raw"],
  ["noframes", "raw"],
  ["xmp", "raw"],
  ["title", "decoded"],
  ["textarea", "decoded"],
  ["plaintext", "to the end"],
]);

/** Marks that change how the text of a script is read. */
const SCRIPT_MARKS = /<!--|-->|<\/?script(?=[\s/>])/gi;
/** A frame left open in a `noscript`, which scripted browsers take for text, would swallow the rest of the page. */
const NOSCRIPT_ENDS = /\s*<\/noscript/iy;
/** A CDATA section before a tag is an error of the page: HTML has none outside of SVG and MathML. */
const TAG_FOLLOWS = /\s*</y;

const QUOTE = 34;
const DOLLAR = 36;
const APOSTROPHE = 39;
const DASH = 45;
const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;

/**
 * Reads the tags of a page (tokenization, HTML § 13.2.5) in one pass that jumps from one `<` to the next, without
 * tracking which elements are open. A tag that the end of the source cuts off is skipped, as are comments. Each tag is
 * a step of the budget; where that ends, the page ends.
 */
export function readTags(html: string, sink: TagSink, budget?: WorkBudget): void {
  keepShapesOf(html);
  new TagReader(html, sink).read(budget);
}

const NAMES = new NameTable();

class TagReader {
  readonly #html: string;
  readonly #sink: TagSink;
  /** Start of the text before the next tag. */
  #textStart = 0;
  #attributes = NO_ATTRIBUTES;
  /** True when a script's end was looked for up to the end of the page, which is done once. */
  #hasEndlessScript = false;

  constructor(html: string, sink: TagSink) {
    this.#html = html;
    this.#sink = sink;
    keepShape(this);
  }

  read(budget: WorkBudget | undefined): void {
    const html = this.#html;
    for (let mark = html.indexOf("<"); mark >= 0;) {
      if (budget?.take() === false) return budget.cut("the end of the page");
      mark = html.indexOf("<", this.#readMark(mark));
    }
    this.#emitText(this.#textStart, html.length);
  }

  /** Reads the construct that begins at a "<". @returns the position to continue at */
  #readMark(mark: number): number {
    const code = this.#html.charCodeAt(mark + 1);
    if (isLetter(code)) return this.#readOpenTag(mark);
    if (code === SLASH) return this.#readCloseTag(mark);
    if (code === 33) return this.#readDeclaration(mark);
    if (code === 63) return this.#skip(mark, this.#behind(">", mark + 2));
    return mark + 1;
  }

  #readOpenTag(mark: number): number {
    const html = this.#html;
    const sink = this.#sink;
    const nameEnd = endOfName(html, mark + 2);
    const name = NAMES.lowerCase(html, mark + 1, nameEnd);
    const end = this.#readAttributes(nameEnd);
    if (end < 0) return this.#skip(mark, html.length);
    const next = this.#skip(mark, end);
    // The position of the tag decides how its text is parsed, not the element that it opens.
    const content = sink.isForeign ? undefined : TEXT_ONLY_TAGS.get(name);
    sink.openTag(name === "image" ? "img" : name, this.#attributes, html.charCodeAt(end - 2) === SLASH);
    return content === undefined ? next : this.#readContent(name, content, next);
  }

  #readContent(name: string, content: "raw" | "decoded" | "to the end", start: number): number {
    const html = this.#html;
    const sink = this.#sink;
    if (name === "iframe" && matchesAt(NOSCRIPT_ENDS, html, start)) {
      sink.closeTag(name);
      return start;
    }
    const end =
      content === "to the end"
        ? html.length
        : name === "script"
          ? this.#findScriptEnd(start)
          : this.#findEnd(name, start);
    if (content === "decoded") this.#emitText(start, end);
    else if (end > start) sink.text(html.slice(start, end));
    this.#textStart = end;
    return end;
  }

  /** Returns the start of the end tag of a text-only element. */
  #findEnd(name: string, start: number): number {
    const html = this.#html;
    for (let at = html.indexOf("</", start); at >= 0; at = html.indexOf("</", at + 2)) {
      const nameEnd = at + 2 + name.length;
      if (isEndOfName(html.charCodeAt(nameEnd)) && NAMES.lowerCase(html, at + 2, nameEnd) === name) return at;
    }
    return html.length;
  }

  /**
   * Returns the start of the end tag of a script. Inside of `<!--` and `-->`, a script's own `<script>` has an end tag
   * that belongs to its text ("script data double escaped state"). Where such a text does not end before the page, the
   * script ends at its first end tag, so that the page is not lost.
   */
  #findScriptEnd(start: number): number {
    const html = this.#html;
    const first = this.#findEnd("script", start);
    if (this.#hasEndlessScript || !html.slice(start, first).includes("<!--")) return first;
    SCRIPT_MARKS.lastIndex = start;
    let state: "plain" | "escaped" | "within" = "plain";
    for (let mark = SCRIPT_MARKS.exec(html); mark !== null; mark = SCRIPT_MARKS.exec(html)) {
      const [sign] = mark;
      if (sign === "<!--") {
        if (state === "plain") state = "escaped";
        // `<!-->` and `<!--->` are whole comments.
        SCRIPT_MARKS.lastIndex = mark.index + 2;
      } else if (sign === "-->") state = "plain";
      else if (sign.startsWith("</")) {
        if (state !== "within") return mark.index;
        state = "escaped";
      } else if (state === "escaped") state = "within";
    }
    this.#hasEndlessScript = true;
    return first;
  }

  #readCloseTag(mark: number): number {
    const html = this.#html;
    const start = mark + 2;
    // Anything but a name is a comment.
    if (!isLetter(html.charCodeAt(start))) return this.#skip(mark, this.#behind(">", start));
    const nameEnd = endOfName(html, start + 1);
    const end = html.charCodeAt(nameEnd) === GREATER ? nameEnd + 1 : this.#behind(">", nameEnd);
    const next = this.#skip(mark, end);
    if (nameEnd < html.length) this.#sink.closeTag(NAMES.lowerCase(html, start, nameEnd));
    return next;
  }

  #readDeclaration(mark: number): number {
    const html = this.#html;
    if (html.startsWith("--", mark + 2)) return this.#readComment(mark);
    if (!html.startsWith("[CDATA[", mark + 2)) return this.#skip(mark, this.#behind(">", mark + 2));
    const start = mark + "<![CDATA[".length;
    if (matchesAt(TAG_FOLLOWS, html, start)) return this.#skip(mark, start);
    if (!this.#sink.isForeign) return this.#skip(mark, this.#endOfBogusCdata(start));
    const end = this.#behind("]]>", start);
    const next = this.#skip(mark, end);
    if (end - 3 > start) this.#sink.text(html.slice(start, end - 3));
    return next;
  }

  /** In HTML a CDATA section is a comment up to the first `>`, or to its own end where no tag begins before. */
  #endOfBogusCdata(start: number): number {
    const html = this.#html;
    const nextTag = html.indexOf("<", start);
    const text = html.slice(start, nextTag < 0 ? html.length : nextTag);
    const end = text.indexOf("]]>");
    return end < 0 ? this.#behind(">", start) : start + end + 3;
  }

  #readComment(mark: number): number {
    const start = mark + 4;
    const next = this.#skip(mark, this.#endOfComment(start));
    const code = this.#html.charCodeAt(start);
    if (code === DOLLAR || code === SLASH) this.#sink.comment?.(this.#html.slice(start, next - 3));
    return next;
  }

  /** Comments end with `-->` or `--!>`; `<!-->` and `<!--->` are whole ones. */
  #endOfComment(start: number): number {
    const html = this.#html;
    for (let at = html.indexOf("--", start - 2); at >= 0; at = html.indexOf("--", at + 1)) {
      if (html.charCodeAt(at + 2) === GREATER) return at + 3;
      if (at >= start && html.startsWith("!>", at + 2)) return at + 4;
      if (at === start - 2 && html.charCodeAt(start) === DASH && html.charCodeAt(start + 1) === GREATER)
        return start + 2;
    }
    return html.length;
  }

  /** Emits the text before a `<`, and continues behind the construct that begins there. */
  #skip(mark: number, end: number): number {
    if (mark > this.#textStart) this.#emitText(this.#textStart, mark);
    this.#textStart = end;
    return end;
  }

  #emitText(start: number, end: number): void {
    if (start >= end) return;
    const html = this.#html;
    let at = start;
    while (at < end && isSpace(html.charCodeAt(at))) at++;
    const text = html.slice(start, end);
    if (at === end) this.#sink.text(text, true);
    else this.#sink.text(text.includes("&") ? decoded(text, decodeHTML) : text);
  }

  #behind(text: string, from: number): number {
    const at = this.#html.indexOf(text, from);
    return at < 0 ? this.#html.length : at + text.length;
  }

  /** Reads attributes up to the end of the tag. @returns the place behind the tag, -1 when the source ends before */
  #readAttributes(from: number): number {
    const html = this.#html;
    this.#attributes = NO_ATTRIBUTES;
    let at = from;
    for (;;) {
      let code = html.charCodeAt(at);
      while (isSpace(code) || code === SLASH) code = html.charCodeAt(++at);
      if (code === GREATER) return at + 1;
      if (at >= html.length) return -1;
      const nameStart = at++;
      while (!isEndOfAttributeName(html.charCodeAt(at))) at++;
      const name = NAMES.lowerCase(html, nameStart, at);
      code = html.charCodeAt(at);
      while (isSpace(code)) code = html.charCodeAt(++at);
      if (code === EQUALS) at = this.#readValue(name, at + 1);
      else this.#addAttribute(name, "");
      if (at < 0) return -1;
    }
  }

  /** @returns the place behind the value, -1 when the source ends before */
  #readValue(name: string, from: number): number {
    const html = this.#html;
    let start = from;
    let code = html.charCodeAt(start);
    while (isSpace(code)) code = html.charCodeAt(++start);
    if (code === QUOTE || code === APOSTROPHE) {
      const end = html.indexOf(code === QUOTE ? '"' : "'", start + 1);
      if (end < 0) return -1;
      this.#addAttribute(name, html.slice(start + 1, end));
      return end + 1;
    }
    let end = start;
    while (!isEndOfBareValue(html.charCodeAt(end))) end++;
    this.#addAttribute(name, html.slice(start, end));
    return end;
  }

  /** The first of two attributes of one name counts. */
  #addAttribute(name: string, value: string): void {
    if (this.#attributes === NO_ATTRIBUTES) this.#attributes = new Attributes() as Record<string, string>;
    else if (name in this.#attributes) return;
    (this.#attributes as Record<string, string>)[name] = value.includes("&")
      ? decoded(value, decodeHTMLAttribute)
      : value;
  }
}

/** Decodes entities; most are those between the parameters of an address. */
function decoded(text: string, decode: (text: string) => string): string {
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) {
    if (!text.startsWith("amp;", at + 1)) return decode(text);
  }
  return text.replaceAll("&amp;", "&");
}

/** Reports whether a name ends here. The end of the source ends everything: `charCodeAt` returns NaN there. */
function isEndOfName(code: number): boolean {
  return code === GREATER || code === SLASH || isSpace(code) || Number.isNaN(code);
}

function isEndOfAttributeName(code: number): boolean {
  return code === EQUALS || isEndOfName(code);
}

function isEndOfBareValue(code: number): boolean {
  return code === GREATER || isSpace(code) || Number.isNaN(code);
}

function endOfName(html: string, from: number): number {
  let at = from;
  while (!isEndOfName(html.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 12 || code === 13;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
