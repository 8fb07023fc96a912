import type { Cleaned } from "./cleaned.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { concealmentOf } from "./concealment.ts";
import { isReadNoscript, isShadowRoot } from "./hidden.ts";
import { imageAddress } from "./image-address.ts";
import { parseSrcset, resolveUrl, stepsOfLongBase, stepsToResolve } from "./resolve-url.ts";
import type { ElementNode } from "./tree/tree.ts";

const VOID_TAGS = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const DROPPED_TAGS = new Set("head meta link base script style noscript template title".split(" "));
/** Form fields are not main content, and their text is a default or a script's template. */
const FORM_CONTROLS = new Set(["input", "textarea", "select", "datalist"]);
/** Wrappers that are written once, around everything. */
const WRAPPERS = new Set(["#root", "html", "body"]);
/** Obsolete tags for listings, whose text a parser would read raw. */
const RAW_TEXT_TAGS = new Set(["xmp", "listing", "plaintext"]);
const URL_ATTRIBUTES = new Set([
  "href",
  "xlink:href",
  "src",
  "poster",
  "cite",
  "action",
  "formaction",
  "data",
  "background",
  "longdesc",
]);
const DROPPED_ATTRIBUTES = new Set(["srcdoc", "style", "ping", "integrity", "nonce"]);
/** Attributes of an image that are not copied: its source is written separately. */
const LAZY_ATTRIBUTES = new Set(["src", "srcset", "data-srcset", "data-src"]);
const VALID_NAME = /^[a-z_:][\w:.-]*$/;

const EMPTY = "<html><body></body></html>";

/**
 * Writes the kept parts as HTML (api-contract.md, “HTML cleaning”): no scripts, styles or event handlers, addresses
 * absolute. Iterative. Parts beyond the budget are left out.
 */
export function emitHtml(cleaned: Cleaned, baseUrl: string, budget = new WorkBudget()): string {
  const pieces: string[] = [];
  const stack: (ElementNode | string)[] = cleaned.roots.toReversed();
  const isConcealed = concealmentOf(cleaned, budget);
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (!isAffordable(1, budget)) break;
    if (typeof item === "string") pieces.push(item);
    else openElement(item, { cleaned, isConcealed, baseUrl, budget, pieces, stack });
  }
  const body = pieces.join("").trim();
  return body === "" ? EMPTY : `<html><body>${body}</body></html>`;
}

interface Emission {
  cleaned: Cleaned;
  isConcealed: (element: ElementNode) => boolean;
  baseUrl: string;
  budget: WorkBudget;
  pieces: string[];
  /** The parts that are still to be written, last first; texts are written unchanged. */
  stack: (ElementNode | string)[];
}

function openElement(element: ElementNode, emission: Emission): void {
  const { cleaned, isConcealed, pieces, stack } = emission;
  if (cleaned.droppedElements.has(element)) return;
  const isShell = isShadowRoot(element) || isReadNoscript(element, cleaned.revealed);
  if (DROPPED_TAGS.has(element.tag) && !isShell) return;
  if (isConcealed(element)) return;
  if (cleaned.revealed === "all" && FORM_CONTROLS.has(element.tag)) return;
  const tag = RAW_TEXT_TAGS.has(element.tag) ? "pre" : element.tag;
  const isWrapper = isShell || WRAPPERS.has(tag) || !VALID_NAME.test(tag);
  if (!isWrapper) pieces.push(`<${tag}${writeAttributes(element, emission)}>`);
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

function writeAttributes(element: ElementNode, emission: Emission): string {
  const { tag, attributes } = element;
  let text = "";
  for (const name in attributes) {
    if (DROPPED_ATTRIBUTES.has(name) || name.startsWith("on") || !VALID_NAME.test(name)) continue;
    if (tag === "img" && LAZY_ATTRIBUTES.has(name)) continue;
    const value = writtenValue(name, attributes[name] ?? "", emission);
    if (value !== undefined) text += ` ${name}="${escapeAttribute(value)}"`;
  }
  // Images have the largest of their sources, whichever attribute holds it.
  const source = tag === "img" ? imageAddress(element, emission.baseUrl) : undefined;
  return source === undefined ? text : ` src="${escapeAttribute(source)}"${text}`;
}

/**
 * Returns an attribute's value, with addresses absolute; undefined for addresses that cannot be resolved, and for those
 * beyond the budget.
 */
function writtenValue(name: string, value: string, { baseUrl, budget }: Emission): string | undefined {
  if (URL_ATTRIBUTES.has(name))
    return isAffordable(stepsOfLongBase(baseUrl), budget) ? resolveUrl(value, baseUrl) : undefined;
  if (name !== "srcset" && name !== "imagesrcset") return value;
  const candidates = parseSrcset(value).flatMap(({ url, descriptor }) => {
    const address = isAffordable(stepsToResolve(baseUrl), budget) ? resolveUrl(url, baseUrl) : undefined;
    return address === undefined ? [] : [`${address} ${descriptor}`.trim()];
  });
  return candidates.length === 0 ? undefined : candidates.join(", ");
}

function isAffordable(steps: number, budget: WorkBudget): boolean {
  if (budget.take(steps)) return true;
  budget.cut("HTML");
  return false;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
