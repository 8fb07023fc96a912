import { resolveUrl } from "../../html/resolve-url.ts";
import type { ElementNode } from "../../html/tree/tree.ts";
import { collapse, escapeAddress, escapeDescription } from "./escape.ts";
import { holds, type MarkdownPage } from "../page.ts";
import type { InlineTarget } from "./target.ts";

/** Writes a link in running text. One without a target is its text alone, and so is a link around other links. */
export function writeLink(target: InlineTarget, link: ElementNode): void {
  const { page, run } = target;
  const address = linkAddress(link, page);
  if (address === undefined || run.inLink || holds(link, page, isLink)) {
    target.writeChildren(link);
    return;
  }
  const inner = target.forLink();
  inner.writeChildren(link);
  const text = inner.run.finish();
  if (inner.run.startsWithSpace) run.addSpace();
  run.addAtom(linkMarkdown(link, { text, address, isHeading: target.isHeading }));
  if (inner.run.endsWithSpace) run.addSpace();
}

interface LinkParts {
  text: string;
  address: string;
  isHeading: boolean;
}

function linkMarkdown(link: ElementNode, { text, address, isHeading }: LinkParts): string {
  const isFragment = link.attributes["href"]?.trim().startsWith("#") ?? false;
  if (isFragment && (text === "" || isServiceText(link, text))) return "";
  if (isHeading && (isFragment || PERMALINK_TEXT.test(text))) return PERMALINK_TEXT.test(text) ? "" : text;
  const shown = text === "" ? linkLabel(link) : text;
  return shown === "" ? "" : `[${shown}](${escapeAddress(address)})`;
}

const PERMALINK_TEXT = /^(?:\\?(?:[#¶§∞\s]|\u{1f517}|\u2693|\ufe0e|\ufe0f))+$/u;
const PERMALINK_CLASS = /(?:^|[\s_-])(?:anchor|headerlink|permalink|hash-?link|heading-?link|direct-link)(?:$|[\s_-])/i;
const SKIP_TEXT =
  /^(?:skip|jump) (?:to|over|past)\b|^skip (?:navigation|links?|nav)\b|^zum (?:haupt)?inhalt\b|^aller au (?:contenu|menu)\b|^(?:saltar|ir) al contenido\b|^vai al contenuto\b|^(?:pular|ir) para o conte/i;

/** Reports whether a link only serves the page itself: to its headings, or past its navigation. */
function isServiceText({ attributes }: ElementNode, text: string): boolean {
  if (PERMALINK_TEXT.test(text) || SKIP_TEXT.test(text)) return true;
  return (
    PERMALINK_CLASS.test(attributes["class"] ?? "") && /^(?:.{0,2}|(?:perma|direct |copy )?link\b.*)$/iu.test(text)
  );
}

/** Returns the label of a link without text, from its attributes. */
export function linkLabel({ attributes, children }: ElementNode): string {
  const icon = children.find((child) => typeof child !== "string" && child.tag === "svg");
  const iconLabel = icon === undefined || typeof icon === "string" ? undefined : icon.attributes["aria-label"];
  return escapeDescription(attributes["aria-label"] ?? attributes["title"] ?? iconLabel ?? "");
}

export function isLink({ tag, attributes }: ElementNode): boolean {
  return tag === "a" && attributes["href"] !== undefined;
}

/** Returns the target of a link; undefined without one. */
export function linkAddress({ attributes: { href } }: ElementNode, page: MarkdownPage): string | undefined {
  if (href === undefined || href.trim() === "") return undefined;
  const address = resolveUrl(href, page.baseUrl);
  return address?.startsWith("data:") === true ? undefined : address;
}

const FILM_HOSTS =
  /^https?:\/\/(?:[\w-]+\.)*(?:youtube(?:-nocookie)?\.com|youtu\.be|vimeo\.com|dailymotion\.com|wistia\.(?:com|net)|loom\.com|ted\.com|twitch\.tv|bilibili\.com|soundcloud\.com|spotify\.com|rutube\.ru|tiktok\.com)\//i;

/** Files, and hosts whose frames show a document: a text, slides, a table, a chart. */
const DOCUMENT_FILE = /\.(?:pdf|epub|rtf|docx?|pptx?|xlsx?|od[tps])(?=$|[?#&])/i;
const DOCUMENT_HOSTS =
  /^https?:\/\/(?:[\w-]+\.)*(?:docs\.google\.com|drive\.google\.com|view\.officeapps\.live\.com|scribd\.com|slideshare\.net|speakerdeck\.com|issuu\.com|calameo\.com|yumpu\.com|documentcloud\.org|datawrapper\.dwcdn\.net|flo\.uri\.sh)\//i;

/**
 * Returns a frame with a film or a document, a `<video>` or an `<audio>` as a link; empty for all other frames, most of
 * which are advertisements.
 */
export function embeddedMedia(element: ElementNode, page: MarkdownPage): string {
  const address = resolveUrl(mediaSource(element), page.baseUrl);
  if (address === undefined || !/^https?:/.test(address)) return "";
  const kind = kindOfMedia(element.tag, address);
  if (kind === undefined) return "";
  const title = collapse(element.attributes["title"] ?? element.attributes["aria-label"] ?? "").trim();
  const text = title === "" ? kind : escapeDescription(title);
  return `[${text}](${escapeAddress(address)})`;
}

function kindOfMedia(tag: string, address: string): "Audio" | "Video" | "Document" | undefined {
  if (tag === "audio") return "Audio";
  if (tag !== "iframe" || FILM_HOSTS.test(address)) return "Video";
  return DOCUMENT_FILE.test(address) || DOCUMENT_HOSTS.test(address) ? "Document" : undefined;
}

function mediaSource({ attributes, children }: ElementNode): string | undefined {
  for (const name of ["src", "data-src", "data-lazy-src"])
    if (/^(?!about:)\S/.test(attributes[name] ?? "")) return attributes[name];
  const source = children.find((child) => typeof child !== "string" && child.tag === "source");
  return source === undefined || typeof source === "string" ? undefined : source.attributes["src"];
}
