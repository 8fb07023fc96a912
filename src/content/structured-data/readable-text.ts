import { isHidden } from "../html/hidden.ts";
import { resolveUrl } from "../html/resolve-url.ts";
import { imageAddress } from "../html/image-address.ts";
import { BLOCK_TAGS, ElementNode } from "../html/tree/tree.ts";
import { lineFact, textFact, withSingleSpaces, type FactText } from "./facts.ts";

/** Elements without current text. Struck-out text is no longer valid, such as an old price. */
const SILENT = new Set("head script style template noscript svg select textarea button object del s strike".split(" "));

/** True for elements whose text is never read. */
export function isSilent(element: ElementNode): boolean {
  return SILENT.has(element.tag) || isHidden(element);
}

/**
 * Elements with longer text are not labels, values or cards; each level of a deep page would hold all of it once more.
 */
export const MAX_TEXT_CHARS = 4_000;
/** Longer texts are not the value of a property. */
const MAX_WHOLE_CHARS = 200_000;
/** Maximum number of elements and texts that are examined for one text: pages may hold any number without any text. */
const MAX_TEXT_NODES = 50_000;
/** Cache: a text is requested several times. */
const texts = new WeakMap<ElementNode, { text: string; looks: number }>();

/** Returns the text of an element as displayed, in one line, up to the limit. Blocks and line breaks separate words. */
export function readableText(element: ElementNode): string {
  return readOnce(element).text;
}

/**
 * Returns the number of elements and texts examined for an element's text: at each level of a deep page all that is
 * below.
 */
export function looksFor(element: ElementNode): number {
  return readOnce(element).looks;
}

function readOnce(element: ElementNode): { text: string; looks: number } {
  let known = texts.get(element);
  if (known === undefined) texts.set(element, (known = joinText(element, MAX_TEXT_CHARS)));
  return known;
}

function joinText(from: ElementNode, maxChars: number): { text: string; looks: number } {
  const line = new Line();
  let length = 0;
  let visited = 0;
  const stack: (ElementNode | LongText | string)[] = [from];
  for (let node = stack.pop(); node !== undefined && visited++ < MAX_TEXT_NODES; node = stack.pop()) {
    if (typeof node === "string" || node instanceof LongText) {
      const text = typeof node === "string" ? withSingleSpaces(node) : node.line;
      line.add(text);
      length += text.trim().length;
      if (length > maxChars) break;
      continue;
    }
    if (node !== from && isSilent(node)) continue;
    const parts = BLOCK_TAGS.has(node.tag) || node.tag === "br";
    if (parts) line.add(" ");
    if (parts) stack.push(" ");
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child === undefined) continue;
      const isLong = typeof child === "string" && child.length >= MIN_LONG_CHARS;
      stack.push(isLong ? longTextOf(node, index, child) : child);
    }
  }
  return { text: line.text(), looks: visited };
}

/** Joins condensed texts to one line. */
class Line {
  readonly #pieces: string[] = [];
  #endsWithSpace = true;

  add(piece: string): void {
    const rest = this.#endsWithSpace && piece.startsWith(" ") ? piece.slice(1) : piece;
    if (rest === "") return;
    this.#pieces.push(rest);
    this.#endsWithSpace = rest.endsWith(" ");
  }

  text(): string {
    return this.#pieces.join("").trimEnd();
  }
}

/** Texts of this length are condensed once: each of the elements around one reads it again. */
const MIN_LONG_CHARS = 1_000;
const longTexts = new WeakMap<ElementNode, Map<number, LongText>>();

class LongText {
  readonly #text: string;
  #line: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get line(): string {
    return (this.#line ??= withSingleSpaces(this.#text));
  }
}

function longTextOf(parent: ElementNode, index: number, text: string): LongText {
  const ofParent = longTexts.get(parent) ?? new Map<number, LongText>();
  longTexts.set(parent, ofParent);
  const known = ofParent.get(index) ?? new LongText(text);
  ofParent.set(index, known);
  return known;
}

/** Returns the same, up to a length beyond any value of a property. */
function readWhole(element: ElementNode): { text: string; looks: number } {
  const short = readOnce(element);
  if (short.text.length < MAX_TEXT_CHARS / 2) return short;
  const whole = joinText(element, MAX_WHOLE_CHARS);
  return { text: whole.text, looks: short.looks + whole.looks };
}

/** An element's text with the data behind it, and the number of elements and texts examined for it. */
interface ReadFact {
  fact: FactText;
  looks: number;
}

/** Cache: a fact is requested several times, by lists, tables and cards around it. */
const facts = new WeakMap<ElementNode, ReadFact & { baseUrl: string }>();

/** Returns an element's text with the data behind it: its address, its machine-readable form. */
export function factOf(element: ElementNode, baseUrl: string): FactText {
  return factOnce(element, baseUrl).fact;
}

/** Returns the number of elements and texts examined for an element's fact. */
export function looksForFact(element: ElementNode, baseUrl: string): number {
  return factOnce(element, baseUrl).looks;
}

function factOnce(element: ElementNode, baseUrl: string): ReadFact {
  const known = facts.get(element);
  if (known?.baseUrl === baseUrl) return known;
  const read = { ...readFact(element, baseUrl), baseUrl };
  facts.set(element, read);
  return read;
}

function readFact(element: ElementNode, baseUrl: string): ReadFact {
  const { tag, attributes } = element;
  if (tag === "meta" || tag === "data" || tag === "meter") {
    const machine = attributes["content"] ?? attributes["value"] ?? "";
    const { text, looks } = readOnce(element);
    return { fact: textFact(text || machine, { machine }), looks };
  }
  if (tag === "img" || tag === "source") {
    return { fact: textFact(attributes["alt"] ?? "", { href: imageAddress(element, baseUrl) }), looks: 1 };
  }
  const time = tag === "time" ? attributes["datetime"] : (attributes["content"] ?? firstTime(element));
  const { text, looks } = readWhole(element);
  return { fact: lineFact(text, { machine: time, href: resolveUrl(linkOf(element), baseUrl) }), looks };
}

/** Returns the address of a link, or of the only link inside. */
function linkOf(element: ElementNode): string | undefined {
  if (element.tag === "link" || element.tag === "a" || element.tag === "area") return element.attributes["href"];
  const { links, link } = contentsOf(element);
  return links === 1 ? link?.attributes["href"] : undefined;
}

function firstTime(element: ElementNode): string | undefined {
  const { times, time } = contentsOf(element);
  return times === 1 ? time?.attributes["datetime"] : undefined;
}

/** The outermost elements of each kind below an element; more than one are not distinguished further. */
interface Contents {
  links: 0 | 1 | 2;
  link: ElementNode | undefined;
  times: 0 | 1 | 2;
  time: ElementNode | undefined;
  blocks: 0 | 1 | 2;
}

const EMPTY: Readonly<Contents> = { links: 0, link: undefined, times: 0, time: undefined, blocks: 0 };
const contents = new WeakMap<ElementNode, Contents>();

/** Returns the number of blocks in an element, up to two. */
export function blocksIn(element: ElementNode): number {
  return contentsOf(element).blocks;
}

/** Returns the number of links in an element, up to two. */
export function linksIn(element: ElementNode): number {
  return contentsOf(element).links;
}

/** Combines the contents of the children, each of which is examined once: elements nest deeply. */
function contentsOf(from: ElementNode): Contents {
  const stack = [from];
  for (let element = stack.at(-1); element !== undefined; element = stack.at(-1)) {
    const open = contents.has(element) ? [] : childElements(element).filter((child) => !contents.has(child));
    if (open.length > 0) {
      for (const child of open) stack.push(child);
      continue;
    }
    stack.pop();
    if (!contents.has(element)) contents.set(element, sumOf(element));
  }
  return contents.get(from) ?? EMPTY;
}

function sumOf(element: ElementNode): Contents {
  const sum: Contents = { ...EMPTY };
  for (const child of childElements(element)) {
    const inner = contents.get(child) ?? EMPTY;
    const isLink = child.tag === "a";
    const isTime = child.tag === "time";
    sum.links = upToTwo(sum.links + (isLink ? 1 : inner.links));
    sum.link ??= isLink ? child : inner.link;
    sum.times = upToTwo(sum.times + (isTime ? 1 : inner.times));
    sum.time ??= isTime ? child : inner.time;
    sum.blocks = upToTwo(sum.blocks + (BLOCK_TAGS.has(child.tag) ? 1 : inner.blocks));
  }
  return sum;
}

function upToTwo(count: number): 0 | 1 | 2 {
  return count === 0 ? 0 : count === 1 ? 1 : 2;
}

/** Returns matching elements below another one, in document order, without looking below a match. */
export function descendants(from: ElementNode, fits: (element: ElementNode) => boolean): ElementNode[] {
  const found: ElementNode[] = [];
  const stack = childElements(from).toReversed();
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    if (fits(element)) found.push(element);
    else for (const child of childElements(element).toReversed()) stack.push(child);
  }
  return found;
}

export function childElements(element: ElementNode): ElementNode[] {
  return element.children.filter((child): child is ElementNode => child instanceof ElementNode);
}

/** Returns the classes, id and test ids of an element, as names. */
export function namesOf({ attributes }: ElementNode): string[] {
  const { class: classes = "", id = "" } = attributes;
  const marks = [attributes["data-testid"], attributes["data-test"], attributes["data-qa"], attributes["data-field"]];
  const names = [...classes.split(/\s+/), id, ...marks.map((mark) => mark ?? "")];
  return names.filter((label) => /[a-z]{3}/i.test(label) && label.length <= 40);
}
