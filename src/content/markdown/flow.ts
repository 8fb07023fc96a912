import { keepShape } from "../../core/kept-shapes.ts";
import type { ElementNode } from "../html/tree/tree.ts";
import { joinBlocks, MAX_NESTING, type Block, type BlockWriter } from "./block.ts";
import { linkCard, linkItem } from "./card.ts";
import { fencedCode, isGutter, listingsOfTable } from "./code.ts";
import { escapeAddress, escapeLineStart } from "./inline/escape.ts";
import { linkTarget, lineOf, markedLine } from "./flat.ts";
import { InlineRun } from "./inline/inline-run.ts";
import { writeChildren, writeElement } from "./inline/inline.ts";
import { embeddedMedia, isLink, linkAddress, linkLabel } from "./inline/link.ts";
import { itemText, listBlock } from "./list.ts";
import type { Formula } from "./math/math.ts";
import { holds, keptChildren, type MarkdownPage } from "./page.ts";
import { isLayout, readTable, tableText } from "./table/table.ts";
import type { InlineTarget } from "./inline/target.ts";
import { Terms } from "./terms.ts";

/** Collects the blocks of an element: paragraphs from runs of inline content, and the blocks of block elements. */
export class Flow implements InlineTarget {
  readonly takesBlocks = true;
  readonly isHeading = false;
  readonly blocks: Block[] = [];
  readonly run: InlineRun;
  #strayList: Block | undefined;

  readonly page: MarkdownPage;
  readonly #nesting: number;
  readonly #inLink: boolean;

  constructor(page: MarkdownPage, nesting: number, inLink: boolean) {
    this.page = page;
    this.#nesting = nesting;
    this.#inLink = inLink;
    this.run = new InlineRun("flow", inLink);
    keepShape(this);
  }

  endParagraph(): void {
    if (this.run.isEmpty) {
      this.run.forgetSpace();
      return;
    }
    const text = this.run.finish();
    this.run.startOver();
    this.blocks.push({ kind: "text", text });
  }

  addBlock(element: ElementNode): void {
    this.endParagraph();
    this.#writeBlock(element);
    this.endParagraph();
  }

  addFormula({ tex, isDisplay }: Formula): void {
    if (!isDisplay) {
      // The second line of a formula could begin with the mark of a list.
      this.run.addAtom(`$${tex.replace(/\s+/g, " ")}$`);
      return;
    }
    this.endParagraph();
    this.#push("formula", `$$\n${tex}\n$$`);
  }

  writeChildren(element: ElementNode): void {
    writeChildren(this, element);
  }

  forLink(): InlineTarget {
    return linkTarget(this);
  }

  get #isDeep(): boolean {
    return this.#nesting >= MAX_NESTING;
  }

  #push(kind: Block["kind"], text: string): void {
    if (text !== "") this.blocks.push({ kind, text });
  }

  #writeBlock(element: ElementNode): void {
    const { page } = this;
    switch (element.tag) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
      case "h5":
      case "h6":
        return this.#push("heading", headingText(page, element));
      case "hr":
        return this.#writeRule();
      case "pre":
      case "code":
      case "kbd":
      case "samp":
      case "tt":
        return this.#writeListing(element);
      case "blockquote":
        return this.#writeQuote(element);
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        return this.#writeList(element);
      case "li":
        return this.#writeStrayItem(element);
      case "dl":
        return this.#writeDefinitions(element);
      case "table":
        return this.#writeTable(element);
      case "summary":
        return this.#push("text", escapeLineStart(markedLine(page, element, "strong")));
      case "figcaption":
        return this.#push("text", escapeLineStart(markedLine(page, element, "emphasis")));
      case "iframe":
      case "video":
      case "audio":
        return this.#push("text", embeddedMedia(element, page));
      case "a":
        return this.#writeCard(element);
      default:
        writeChildren(this, element);
    }
  }

  /** Rules separate content: one is enough. */
  #writeRule(): void {
    if (this.blocks.at(-1)?.kind !== "rule") this.#push("rule", "---");
  }

  #writeListing(element: ElementNode): void {
    if (!isGutter(element)) this.#push("code", fencedCode(element, this.page));
  }

  #writeQuote(element: ElementNode): void {
    if (this.#isDeep) {
      writeChildren(this, element);
      return;
    }
    const blocks = this.#blocksOf(element, this.#nesting + 1);
    if (blocks.length > 0) this.#push("quote", quoted(joinBlocks(blocks)));
  }

  #writeList(element: ElementNode): void {
    if (this.#isDeep) {
      writeChildren(this, element);
      return;
    }
    const list = listBlock(this.#writer, element, this.blocks.at(-1));
    if (list !== undefined) this.blocks.push(list);
  }

  /**
   * Collects items without a list around them into one list; also those that are nested too deep for separate lists.
   */
  #writeStrayItem(element: ElementNode): void {
    if (this.#isDeep) {
      const start = this.blocks.length;
      this.#writeInPlace(element);
      const first = this.blocks[start];
      if (first?.kind === "text") this.blocks[start] = { kind: "list", text: itemText("- ", [first]) };
      return;
    }
    const blocks = this.#blocksOf(element, this.#nesting + 1);
    if (blocks.length === 0) return;
    const item = itemText("- ", blocks);
    const before = this.blocks.at(-1);
    if (before !== undefined && this.#strayList === before) before.text += `\n${item}`;
    else {
      this.#strayList = { kind: "list", text: item };
      this.blocks.push(this.#strayList);
    }
  }

  /** Writes terms in bold, each on the line above its definition. */
  #writeDefinitions(list: ElementNode): void {
    const terms = new Terms(this.blocks);
    const read = (parent: ElementNode): void => {
      for (const child of keptChildren(this.page, parent)) {
        if (typeof child !== "string" && child.tag === "dt") terms.add(markedLine(this.page, child, "strong"));
        else if (typeof child !== "string" && (child.tag === "div" || child.tag === "template")) read(child);
        else {
          terms.hold();
          if (typeof child === "string" || child.tag !== "dd") this.#writeApart(child);
          else this.#writeInPlace(child);
          terms.release();
        }
      }
    };
    read(list);
    terms.hold();
    terms.release();
  }

  /** Writes the blocks of an element in line with the others: no copies, however deep the nesting. */
  #writeInPlace(element: ElementNode): void {
    this.endParagraph();
    writeChildren(this, element);
    this.endParagraph();
  }

  #writeTable(table: ElementNode): void {
    const listings = listingsOfTable(table, this.page);
    if (listings.length > 0) {
      for (const listing of listings) this.#push("code", fencedCode(listing, this.page));
      return;
    }
    const parts = readTable(this.page, table);
    if (parts.caption !== undefined)
      this.#push("text", escapeLineStart(markedLine(this.page, parts.caption, "strong")));
    for (const child of parts.loose) this.#writeApart(child);
    if (!isLayout(this.page, table, parts)) this.#push("table", tableText(this.page, parts));
    else for (const { cells } of parts.rows) for (const cell of cells) this.#writeApart(cell);
  }

  #writeApart(child: ElementNode | string): void {
    if (typeof child === "string") this.run.addText(child);
    else writeElement(this, child);
    this.endParagraph();
  }

  /**
   * Writes a link around blocks, as in cards: the link is put on its heading, or on its first line, or else on its
   * label; the rest is written unchanged. An arrow that shows nothing of all this is left out.
   */
  #writeCard(link: ElementNode): void {
    const address = this.#inLink || holds(link, this.page, isLink) ? undefined : linkAddress(link, this.page);
    if (address === undefined) {
      writeChildren(this, link);
      return;
    }
    const inner = new Flow(this.page, this.#nesting, true);
    inner.writeChildren(link);
    inner.endParagraph();
    const { blocks } = inner;
    const target = escapeAddress(address);
    if (!linkCard(blocks, target)) {
      const label = linkLabel(link);
      if (label === "") linkItem(blocks, target);
      else this.#push("text", `[${label}](${target})`);
    }
    for (const block of blocks) this.blocks.push(block);
  }

  get #writer(): BlockWriter {
    const { page } = this;
    const nesting = this.#nesting;
    return { page, nesting, blocksOf: (element, inner) => this.#blocksOf(element, inner) };
  }

  #blocksOf(element: ElementNode, nesting: number): Block[] {
    const flow = new Flow(this.page, nesting, this.#inLink);
    flow.writeChildren(element);
    flow.endParagraph();
    return flow.blocks;
  }
}

function headingText(page: MarkdownPage, element: ElementNode): string {
  const text = lineOf(page, element, { isHeading: true, mute: "strong" });
  // Number signs at the end would be read as a closing sequence.
  return text === "" ? "" : `${"#".repeat(Number(element.tag.charAt(1)))} ${text.replace(/(^|\s)(#+)$/, "$1\\$2")}`;
}

function quoted(text: string): string {
  return text.replace(/^(?=[^\n])/gm, "> ").replace(/^$/gm, ">");
}
