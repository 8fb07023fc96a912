import type { Cleaned } from "../../html/cleaned.ts";
import { isShadowRoot, SILENT_TAGS } from "../../html/hidden.ts";
import { placeOf } from "../../html/tree/of-children.ts";
import { BLOCK_TAGS, type ElementNode } from "../../html/tree/tree.ts";

const HEADING = /^(?:h[1-6]|summary)$/;
/** Roles of buttons that name a thing to choose. */
const OPTION_ROLES = new Set(["tab", "radio", "checkbox", "option"]);
const QUESTION = /[?？؟]\s*$/u;
const SENTENCE = /[.!。！…"”»]\s*$/u;
const MIN_SENTENCE_CHARS = 40;
/**
 * How many elements may be wrapped around a button that unfolds the panel behind them, and how many children they may
 * have.
 */
const MAX_WRAPPERS = 4;
const MAX_WRAPPED = 16;
/** Maximum number of parts without text between a button and its panel. */
const MAX_BETWEEN = 8;
const WORD = /[\p{L}\p{N}]/u;

/**
 * Reports whether a button unfolds something, and is its heading; all others have effects that markdown cannot express.
 */
export function isDisclosure({ attributes, parent }: ElementNode): boolean {
  return attributes["aria-expanded"] !== undefined || HEADING.test(parent?.tag ?? "");
}

/**
 * Reports whether a button that was chosen as content carries information: it unfolds or shows a panel, names an
 * option, is part of a text, asks a question or holds a sentence. All others are commands: copy, compare, back to the
 * top.
 */
export function saysSomething(button: ElementNode, cleaned: Cleaned): boolean {
  const { attributes, parent } = button;
  if (isDisclosure(button) || attributes["aria-controls"] !== undefined) return true;
  if (OPTION_ROLES.has(attributes["role"] ?? "")) return true;
  if (parent === undefined || parent.tag === "p" || isWithinText(button, parent, cleaned)) return true;
  const text = keptText(button, cleaned, Infinity);
  // A picture may be in it.
  if (text === "") return true;
  if (QUESTION.test(text) || (text.length >= MIN_SENTENCE_CHARS && SENTENCE.test(text))) return true;
  return headsPanel(button, text.length, cleaned);
}

/** Reports whether there is text right before or behind the button. */
function isWithinText(button: ElementNode, parent: ElementNode, { droppedText }: Cleaned): boolean {
  const { children } = parent;
  const place = placeOf(button, parent);
  return [place - 1, place + 1].some((index) => {
    const beside = children[index];
    if (typeof beside !== "string" || !WORD.test(beside)) return false;
    return droppedText.get(parent)?.has(index) !== true;
  });
}

/**
 * Reports whether a panel follows: the next thing behind a button, or behind its wrapper, with more text than the
 * button.
 */
function headsPanel(button: ElementNode, length: number, cleaned: Cleaned): boolean {
  let element = button;
  for (let wrappers = 0; wrappers <= MAX_WRAPPERS; wrappers++) {
    const { parent } = element;
    if (parent === undefined) return false;
    const next = nextOf(element, parent, cleaned);
    if (next !== undefined) return isPanel(next, length, cleaned);
    if (!isWrapper(parent, element, cleaned)) return false;
    element = parent;
  }
  return false;
}

/** Reports whether an element holds no other content than the wrapped one. */
function isWrapper({ children }: ElementNode, wrapped: ElementNode, cleaned: Cleaned): boolean {
  if (children.length > MAX_WRAPPED) return false;
  return !children.some((child) => child !== wrapped && saysAnything(child, cleaned));
}

/** Returns the next sibling of which any text is kept, among the nearest ones. */
function nextOf(element: ElementNode, parent: ElementNode, cleaned: Cleaned): ElementNode | undefined {
  const start = placeOf(element, parent) + 1;
  return parent.children
    .slice(start, start + MAX_BETWEEN)
    .find((child): child is ElementNode => typeof child !== "string" && saysAnything(child, cleaned));
}

function saysAnything(part: ElementNode | string, cleaned: Cleaned): boolean {
  return typeof part === "string" ? WORD.test(part) : keptText(part, cleaned, 1) !== "";
}

/** Reports whether an element is a panel. Listings have buttons above them that copy them. */
function isPanel(element: ElementNode, length: number, cleaned: Cleaned): boolean {
  if (!BLOCK_TAGS.has(element.tag) || element.tag === "button") return false;
  let inner: ElementNode | undefined = element;
  while (inner !== undefined) {
    if (inner.tag === "pre" || inner.tag === "code") return false;
    const parts: (ElementNode | string)[] = inner.children.filter(
      (child) => typeof child !== "string" || WORD.test(child),
    );
    const [only] = parts;
    inner = parts.length === 1 && typeof only !== "string" ? only : undefined;
  }
  return keptText(element, cleaned, length + 1).length > length;
}

/** Returns the text that is kept, up to some characters at least; that of buttons within does not count. */
function keptText(from: ElementNode, { droppedElements, droppedText }: Cleaned, enough: number): string {
  let text = "";
  const stack: (ElementNode | string)[] = [from];
  for (let node = stack.pop(); node !== undefined && text.length < enough; node = stack.pop()) {
    if (typeof node === "string") {
      text += node.trim();
      continue;
    }
    if (droppedElements.has(node) || (SILENT_TAGS.has(node.tag) && !isShadowRoot(node))) continue;
    if (node.tag === "button" && node !== from) continue;
    const dropped = droppedText.get(node);
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child === undefined) continue;
      if (typeof child !== "string" || dropped?.has(index) !== true) stack.push(child);
    }
  }
  return text;
}
