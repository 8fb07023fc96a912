import type { WorkBudget } from "../../../core/work-budget.ts";
import { DocumentNotes } from "../html/document-notes.ts";
import { htmlTable } from "../html/html-table.ts";
import { emphasize, escapeHtml, link, wrap } from "../html/html-text.ts";
import type { XmlElement } from "../containers/xml-tree.ts";
import { childElement, childElements, textOf } from "../containers/xml-tree.ts";
import type { OdfStyles } from "./odf-styles.ts";
import { inherited, styleNames } from "./odf-styles.ts";
import { odfRows } from "./odf-rows.ts";

/** Elements that hold no text of the document. */
const SKIPPED = new Set([
  "text:tracked-changes",
  "office:annotation-end",
  "office:forms",
  "text:sequence-decls",
  "text:variable-decls",
  "text:user-field-decls",
  "presentation:notes",
  "svg:title",
  "svg:desc",
  "draw:image",
  "text:hidden-text",
  "text:ruby-text",
]);
/** Drawings within a line, whose text is written behind the paragraph. */
const DRAWINGS = new Set([
  "draw:frame", "draw:custom-shape", "draw:g", "draw:rect", "draw:ellipse", "draw:circle", "draw:line", "draw:connector", "draw:polygon",
  "draw:polyline", "draw:path", "draw:caption", "draw:regular-polygon", "draw:measure",
]); // prettier-ignore

/** Writes the content of an OpenDocument body as HTML, collecting notes for the end. */
export class OdfWriter {
  readonly #styles: OdfStyles;
  readonly #budget: WorkBudget;
  readonly #notes = new DocumentNotes();
  /** Boxes and shapes of the paragraph that is being written. */
  #boxes: string[] = [];
  /** The next number of each list style and level, for lists that go on. */
  readonly #nextNumbers = new Map<string, number>();

  readonly #firstParagraphs = new WeakMap<XmlElement, XmlElement | "none">();

  constructor(styles: OdfStyles, budget: WorkBudget) {
    this.#styles = styles;
    this.#budget = budget;
  }

  /** Returns the HTML of everything in an element, block by block. */
  blocks(parent: XmlElement): string {
    return childElements(parent)
      .map((element) => this.#block(element))
      .join("");
  }

  /** Returns the notes found so far, as a numbered list, and the comments, with the signs of their places. */
  notesHtml(): string {
    return this.#notes.toHtml();
  }

  #block(element: XmlElement): string {
    // Repeated cells are written repeatedly, and hold tables whose cells are repeated.
    if (SKIPPED.has(element.name) || !this.#mayWrite()) return "";
    switch (element.name) {
      case "text:h":
        return this.#heading(element);
      case "text:p":
        return this.#paragraph(element);
      case "text:list":
        return this.#list(element, 0, undefined);
      case "table:table":
        return this.#table(element);
      case "text:soft-page-break":
        return "";
      case "office:annotation":
        return wrap("p", this.#comment(element));
      default:
        return this.blocks(element);
    }
  }

  #heading(element: XmlElement): string {
    const level = Math.min(6, Math.max(1, numberOf(element.attributes["text:outline-level"]) ?? 1));
    return this.#withBoxes(() => wrap(`h${level}`, this.#inline(element, { isPlain: true })));
  }

  #paragraph(element: XmlElement): string {
    if (inherited(this.#styles, element.attributes["text:style-name"], "hidden") === true) return "";
    return this.#withBoxes(() => this.#paragraphText(element));
  }

  #paragraphText(element: XmlElement): string {
    const names = styleNames(this.#styles, element.attributes["text:style-name"]);
    if (names.includes("title")) return wrap("h1", this.#inline(element, { isPlain: true }));
    if (names.includes("preformatted text")) return wrap("pre", this.#inline(element, { isPlain: true }));
    const style = this.#emphasisOf(element.attributes["text:style-name"]);
    const html = wrap("p", emphasize(this.#inline(element), style));
    return names.includes("quotations") ? wrap("blockquote", html) : html;
  }

  #list(element: XmlElement, depth: number, outerStyle: string | undefined): string {
    const style = element.attributes["text:style-name"] ?? outerStyle ?? this.#styleOfFirstParagraph(element);
    const first = this.#styles.numberedLevels.get(style ?? "")?.[depth];
    const key = `${depth} ${style}`;
    const isContinued = element.attributes["text:continue-numbering"] === "true";
    const start = (isContinued ? this.#nextNumbers.get(key) : undefined) ?? first ?? 1;
    let next = start;
    let isAfterEmpty = false;
    const items = childElements(element).filter(({ name }) => name === "text:list-item" || name === "text:list-header");
    const html = items.map((item) => {
      const children = childElements(item);
      // An item that only holds a list stands for its level, and has no sign.
      if (children.every(({ name }) => name === "text:list"))
        return children.map((child) => this.#list(child, depth + 1, style)).join("");
      const value = numberOf(item.attributes["text:start-value"]);
      next = (value ?? next) + 1;
      // A separate paragraph for each would set the items apart; a single one is just the item's text.
      const isTight = children.filter(({ name }) => name !== "text:list").length === 1;
      const parts = children.map((child) => {
        if (child.name === "text:list") return this.#list(child, depth + 1, style);
        const block = this.#block(child);
        return isTight ? block.replace(/^<p>(.*)<\/p>$/s, "$1") : block;
      });
      const text = parts.join("");
      // An empty item has a number and no text: it is left out, and the next one keeps its number.
      const shown = value ?? (isAfterEmpty ? next - 1 : undefined);
      isAfterEmpty = text === "";
      return text === "" ? "" : `<li${shown === undefined ? "" : ` value="${shown}"`}>${text}</li>`;
    });
    if (first === undefined) return wrap("ul", html.join(""));
    this.#nextNumbers.set(key, next);
    return html.join("") === "" ? "" : `<ol${start === 1 ? "" : ` start="${start}"`}>${html.join("")}</ol>`;
  }

  #styleOfFirstParagraph(list: XmlElement): string | undefined {
    const paragraph = this.#firstParagraph(list);
    return inherited(this.#styles, paragraph?.attributes["text:style-name"], "listStyle");
  }

  /** Returns the first paragraph inside. Each list is searched once, also for the lists around it. */
  #firstParagraph(element: XmlElement): XmlElement | undefined {
    const known = this.#firstParagraphs.get(element);
    if (known !== undefined) return known === "none" ? undefined : known;
    let first: XmlElement | undefined;
    for (const child of childElements(element)) {
      if (!this.#budget.take()) break;
      first = child.name === "text:p" ? child : this.#firstParagraph(child);
      if (first !== undefined) break;
    }
    if (element.name === "text:list") this.#firstParagraphs.set(element, first ?? "none");
    return first;
  }

  #table(element: XmlElement): string {
    const { rows, headerRows } = odfRows(element, this.#budget);
    if (!this.#mayWrite(rows.reduce((cells, row) => cells + row.length, 0))) return "";
    const cells = rows.map((row) => row.map((cell) => ({ ...cell.span, html: this.blocks(cell.element) })));
    return htmlTable(cells, Math.max(1, headerRows));
  }

  /** Writes a paragraph, and behind it the boxes and shapes that are anchored inside of it. */
  #withBoxes(write: () => string): string {
    const outer = this.#boxes;
    this.#boxes = [];
    const html = write() + this.#boxes.join("");
    this.#boxes = outer;
    return html;
  }

  #emphasisOf(styleName: string | undefined): { bold: boolean; italic: boolean; strike: boolean } {
    return {
      bold: inherited(this.#styles, styleName, "bold") === true,
      italic: inherited(this.#styles, styleName, "italic") === true,
      strike: inherited(this.#styles, styleName, "strike") === true,
    };
  }

  #inline(parent: XmlElement, { isPlain = false } = {}): string {
    return parent.children
      .map((child) => (typeof child === "string" ? escapeHtml(child) : this.#inlineElement(child, isPlain)))
      .join("");
  }

  #mayWrite(steps = 1): boolean {
    if (this.#budget.take(steps)) return true;
    this.#budget.cut("the text of the document");
    return false;
  }

  #inlineElement(element: XmlElement, isPlain: boolean): string {
    if (SKIPPED.has(element.name) || !this.#mayWrite()) return "";
    if (DRAWINGS.has(element.name)) return this.#drawing(element);
    switch (element.name) {
      case "text:s":
        return " ".repeat(Math.min(100, numberOf(element.attributes["text:c"]) ?? 1));
      case "text:tab":
        return " ";
      case "text:line-break":
        return "<br>";
      case "text:a":
        return link(outerTarget(element.attributes["xlink:href"]), this.#inline(element, { isPlain }));
      case "text:span": {
        const style = element.attributes["text:style-name"];
        if (inherited(this.#styles, style, "hidden") === true) return "";
        const html = this.#inline(element, { isPlain });
        if (isPlain) return html;
        const shift = inherited(this.#styles, style, "shift") ?? "";
        return emphasize(shift === "" ? html : wrap(shift, html), this.#emphasisOf(style));
      }
      case "text:note":
        return this.#note(element);
      case "office:annotation":
        return this.#comment(element);
      default:
        return this.#inline(element, { isPlain });
    }
  }

  /** Returns the description of a drawing; its text goes behind the paragraph. */
  #drawing(element: XmlElement): string {
    const text = this.blocks(element);
    if (text !== "") this.#boxes.push(text);
    const title = textOf(childElement(element, "svg:title")) || textOf(childElement(element, "svg:desc"));
    return title === "" ? "" : `<em>${escapeHtml(title)}</em>`;
  }

  #comment(element: XmlElement): string {
    return this.#notes.addComment(this.blocks(element));
  }

  #note(element: XmlElement): string {
    const body = childElement(element, "text:note-body");
    return body === undefined ? "" : this.#notes.addNote(this.blocks(body));
  }
}

/** Returns the target of a link; places within the document have none outside of it. */
function outerTarget(href: string | undefined): string | undefined {
  return href?.startsWith("#") === true ? undefined : href;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
