import { keepShape } from "../../core/kept-shapes.ts";
import { ElementNode } from "../html/tree/tree.ts";
import { finishedText, type Block, type BlockWriter } from "./block.ts";
import { InlineRun } from "./inline/inline-run.ts";

const LIST_TAGS = new Set(["ul", "ol", "menu", "dir"]);
const LITERAL_TASK = /^\[(?=[ xX]\](?:\s|$))/;
const MAX_NUMBER = 999_999_999;

/**
 * Returns one list; loose (blank lines between items) as soon as an item holds more than a line and a list.
 * @param before the block above: right below a list another marker separates the two (CommonMark § 5.3)
 */
export function listBlock(writer: BlockWriter, list: ElementNode, before: Block | undefined): Block | undefined {
  const items = new Items(writer, markerStyle(list, before));
  items.collect(list);
  return items.toBlock();
}

/** Returns an item of any list, its lines indented below the text behind the marker. */
export function itemText(marker: string, blocks: readonly Block[]): string {
  const [first, ...others] = blocks;
  let text = first === undefined ? "" : finishedText(first);
  if (first?.kind === "text") text = text.replace(LITERAL_TASK, "\\[");
  for (const block of others) text += (isTight(block) ? "\n" : "\n\n") + finishedText(block);
  return marker + indent(text, marker.length);
}

/** A list that begins with another number does not end the paragraph before it (CommonMark § 5.2). */
const LATER_NUMBER = /^(?!1[.)])\d+[.)] /;

/** True for a block that follows the text before it without a blank line. */
function isTight({ kind, text }: Block): boolean {
  return kind === "list" && !LATER_NUMBER.test(text);
}

interface MarkerStyle {
  isOrdered: boolean;
  /** The sign behind the number, or the bullet itself. */
  sign: string;
  start: number;
  /** Numbers that go down are text behind a bullet: markdown numbers upwards from the first one. */
  isReversed: boolean;
}

function markerStyle(list: ElementNode, before: Block | undefined): MarkerStyle {
  const isReversed = list.tag === "ol" && list.attributes["reversed"] !== undefined;
  const isOrdered = list.tag === "ol" && !isReversed;
  const [usual, other] = isOrdered ? [".", ")"] : ["-", "*"];
  const pattern = isOrdered ? /^\d+\. / : /^- /;
  const isTaken = before?.kind === "list" && pattern.test(before.text);
  const start = Number(list.attributes["start"] ?? (isReversed ? itemsOf(list) : 1));
  return {
    isOrdered,
    isReversed,
    sign: isTaken ? other : usual,
    start: Number.isInteger(start) && start >= 0 && start <= MAX_NUMBER ? start : 1,
  };
}

/** Returns the number of items right inside a list. */
function itemsOf({ children }: ElementNode): number {
  return children.filter((child) => typeof child !== "string" && child.tag === "li").length;
}

class Items {
  readonly #texts: string[] = [];
  #isLoose = false;
  #number: number;
  /** Width of the marker of the last item, by which its blocks are indented. */
  #lastWidth = 2;

  readonly #writer: BlockWriter;
  readonly #style: MarkerStyle;

  constructor(writer: BlockWriter, style: MarkerStyle) {
    this.#writer = writer;
    this.#style = style;
    this.#number = style.start;
    keepShape(this);
  }

  collect(list: ElementNode): void {
    const { page } = this.#writer;
    const dropped = page.droppedText(list);
    list.children.forEach((child, index) => {
      if (typeof child === "string") {
        if (dropped?.has(index) !== true) this.#addLine(child);
      } else if (!page.isSkipped(child)) this.#addChild(child);
    });
  }

  toBlock(): Block | undefined {
    if (this.#texts.length === 0) return undefined;
    return { kind: "list", text: this.#texts.join(this.#isLoose ? "\n\n" : "\n") };
  }

  #addChild(child: ElementNode): void {
    if (child.tag === "li") this.#addItem(child);
    else if (LIST_TAGS.has(child.tag)) this.#nest(child);
    else if (child.children.some((inner) => typeof inner !== "string" && inner.tag === "li")) this.collect(child);
    else this.#addBlocks(this.#writer.blocksOf(child, this.#writer.nesting + 1));
  }

  #addItem(item: ElementNode): void {
    const value = item.attributes["value"];
    if (value !== undefined && /^\d{1,9}$/.test(value)) this.#number = Number(value);
    const box = checkboxOf(item);
    const number = this.#style.isReversed ? this.#number-- : undefined;
    this.#addBlocks(this.#writer.blocksOf(item, this.#writer.nesting + 1), { box, number });
  }

  #addLine(text: string): void {
    const run = new InlineRun("flow", false);
    run.addText(text);
    if (!run.isEmpty) this.#addBlocks([{ kind: "text", text: run.finish() }]);
  }

  #addBlocks(all: Block[], { box, number }: { box?: ElementNode | undefined; number?: number | undefined } = {}): void {
    // A rule behind a bullet would be read as one long rule.
    const own = all[0]?.kind === "rule" ? all.slice(1) : all;
    if (own.length === 0) return;
    const blocks = number === undefined ? own : numbered(own, number);
    this.#isLoose ||= blocks.some((block, index) => index > 0 && !isTight(block));
    const marker = this.#nextMarker();
    const text = itemText(marker, blocks);
    const task = box === undefined || blocks[0]?.kind !== "text" ? "" : taskMark(box);
    this.#texts.push(task === "" ? text : marker + task + text.slice(marker.length));
  }

  /** A list right inside a list belongs to the item before it. */
  #nest(child: ElementNode): void {
    const wrapper = new ElementNode("li", child.attributes, child.parent);
    wrapper.append(child);
    const [block] = this.#writer.blocksOf(wrapper, this.#writer.nesting + 1);
    if (block === undefined) return;
    const last = this.#texts.pop();
    const indented = indent(block.text, this.#lastWidth);
    if (last !== undefined && !isTight(block)) this.#isLoose = true;
    const gap = isTight(block) ? "\n" : "\n\n";
    this.#texts.push(last === undefined ? block.text : `${last}${gap}${" ".repeat(this.#lastWidth)}${indented}`);
  }

  #nextMarker(): string {
    const { isOrdered, sign } = this.#style;
    const marker = isOrdered ? `${Math.min(this.#number++, MAX_NUMBER)}${sign} ` : `${sign} `;
    this.#lastWidth = marker.length;
    return marker;
  }
}

/** Returns blocks that begin with a number as text. */
function numbered(blocks: Block[], number: number): Block[] {
  const [first, ...others] = blocks;
  if (first?.kind !== "text") return [{ kind: "text", text: `${number}\\.` }, ...blocks];
  return [{ kind: "text", text: `${number}\\. ${first.text}` }, ...others];
}

function taskMark(box: ElementNode): string {
  return box.attributes["checked"] === undefined ? "[ ] " : "[x] ";
}

/** Returns the checkbox at the start of an item. */
function checkboxOf(item: ElementNode): ElementNode | undefined {
  let element = item;
  for (;;) {
    const first = element.children.find((child) => typeof child !== "string" || /\S/.test(child));
    if (first === undefined || typeof first === "string") return undefined;
    if (first.tag === "input") return first.attributes["type"]?.toLowerCase() === "checkbox" ? first : undefined;
    element = first;
  }
}

function indent(text: string, width: number): string {
  return text.includes("\n") ? text.replace(/\n(?=[^\n])/g, `\n${" ".repeat(width)}`) : text;
}
