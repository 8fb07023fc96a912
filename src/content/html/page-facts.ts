import { hasText } from "../text/has-text.ts";
import { type ElementNode, type HtmlTree, NO_ATTRIBUTES } from "./tree/tree.ts";

/** The input of page signals. Reading ends as soon as the page has enough text. */
export interface PageFacts {
  title: string;
  /** Visible text, up to some 5,000 characters. */
  text: string;
  /** The start of the HTML, in which page signals search for markers. */
  markup: string;
  headings: string;
  noscriptText: string;
  scripts: number;
  links: number;
  images: number;
  /** Frames that show another page, players of films left out. */
  frames: number;
  passwordFields: number;
  /** Ids (and custom element names) of empty elements that scripts may fill. */
  emptyContainers: string[];
  /** Target of a `<meta http-equiv="refresh">` within five seconds. */
  metaRefreshUrl: string | undefined;
}

const ENOUGH_TEXT = 5000;
/** Limit of a single text: some pages have megabytes in one. */
const MAX_TEXT = 20_000;
/** Longer than any address. */
const MAX_REFRESH = 4_000;
const MAX_MARKUP = 200_000;
const SILENT_TAGS = new Set([
  "script",
  "style",
  "template",
  "title",
  "svg",
  "head",
  "textarea",
  "select",
  "iframe",
  "object",
]);
const HEADINGS = new Set(["h1", "h2"]);

/** One iterative walk in document order. */
export function readPageFacts(tree: HtmlTree, html: string): PageFacts {
  const facts: PageFacts = {
    title: tree.head.title,
    text: "",
    markup: html.slice(0, MAX_MARKUP),
    headings: "",
    noscriptText: "",
    scripts: 0,
    links: 0,
    images: 0,
    frames: 0,
    passwordFields: 0,
    emptyContainers: [],
    metaRefreshUrl: refreshUrl(tree),
  };
  const nodes: (ElementNode | string)[] = [tree.root];
  /** The surroundings of each node, as the bits below. */
  const contexts: number[] = [0];
  while (facts.text.length < ENOUGH_TEXT) {
    const node = nodes.pop();
    const around = contexts.pop();
    if (node === undefined || around === undefined) break;
    if (typeof node === "string") {
      addText(facts, node, around);
      continue;
    }
    countElement(facts, node);
    const context = contextOf(node, around);
    const { children } = node;
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index];
      if (child === undefined) continue;
      nodes.push(child);
      contexts.push(context);
    }
  }
  facts.text = facts.text.replace(/\s+/g, " ").trim();
  return facts;
}

const SILENT = 1;
const NOSCRIPT = 2;
const HEADING = 4;

function contextOf({ tag, attributes }: ElementNode, around: number): number {
  if (tag === "noscript") return around | NOSCRIPT;
  if (SILENT_TAGS.has(tag) || (attributes !== NO_ATTRIBUTES && attributes["hidden"] !== undefined))
    return around | SILENT;
  return HEADINGS.has(tag) ? around | HEADING : around;
}

function addText(facts: PageFacts, text: string, context: number): void {
  if ((context & SILENT) !== 0) return;
  if ((context & NOSCRIPT) !== 0) {
    facts.noscriptText += ` ${text}`;
    return;
  }
  if ((context & HEADING) !== 0) facts.headings += ` ${text}`;
  if (hasText(text)) facts.text += ` ${text.trim().slice(0, MAX_TEXT)}`;
}

function countElement(facts: PageFacts, { tag, attributes, children }: ElementNode): void {
  if (tag === "script" && !attributes["type"]?.includes("json")) facts.scripts++;
  else if (tag === "a") facts.links++;
  else if (tag === "img" || tag === "picture" || tag === "video") facts.images++;
  else if (tag === "iframe" || tag === "frame") facts.frames += isContentFrame(attributes) ? 1 : 0;
  else if (tag === "input" && attributes["type"]?.toLowerCase() === "password") facts.passwordFields++;
  const isContainer = tag === "div" || tag === "main" || tag === "section" || tag.includes("-");
  if (!isContainer || !children.every(isBlankOrScript)) return;
  facts.emptyContainers.push(attributes["id"] ?? tag);
}

function isBlankOrScript(node: ElementNode | string): boolean {
  return typeof node === "string" ? !hasText(node) : node.tag === "script";
}

/** Frames of players, advertisements and counters hold no content for a reader. */
function isContentFrame({ src, width, height, style }: Readonly<Record<string, string>>): boolean {
  if (src === undefined || !/^(?:https?:)?\/|^[\w.]/.test(src) || /^(?:about|javascript|data):/.test(src)) return false;
  const isTiny =
    /^[01](?:px)?$/.test(width ?? "") || /^[01](?:px)?$/.test(height ?? "") || /display\s*:\s*none/.test(style ?? "");
  return (
    !isTiny &&
    !/youtube|vimeo|dailymotion|googletagmanager|doubleclick|recaptcha|maps\.google|google\.com\/maps/.test(src)
  );
}

/** `<meta http-equiv="refresh" content="0; url=/next">` (HTML § 4.2.5.3). */
function refreshUrl(tree: HtmlTree): string | undefined {
  const meta = tree.head.metas.find((candidate) => candidate["http-equiv"]?.toLowerCase() === "refresh");
  return refreshTarget(meta?.["content"]);
}

/** Returns the address of a `Refresh` header, or of an element that takes its place, that moves a reader at once. */
export function refreshTarget(value = ""): string | undefined {
  const match = /^\s*(\d+)(?:\.[\d.]*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(value.slice(0, MAX_REFRESH));
  return match !== null && Number(match[1]) <= 5 ? match[2] : undefined;
}
