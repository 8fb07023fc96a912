import type { Cleaned } from "./clean.ts";
import { isHidden } from "./hidden.ts";
import { imageAddress } from "./image-address.ts";
import { resolveUrl } from "./resolve-url.ts";
import type { ElementNode } from "./tree.ts";

const VOID_TAGS = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const DROPPED_TAGS = new Set("head meta link base script style noscript template title".split(" "));
/** Wrappers that are written once, around everything. */
const WRAPPERS = new Set(["#root", "html", "body"]);
const URL_ATTRIBUTES = new Set(["href", "src", "poster", "cite", "action", "data"]);
const EVENT_ATTRIBUTE = /^on/;
const VALID_NAME = /^[a-z_:][\w:.-]*$/;

const EMPTY = "<html><body></body></html>";

/** Writes what is kept as HTML (contract § 6.2): no scripts, styles or event handlers, addresses absolute. Iterative. */
export function emitHtml(cleaned: Cleaned, baseUrl: string): string {
  const pieces: string[] = [];
  const stack: (ElementNode | string)[] = cleaned.roots.toReversed();
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (typeof item === "string") pieces.push(item);
    else openElement(item, { cleaned, baseUrl, pieces, stack });
  }
  const body = pieces.join("").trim();
  return body === "" ? EMPTY : `<html><body>${body}</body></html>`;
}

interface Emission {
  cleaned: Cleaned;
  baseUrl: string;
  pieces: string[];
  /** What is still to be written, last first; texts are ready as they stand. */
  stack: (ElementNode | string)[];
}

function openElement(element: ElementNode, { cleaned, baseUrl, pieces, stack }: Emission): void {
  const { tag } = element;
  if (cleaned.droppedElements.has(element) || DROPPED_TAGS.has(tag)) return;
  if (!cleaned.revealsHidden && isHidden(element)) return;
  const isWrapper = WRAPPERS.has(tag) || !VALID_NAME.test(tag);
  if (!isWrapper) pieces.push(`<${tag}${writeAttributes(element, baseUrl)}>`);
  if (VOID_TAGS.has(tag)) return;
  if (!isWrapper) stack.push(`</${tag}>`);
  const dropped = cleaned.droppedText.get(element);
  for (let index = element.children.length - 1; index >= 0; index--) {
    const child = element.children[index];
    if (child === undefined) continue;
    if (typeof child !== "string") stack.push(child);
    else if (dropped?.has(index) !== true) stack.push(escapeText(child));
  }
}

function writeAttributes(element: ElementNode, baseUrl: string): string {
  let text = "";
  for (const [name, value] of Object.entries(attributesOf(element, baseUrl)))
    text += ` ${name}="${escapeAttribute(value)}"`;
  return text;
}

/** Images show the largest of their sources, whichever attribute holds it. */
function attributesOf(element: ElementNode, baseUrl: string): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(element.attributes)) {
    if (EVENT_ATTRIBUTE.test(name) || name === "srcdoc" || name === "style" || !VALID_NAME.test(name)) continue;
    if (!URL_ATTRIBUTES.has(name)) kept[name] = value;
    else {
      const address = resolveUrl(value, baseUrl);
      if (address !== undefined) kept[name] = address;
    }
  }
  if (element.tag === "img") {
    const source = imageAddress(element, baseUrl);
    if (source !== undefined) kept["src"] = source;
    for (const lazy of ["srcset", "data-srcset", "data-src"]) delete kept[lazy];
  }
  return kept;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
