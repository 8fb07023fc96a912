import { resolveUrl } from "../resolve-url.ts";
import { walkElements, type ElementNode } from "../tree.ts";
import { BREAK, FORMULA, type Emitter } from "./emitter.ts";
import { collapse, escapeAddress, escapeText } from "./escape.ts";

/** Signs that stand for "link to this place", as headings carry them. */
const PERMALINK_TEXT = /^[#¶§🔗\s]*$/u;
const LINE_ENDS = new RegExp(`[${BREAK}${FORMULA}\\s]+`, "g");
const VIDEO_HOST =
  /(?:^|\.)(?:youtube(?:-nocookie)?\.com|youtu\.be|vimeo\.com|dailymotion\.com|wistia\.(?:com|net)|loom\.com)$/;

/** `[text](address)` on one line; the text alone when the address leads nowhere, nothing for permalink signs. */
export function linkMarkdown(emitter: Emitter, link: ElementNode): string {
  const context = { inLink: true, inStrong: false, inEmphasis: false };
  const inner = emitter.inline(link, context).replace(LINE_ENDS, " ");
  return wrapInLink(emitter, link, inner);
}

/** Puts a ready text into the link of an element. */
export function wrapInLink(emitter: Emitter, link: ElementNode, inner: string): string {
  const text = inner.trim() || labelOf(link);
  const href = link.attributes["href"]?.trim() ?? "";
  const lead = inner.startsWith(" ") ? " " : "";
  const tail = inner.endsWith(" ") && inner.trim() !== "" ? " " : "";
  const address = linkAddress(emitter, link);
  if (text === "" || (href.startsWith("#") && PERMALINK_TEXT.test(text))) return inner.trim() === "" ? lead : "";
  if (address === undefined) return lead + text + tail;
  return `${lead}[${text}](${escapeAddress(address)})${tail}`;
}

/** Where a link leads; undefined for links without, and for code and data in the place of an address. */
export function linkAddress(emitter: Emitter, { attributes }: ElementNode): string | undefined {
  const address = resolveUrl(attributes["href"], emitter.baseUrl);
  return address?.startsWith("data:") ? undefined : address;
}

/** A link without text says what it is in an attribute, its own or its icon's. */
function labelOf(link: ElementNode): string {
  let label = link.attributes["aria-label"] ?? link.attributes["title"] ?? "";
  if (label !== "") return escapeText(collapse(label).trim(), true);
  walkElements(link, ({ attributes }) => {
    label ||= attributes["aria-label"] ?? "";
  });
  return escapeText(collapse(label).trim(), true);
}

/** A player of a known video site, and a film or sound of the page's own, as a link. */
export function embeddedVideo(emitter: Emitter, element: ElementNode): string {
  const source = sourceOf(element);
  const address = resolveUrl(source, emitter.baseUrl);
  if (address === undefined || !/^https?:/.test(address)) return "";
  if (element.tag === "iframe" && !VIDEO_HOST.test(new URL(address).hostname)) return "";
  const fallback = element.tag === "audio" ? "Audio" : "Video";
  const title = escapeText(collapse(element.attributes["title"] ?? "").trim(), true);
  return `[${title || fallback}](${escapeAddress(address)})`;
}

function sourceOf({ attributes, children }: ElementNode): string | undefined {
  const own = attributes["src"] || attributes["data-src"];
  if (own !== undefined) return own;
  const source = children.find((child) => typeof child !== "string" && child.tag === "source");
  return source === undefined || typeof source === "string" ? undefined : source.attributes["src"];
}
