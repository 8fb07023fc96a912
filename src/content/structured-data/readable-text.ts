import { isHidden } from "../hidden.ts";
import { resolveUrl } from "../resolve-url.ts";
import { imageAddress } from "../image-address.ts";
import { BLOCK_TAGS, ElementNode } from "../tree.ts";
import { oneLine, textFact, type FactText } from "./facts.ts";

/** What is struck out is not said any more, such as an old price. */
const SILENT = new Set("head script style template noscript svg select textarea button object del s strike".split(" "));

/** True for elements whose text nobody reads. */
export function isSilent(element: ElementNode): boolean {
  return SILENT.has(element.tag) || isHidden(element);
}

/** Elements that hold more are no labels, values or cards; each level of a deep page would hold all of it once more. */
export const MAX_TEXT_CHARS = 4_000;
/** A text is asked for several times. */
const texts = new WeakMap<ElementNode, string>();

/** Text of an element as a reader sees it, in one line, as far as the limit goes. Blocks and line breaks part words. */
export function readableText(element: ElementNode): string {
  const known = texts.get(element);
  if (known !== undefined) return known;
  const text = joinText(element, MAX_TEXT_CHARS);
  texts.set(element, text);
  return text;
}

function joinText(from: ElementNode, maxChars: number): string {
  const pieces: string[] = [];
  let length = 0;
  const stack: (ElementNode | string)[] = [from];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
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
  return oneLine(pieces.join(""));
}

/** The same, however long it is. */
function wholeText(element: ElementNode): string {
  const text = readableText(element);
  return text.length < MAX_TEXT_CHARS / 2 ? text : joinText(element, Infinity);
}

/** An element's text with what stands behind it: its address, its machine-readable form. */
export function factOf(element: ElementNode, baseUrl: string): FactText {
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
  const links = descendants(element, ({ tag }) => tag === "a");
  return links.length === 1 ? links[0]?.attributes["href"] : undefined;
}

function firstTime(element: ElementNode): string | undefined {
  const times = descendants(element, ({ tag }) => tag === "time");
  return times.length === 1 ? times[0]?.attributes["datetime"] : undefined;
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
