/**
 * Cuts a page into blocks: every run of inline content inside one block element is a block, in document order.
 * A block is what a reader would call a paragraph, a heading, a menu entry or a table cell, and it is the unit that the
 * main-content classifier keeps or drops. One iterative walk; 50,000 nested elements are legal input.
 */
import { keepShape } from "../../core/kept-shapes.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import type { ElementNode } from "../html/tree/tree.ts";

/** One run of inline content. */
export interface Block {
  /** Index in `PageOutline.elements` of the element that holds the run. */
  element: number;
  /** Text with white space collapsed, never empty. */
  text: string;
  /** Characters of the text that are in links. */
  linkLength: number;
  linkCount: number;
  /** Characters of the text in `b` or `strong`. */
  boldLength: number;
  /** True when the whole block is inside a link (a card, a tile). */
  insideLink: boolean;
  imageCount: number;
  /** The text children that make up the block. */
  runs: TextRun[];
}

/** A text child: `elements[parent].children[childIndex]`. */
export interface TextRun {
  parent: number;
  childIndex: number;
}

/**
 * An image, video, frame or the like, or a link without any of these and without text; and the number of blocks before.
 */
export interface PlacedElement {
  element: number;
  blocksBefore: number;
}

/**
 * The page's elements in document order (parents before children), and its blocks. Arrays of one length share an index.
 */
export interface PageOutline {
  elements: ElementNode[];
  /** Index of the parent; -1 for the root. */
  parents: number[];
  depths: number[];
  /** Index of the last descendant (the element itself when it has none), so that `i <= x <= last[i]` means "inside". */
  lastDescendants: number[];
  blocks: Block[];
  media: PlacedElement[];
  /** Links that hold neither text nor media: icons, arrows, covers of cards. */
  bareLinks: PlacedElement[];
}

/** Elements that start and end a block (HTML's rendering section, plus the containers that sites style as blocks). */
const BLOCK_TAGS = new Set(
  (
    "#root html address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset " +
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre section summary " +
    "table tbody td tfoot th thead tr ul"
  ).split(" "),
);

/** Elements whose text is never shown as text. */
const SKIPPED_TAGS = new Set(
  "head script style template svg canvas select datalist textarea map title applet noembed noframes".split(" "),
);

/** Elements that show something other than text; their content is a fallback for readers who cannot see it. */
const MEDIA_TAGS = new Set("img video audio iframe embed object".split(" "));

type TagKind = "block" | "skipped" | "media";

/** The kinds of tags in one table, as each element is tested for all of them; none of inline elements. */
const KIND_OF_TAG: ReadonlyMap<string, TagKind> = new Map([
  ...kindOfEach(BLOCK_TAGS, "block"),
  ...kindOfEach(SKIPPED_TAGS, "skipped"),
  ...kindOfEach(MEDIA_TAGS, "media"),
]);

function kindOfEach(tags: ReadonlySet<string>, kind: TagKind): [string, TagKind][] {
  return Array.from(tags, (tag) => [tag, kind]);
}

const LETTER_H = 104;
const DIGIT_ZERO = 48;
/** Anything but single spaces. */
const UNEVEN_SPACE = /[^\S ]|\u200b| {2}/;
const WHITE_SPACE = /[\s\u00a0\u200b\ufeff]+/g;

export function isBlockTag(tag: string): boolean {
  return BLOCK_TAGS.has(tag);
}

/** Returns the level of a heading element, 0 for every other element. */
export function headingLevel(tag: string): number {
  if (tag.length !== 2 || tag.charCodeAt(0) !== LETTER_H) return 0;
  const level = tag.charCodeAt(1) - DIGIT_ZERO;
  return level >= 1 && level <= 6 ? level : 0;
}

/**
 * Walks the tree once and returns its elements and blocks. @throws AppError `SCRAPE_WORK_LIMIT` when the budget is
 * spent.
 */
export function outlinePage(root: ElementNode, budget: WorkBudget = new WorkBudget()): PageOutline {
  const walker = new OutlineWalker();
  walker.enter(root, { parent: -1, isBlock: isBlockTag(root.tag) });
  while (walker.step()) budget.spend();
  return walker.outline;
}

/** The state of the walk: a stack of open elements, and the block that is being collected. */
class OutlineWalker {
  readonly outline: PageOutline = {
    elements: [],
    parents: [],
    depths: [],
    lastDescendants: [],
    blocks: [],
    media: [],
    bareLinks: [],
  };
  readonly #openElements: number[] = [];
  readonly #nextChildren: number[] = [];
  readonly #areBlocks: boolean[] = [];
  #linkDepth = 0;
  #boldDepth = 0;
  #lineBreaks = 0;
  #owner = 0;
  #text = "";
  #linkLength = 0;
  #linkCount = 0;
  #boldLength = 0;
  #imageCount = 0;
  #runs: TextRun[] = [];
  /** Number of texts and media so far, and the number before the open link. */
  #seen = 0;
  #seenBeforeLink = 0;

  constructor() {
    keepShape(this);
  }

  enter(element: ElementNode, { parent, isBlock }: { parent: number; isBlock: boolean }): void {
    const index = this.#register(element, parent);
    this.#openElements.push(index);
    this.#nextChildren.push(0);
    this.#areBlocks.push(isBlock);
    if (isBlock) this.#flush(index);
    if (element.tag === "a") {
      this.#linkDepth++;
      this.#linkCount++;
      this.#seenBeforeLink = this.#seen;
    } else if (element.tag === "b" || element.tag === "strong") this.#boldDepth++;
  }

  #register(element: ElementNode, parent: number): number {
    const { elements, parents, depths, lastDescendants } = this.outline;
    const index = elements.length;
    elements.push(element);
    parents.push(parent);
    depths.push(parent < 0 ? 0 : (depths[parent] ?? 0) + 1);
    lastDescendants.push(index);
    return index;
  }

  /** Handles one child or closes one element; false once the root is closed. */
  step(): boolean {
    const top = this.#openElements.length - 1;
    if (top < 0) return false;
    const index = this.#openElements[top] as number;
    const element = this.outline.elements[index] as ElementNode;
    const childIndex = this.#nextChildren[top] as number;
    if (childIndex >= element.children.length) {
      this.#leave(index, element);
      return true;
    }
    this.#nextChildren[top] = childIndex + 1;
    const child = element.children[childIndex] as ElementNode | string;
    if (typeof child === "string") this.#addText(child, index, childIndex);
    else this.#addElement(child, index);
    return true;
  }

  #addElement(child: ElementNode, parent: number): void {
    const kind = KIND_OF_TAG.get(child.tag);
    if (kind === "skipped") return;
    if (child.tag === "br") this.#addLineBreak();
    else if (kind === "media") this.#addMedia(child, parent);
    else this.enter(child, { parent, isBlock: kind === "block" });
  }

  #addMedia(child: ElementNode, parent: number): void {
    this.#seen++;
    if (child.tag === "img") this.#imageCount++;
    this.outline.media.push({ element: this.#register(child, parent), blocksBefore: this.outline.blocks.length });
  }

  /** Adds a line break: two in a row are a paragraph on old pages. */
  #addLineBreak(): void {
    this.#lineBreaks++;
    if (this.#lineBreaks >= 2) this.#flush(this.#owner);
    else this.#text += "\n";
  }

  #addText(text: string, parent: number, childIndex: number): void {
    this.#text += text;
    // White space between elements comes from the parser as one character.
    if (text.length === 1 && text.charCodeAt(0) <= 32) return;
    const visibleLength = text.trim().length;
    if (visibleLength === 0) return;
    this.#lineBreaks = 0;
    this.#seen++;
    this.#runs.push({ parent, childIndex });
    if (this.#linkDepth > 0) this.#linkLength += visibleLength;
    if (this.#boldDepth > 0) this.#boldLength += visibleLength;
  }

  #leave(index: number, element: ElementNode): void {
    this.#openElements.pop();
    this.#nextChildren.pop();
    const isBlock = this.#areBlocks.pop() === true;
    const parent = this.outline.parents[index] as number;
    this.outline.lastDescendants[index] = this.outline.elements.length - 1;
    if (isBlock) this.#flush(Math.max(parent, 0));
    if (element.tag === "a") {
      this.#linkDepth--;
      if (this.#seen === this.#seenBeforeLink && element.attributes["href"] !== undefined)
        this.outline.bareLinks.push({ element: index, blocksBefore: this.outline.blocks.length });
      // The content counted before an outer link is no longer known.
      this.#seenBeforeLink = -1;
    } else if (element.tag === "b" || element.tag === "strong") this.#boldDepth--;
  }

  /** Ends the current block; what follows belongs to `nextOwner`. */
  #flush(nextOwner: number): void {
    if (this.#runs.length > 0) this.#pushBlock();
    this.#text = "";
    this.#linkLength = this.#linkCount = this.#boldLength = this.#imageCount = this.#lineBreaks = 0;
    this.#owner = nextOwner;
  }

  #pushBlock(): void {
    const text = (UNEVEN_SPACE.test(this.#text) ? this.#text.replace(WHITE_SPACE, " ") : this.#text).trim();
    if (text !== "") {
      this.outline.blocks.push({
        element: this.#owner,
        text,
        linkLength: Math.min(this.#linkLength, text.length),
        linkCount: this.#linkCount,
        boldLength: Math.min(this.#boldLength, text.length),
        insideLink: this.#linkDepth > 0,
        imageCount: this.#imageCount,
        runs: this.#runs,
      });
    }
    this.#runs = [];
  }
}

/** Number of elements that define the kind of a short text: its own, and those around it. */
const NEAR = 3;

/** Reports whether the element of a block's text, or one of its nearest ancestors, matches. */
export function isNearElement(
  { elements, parents, blocks }: PageOutline,
  block: number,
  isWanted: (element: ElementNode) => boolean,
): boolean {
  let index = blocks[block]?.runs[0]?.parent ?? -1;
  for (let step = 0; index > 0 && step < NEAR; step++, index = parents[index]!) {
    if (isWanted(elements[index]!)) return true;
  }
  return false;
}

/** Characters of a class attribute that are examined. */
const MAX_CLASS_CHARS = 1_000;

/**
 * Returns a test of elements by tag and class that examines each element once, however many blocks it surrounds, and the
 * first 1,000 characters of its class.
 */
export function testOnce(isWanted: (tag: string, classes: string) => boolean): (element: ElementNode) => boolean {
  const results = new Map<ElementNode, boolean>();
  return (element) => {
    let result = results.get(element);
    if (result === undefined) {
      result = isWanted(element.tag, (element.attributes["class"] ?? "").slice(0, MAX_CLASS_CHARS));
      results.set(element, result);
    }
    return result;
  };
}

/** Returns the level of the heading that a block is or is directly inside; 0 for other blocks. */
export function levelOf({ elements, parents, blocks }: PageOutline, block: number): number {
  const element = blocks[block]!.element;
  const own = headingLevel(elements[element]!.tag);
  const parent = parents[element]!;
  return own > 0 || parent < 0 ? own : headingLevel(elements[parent]!.tag);
}
