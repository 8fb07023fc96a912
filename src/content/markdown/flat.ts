import { keepShape } from "../../core/kept-shapes.ts";
import type { ElementNode } from "../html/tree/tree.ts";
import { codeText } from "./code.ts";
import { collapse, escapeText } from "./inline/escape.ts";
import { InlineRun } from "./inline/inline-run.ts";
import { writeChildren, writeElement } from "./inline/inline.ts";
import { embeddedMedia } from "./inline/link.ts";
import type { MarkKind } from "./inline/marks.ts";
import { mayHoldFormulas } from "./math/math-text.ts";
import type { Formula } from "./math/math.ts";
import { isBlock, keptChildren, type MarkdownPage } from "./page.ts";
import type { InlineTarget } from "./inline/target.ts";

const LIST_TAGS = new Set(["ul", "ol", "menu", "dir"]);

/** Running text that flattens blocks: headings, link texts and table cells hold no blocks. */
class FlatTarget implements InlineTarget {
  readonly takesBlocks = false;
  readonly run: InlineRun;

  readonly page: MarkdownPage;
  readonly isHeading: boolean;

  constructor(page: MarkdownPage, mode: "line" | "cell", isHeading = false, inLink = false) {
    this.page = page;
    this.isHeading = isHeading;
    this.run = new InlineRun(mode, inLink);
    keepShape(this);
  }

  addBlock(element: ElementNode): void {
    const { run } = this;
    if (element.tag === "iframe" || element.tag === "video" || element.tag === "audio") {
      run.addAtom(embeddedMedia(element, this.page));
      return;
    }
    run.endLine();
    if (element.tag === "pre") this.#addListing(element);
    else if (element.tag === "tr") this.#addRow(element);
    else if (LIST_TAGS.has(element.tag) && run.mode === "cell") this.#addItems(element);
    else writeChildren(this, element);
    run.endLine();
  }

  addFormula({ tex }: Formula): void {
    this.run.addAtom(`$${tex.replace(/\s+/g, " ")}$`);
  }

  endParagraph(): void {}

  writeChildren(element: ElementNode): void {
    writeChildren(this, element);
  }

  forLink(): InlineTarget {
    return linkTarget(this);
  }

  /** Adds each line of a listing as separate inline code. */
  #addListing(element: ElementNode): void {
    for (const line of codeText(element).split("\n")) {
      if (line.trim() !== "") this.run.addCode(line.trimEnd());
      this.run.endLine();
    }
  }

  /** Writes a row of a table inside a cell: its cells become a list on one line, with their blocks put together. */
  #addRow(row: ElementNode): void {
    const cells = keptChildren(this.page, row);
    cells.forEach((cell, index) => {
      if (typeof cell === "string") this.run.addText(cell);
      else if (cell.children.some((child) => typeof child !== "string" && isBlock(child))) {
        this.run.addAtom(lineOf(this.page, cell));
      } else writeChildren(this, cell);
      if (index < cells.length - 1) this.run.addText(", ");
    });
  }

  #addItems(list: ElementNode): void {
    let number = 1;
    for (const child of list.children) {
      if (typeof child === "string" || this.page.isSkipped(child)) continue;
      this.run.endLine();
      if (child.tag === "li") {
        this.run.addAtom(list.tag === "ol" ? `${number++}.` : "-");
        this.run.addSpace();
        writeChildren(this, child);
      } else writeElement(this, child);
    }
  }
}

/** Returns a target for the text of a link, in which the marks around it have no effect. */
export function linkTarget(outer: InlineTarget): InlineTarget {
  const target = new FlatTarget(outer.page, "line", outer.isHeading, true);
  target.run.inherit(outer.run);
  return target;
}

/** Returns all content of an element on one line. */
export function lineOf(
  page: MarkdownPage,
  element: ElementNode,
  options: { isHeading?: boolean; mute?: MarkKind } = {},
): string {
  const target = new FlatTarget(page, "line", options.isHeading);
  if (options.mute !== undefined) target.run.mute(options.mute);
  writeChildren(target, element);
  return target.run.finish();
}

/** Returns all content of an element on one line with a mark around it. */
export function markedLine(page: MarkdownPage, element: ElementNode, mark: MarkKind): string {
  const target = new FlatTarget(page, "line");
  target.run.open(mark);
  writeChildren(target, element);
  target.run.close(mark);
  return target.run.finish();
}

/** Returns the content of a table cell: lines are separated by `<br>`, pipes escaped (GFM § 4.10). */
export function cellOf(page: MarkdownPage, element: ElementNode): string {
  const [only] = element.children;
  if (element.children.length === 1 && typeof only === "string" && !mayHoldFormulas(only)) {
    return page.droppedText(element) === undefined ? escapePipes(escapeText(collapse(only).trim(), false)) : "";
  }
  const target = new FlatTarget(page, "cell");
  writeChildren(target, element);
  return escapePipes(target.run.finish());
}

function escapePipes(text: string): string {
  return text.includes("|") ? text.replaceAll("|", "\\|") : text;
}
