import { isHidden } from "../html/hidden.ts";
import { resolveUrl } from "../html/resolve-url.ts";
import { imageAddress } from "../html/image-address.ts";
import { BLOCK_TAGS, ElementNode } from "../html/tree/tree.ts";
import { oneLine, textFact, type FactText } from "./facts.ts";

/** What is struck out is not said any more, such as an old price. */
const SILENT = new Set("head script style template noscript svg select textarea button object del s strike".split(" "));

/** True for elements whose text nobody reads. */
export function isSilent(element: ElementNode): boolean {
  return SILENT.has(element.tag) || isHidden(element);
}

/** Elements that hold more are no labels, values or cards; each level of a deep page would hold all of it once more. */
export const MAX_TEXT_CHARS = 4_000;
/** What is longer is no value of a property. */
const MAX_WHOLE_CHARS = 200_000;
/** Elements and texts that are looked at for one text: pages may hold any number without any text. */
const MAX_TEXT_NODES = 50_000;
/** A text is asked for several times. */
const texts = new WeakMap<ElementNode, { text: string; looks: number }>();

/** Text of an element as a reader sees it, in one line, as far as the limit goes. Blocks and line breaks part words. */
export function readableText(element: ElementNode): string {
  return readOnce(element).text;
}

/** How many elements and texts are looked at for an element's text: at each level of a deep page all that is below. */
export function looksFor(element: ElementNode): number {
  return readOnce(element).looks;
}

function readOnce(element: ElementNode): { text: string; looks: number } {
  let known = texts.get(element);
  if (known === undefined) texts.set(element, (known = joinText(element, MAX_TEXT_CHARS)));
  return known;
}

function joinText(from: ElementNode, maxChars: number): { text: string; looks: number } {
  const pieces: string[] = [];
  let length = 0;
  let visited = 0;
  const stack: (ElementNode | string)[] = [from];
  for (let node = stack.pop(); node !== undefined && visited++ < MAX_TEXT_NODES; node = stack.pop()) {
    if (typeof node === "string") {
      pieces.push(node);
      length += node.trim().length;
      if (length > maxChars) break;
      continue;
    }
    if (node !== from && isSilent(node)) continue;
    const parts = BLOCK_TAGS.has(node.tag) || node.tag === "br";
    if (parts) pieces.push(" ");
    if (parts) stack.push(" ");
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child !== undefined) stack.push(child);
    }
  }
  return { text: oneLine(pieces.join("")), looks: visited };
}

/** The same, up to what is more than any value of a property. */
function wholeText(element: ElementNode): string {
  const text = readableText(element);
  return text.length < MAX_TEXT_CHARS / 2 ? text : joinText(element, MAX_WHOLE_CHARS).text;
}

/** A fact is asked for several times: by lists, tables and cards around it. */
const facts = new WeakMap<ElementNode, { baseUrl: string; fact: FactText }>();

/** An element's text with what stands behind it: its address, its machine-readable form. */
export function factOf(element: ElementNode, baseUrl: string): FactText {
  const known = facts.get(element);
  if (known?.baseUrl === baseUrl) return known.fact;
  const fact = readFact(element, baseUrl);
  facts.set(element, { baseUrl, fact });
  return fact;
}

function readFact(element: ElementNode, baseUrl: string): FactText {
  const { tag, attributes } = element;
  if (tag === "meta" || tag === "data" || tag === "meter") {
    const machine = attributes["content"] ?? attributes["value"] ?? "";
    return textFact(readableText(element) || machine, { machine });
  }
  if (tag === "img" || tag === "source") {
    return textFact(attributes["alt"] ?? "", { href: imageAddress(element, baseUrl) });
  }
  const time = tag === "time" ? attributes["datetime"] : (attributes["content"] ?? firstTime(element));
  return textFact(wholeText(element), { machine: time, href: resolveUrl(linkOf(element), baseUrl) });
}

/** The address of a link, or of the only link inside. */
function linkOf(element: ElementNode): string | undefined {
  if (element.tag === "link" || element.tag === "a" || element.tag === "area") return element.attributes["href"];
  const { links, link } = contentsOf(element);
  return links === 1 ? link?.attributes["href"] : undefined;
}

function firstTime(element: ElementNode): string | undefined {
  const { times, time } = contentsOf(element);
  return times === 1 ? time?.attributes["datetime"] : undefined;
}

/** What an element holds, the outermost ones of each kind; more than one are told no further apart. */
interface Contents {
  links: 0 | 1 | 2;
  link: ElementNode | undefined;
  times: 0 | 1 | 2;
  time: ElementNode | undefined;
  blocks: 0 | 1 | 2;
}

const contents = new WeakMap<ElementNode, Contents>();

/** How many blocks an element holds, up to two. */
export function blocksIn(element: ElementNode): number {
  return contentsOf(element).blocks;
}

/** Put together from what the children hold, each of which is looked at once: elements nest deeply. */
function contentsOf(from: ElementNode): Contents {
  const stack = [from];
  while (stack.length > 0) {
    const element = stack.at(-1)!;
    const open = contents.has(element) ? [] : childElements(element).filter((child) => !contents.has(child));
    if (open.length > 0) {
      for (const child of open) stack.push(child);
      continue;
    }
    stack.pop();
    if (!contents.has(element)) contents.set(element, sumOf(element));
  }
  return contents.get(from)!;
}

function sumOf(element: ElementNode): Contents {
  const sum: Contents = { links: 0, link: undefined, times: 0, time: undefined, blocks: 0 };
  for (const child of childElements(element)) {
    const inner = contents.get(child)!;
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

/** Elements below another one that fit, in document order; what is below a fitting one is not looked at. */
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

/** Classes, id and test ids of an element, as the words that its makers call it by. */
export function namesOf({ attributes }: ElementNode): string[] {
  const { class: classes = "", id = "" } = attributes;
  const marks = [attributes["data-testid"], attributes["data-test"], attributes["data-qa"], attributes["data-field"]];
  const names = [...classes.split(/\s+/), id, ...marks.map((mark) => mark ?? "")];
  return names.filter((label) => /[a-z]{3}/i.test(label) && label.length <= 40);
}
