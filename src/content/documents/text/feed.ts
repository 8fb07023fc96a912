import { VOID_TAGS } from "../../html/tree/tag-rules.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { decodeBody } from "../../text/charset.ts";
import type { RichContent } from "../document-content.ts";
import { escapeHtml, link, wrap } from "../html/html-text.ts";
import { textOfHtml } from "./text-of-html.ts";
import type { XmlElement, XmlNode } from "../containers/xml-tree.ts";
import { childElement, childElements, findElement, parseXml, textOf, walkElements } from "../containers/xml-tree.ts";

const MAX_ITEMS = 500;
/** Number of names for which the children of an item are searched. */
const LOOKS_PER_ITEM = 60;
/** Characters that are written in the time of a step. */
const CHARS_PER_STEP = 16;

/** Elements that tell what a feed is about. */
const ABOUT = [
  "description",
  "subtitle",
  "tagline",
  "dc:description",
  "abstract",
  "itunes:summary",
  "itunes:subtitle",
  "media:description",
];

/**
 * Reads a feed, RSS 2.0, RSS 1.0, Atom (RFC 4287) or the Channel Definition Format, well-formed or not: a heading with the feed's
 * name, then for each item a heading, its date and author, its content, its categories and its rights where they are not those of the feed,
 * which end the text. Items that the budget does not allow are left out.
 */
export function readFeed(bytes: Uint8Array, contentType: string | undefined, budget: WorkBudget): RichContent {
  const root = withKnownNames(parseXml(decodeBody(bytes, contentType).text, budget));
  // In RSS 1.0 the items are siblings of the channel.
  budget.take(LOOKS_PER_ITEM * root.children.length);
  const channel = findElement(root, "channel") ?? findElement(root, "feed") ?? root;
  const all = takeItems(root);
  const title = titleOf(channel);
  const about = ABOUT.map((name) => childElement(channel, name)).find((each) => plainText(each) !== "");
  const href = linkOf(channel);
  const rights = rightsOf(channel);
  const items = writeItems(all.slice(0, MAX_ITEMS), rights, budget);
  const html = [
    wrap("h1", link(href, escapeHtml(title === "" ? (href ?? "") : title))),
    wrap("p", escapeHtml(plainText(about))),
    ...items,
    rightsToHtml(rights),
  ];
  return {
    html: html.join("\n"),
    metadata: metadataOf(channel, title, plainText(about)),
    ...(all.length > items.length ? { warning: `The feed was cut after ${MAX_ITEMS} of ${all.length} items.` } : {}),
  };
}

/**
 * Returns the items in document order, those named `entry` last. An item without an end contains those that follow: they
 * are taken out of it, as its text would else be written again with each of them.
 */
function takeItems(root: XmlElement): XmlElement[] {
  const items: XmlElement[] = [];
  const entries: XmlElement[] = [];
  const isItem = (node: XmlNode): boolean =>
    typeof node !== "string" && (node.name === "item" || node.name === "entry");
  const open = [{ element: root, inItem: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element } = next;
    if (element.name === "item") items.push(element);
    else if (element.name === "entry") entries.push(element);
    const inItem = next.inItem || isItem(element);
    for (const child of element.children.toReversed())
      if (typeof child !== "string") open.push({ element: child, inItem });
    if (inItem && element.children.some(isItem)) element.children = element.children.filter((child) => !isItem(child));
  }
  return [...items, ...entries];
}

/** Returns the items as HTML, as far as the budget goes. */
function writeItems(items: readonly XmlElement[], rightsOfFeed: string, budget: WorkBudget): string[] {
  const written: string[] = [];
  for (const item of items) {
    if (!budget.take(LOOKS_PER_ITEM * (1 + item.children.length))) break;
    const html = itemToHtml(item, rightsOfFeed);
    written.push(html);
    budget.take(html.length / CHARS_PER_STEP);
  }
  if (budget.isSpent) budget.cut("the items of the feed");
  return written;
}

function itemToHtml(item: XmlElement, rightsOfFeed: string): string {
  const title = titleOf(item);
  const href = linkOf(item);
  const heading = title === "" ? escapeHtml(href ?? "") : escapeHtml(title);
  const rights = rightsOf(item);
  const facts = [dateOf(item), authorOf(item)].filter((fact) => fact !== "").map(escapeHtml);
  return [
    wrap("h2", link(href, heading)),
    wrap("p", facts.join(" · ")),
    contentOf(item),
    enclosuresOf(item),
    categoriesOf(item),
    rights === rightsOfFeed ? "" : rightsToHtml(rights),
  ].join("");
}

/** Returns the title, also of Dublin Core, a podcast or a picture. */
function titleOf(parent: XmlElement): string {
  const names = ["title", "dc:title", "itunes:title", "media:title"];
  return names.map((name) => plainText(childElement(parent, name))).find((text) => text !== "") ?? "";
}

function linkOf(parent: XmlElement): string | undefined {
  const elements = childElements(parent, "link");
  const alternate = elements.find(
    ({ attributes }) => attributes.href !== undefined && (attributes.rel ?? "alternate") === "alternate",
  );
  const text = elements.map((each) => textOf(each).trim()).find((each) => each !== "");
  const guid = childElement(parent, "guid");
  const permalink = guid?.attributes.isPermaLink === "false" ? undefined : textOf(guid).trim();
  const links = [alternate?.attributes.href?.trim(), text, parent.attributes.href];
  const first = (addresses: readonly (string | undefined)[], form: RegExp): string | undefined =>
    addresses.find((each) => each !== undefined && form.test(each));
  // A permalink that is no address names the item in a way of its own.
  return first([...links, permalink], ABSOLUTE) ?? first(links, RELATIVE);
}

/** An address of the web, with its host or from the root of the feed's. */
const ABSOLUTE = /^(?:https?:|\/)/i;
/** An address relative to the feed. */
const RELATIVE = /^(?![a-z][a-z\d+.-]*:)\S+$/i;

function dateOf(item: XmlElement): string {
  const names = [
    "pubDate",
    "published",
    "updated",
    "dc:date",
    "dcterms:issued",
    "dcterms:created",
    "dcterms:modified",
    "issued",
    "modified",
    "created",
    "lastmod",
    "lastBuildDate",
  ];
  const text =
    names.map((name) => textOf(childElement(item, name)).trim()).find((each) => each !== "") ??
    item.attributes.lastmod ??
    "";
  const time = Date.parse(text);
  return Number.isNaN(time)
    ? text
    : new Date(time)
        .toISOString()
        .replace(/T00:00:00\.000Z$|:\d\d\.\d{3}Z$/, "")
        .replace("T", " ");
}

/** Elements that name who wrote a text, or else who helped to. */
const AUTHORS = [
  "author", "dc:creator", "dc:author", "itunes:author", "managingEditor", "contributor", "dc:contributor", "media:credit", "dc:publisher",
]; // prettier-ignore

/** Returns the names of the authors: those of the first kind of element that names any. */
function authorOf(item: XmlElement): string {
  for (const name of AUTHORS) {
    const names = childElements(item, name).map((author) =>
      plainText(childElement(author, "name") ?? childElement(author, "email") ?? author),
    );
    const known = [...new Set(names.filter((text) => text !== ""))];
    if (known.length > 0) return known.join(", ");
  }
  return "";
}

/** Elements with the text of an item, in formats of several years. */
const CONTENTS = [
  "content:encoded",
  "content",
  "description",
  "summary",
  "dc:description",
  "abstract",
  "fullitem",
  "xhtml:body",
  "body",
  "media:description",
  "itunes:summary",
  "itunes:subtitle",
];

/** Returns the longest text of an item, as HTML. */
function contentOf(item: XmlElement): string {
  const group = childElement(item, "media:group");
  const elements = [
    ...CONTENTS.map((name) => childElement(item, name)),
    group && childElement(group, "media:description"),
  ];
  const html = elements.map(richText);
  return html.toSorted((a, b) => b.length - a.length)[0] ?? "";
}

/**
 * Returns text that is HTML in escaped form or in a CDATA section, HTML elements of an Atom construct, or plain text.
 */
function richText(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  if (element.attributes.type === "xhtml" || childElements(element).length > 0) return toHtml(element);
  const text = ownText(element).trim();
  const isHtml = element.attributes.type !== "text" && /<\/?[a-z][^<>]*>|&(#?\w{1,40});/i.test(text);
  return isHtml ? `<div>${text}</div>` : wrap("p", escapeHtml(text).replace(/\n{2,}/g, "</p><p>"));
}

/** Writes elements of an XML tree back as HTML. */
function toHtml(element: XmlElement): string {
  return element.children
    .map((child) => {
      if (typeof child === "string") return escapeHtml(child);
      const attributes = Object.entries(child.attributes).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
      const end = VOID_TAGS.has(child.name) ? "" : `</${child.name}>`;
      return `<${child.name}${attributes.join("")}>${toHtml(child)}${end}`;
    })
    .join("");
}

function enclosuresOf(item: XmlElement): string {
  const enclosures = [
    ...childElements(item, "enclosure"),
    ...childElements(item, "link").filter(({ attributes }) => attributes.rel === "enclosure"),
  ];
  const links = enclosures.map(({ attributes }) => {
    const href = attributes.url ?? attributes.href ?? "";
    return link(href, escapeHtml(attributes.title ?? attributes.type ?? href));
  });
  return wrap("p", links.filter((each) => each !== "").join("<br>"));
}

const RIGHTS = ["rights", "copyright", "dc:rights", "media:copyright"];

function rightsOf(parent: XmlElement): string {
  return RIGHTS.map((name) => plainText(childElement(parent, name))).find((text) => text !== "") ?? "";
}

function rightsToHtml(rights: string): string {
  return rights === "" ? "" : `<p>Rights: ${escapeHtml(rights)}</p>`;
}

const MAX_CATEGORIES = 30;

/** Returns the categories of an item, by their label where they have one. */
function categoriesOf(item: XmlElement): string {
  const elements = ["category", "dc:subject", "itunes:category", "media:category"].flatMap((name) =>
    childElements(item, name),
  );
  const names = elements.map((element) => {
    const { label, term, text } = element.attributes;
    return label ?? term ?? text ?? plainText(element);
  });
  const known = [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))];
  return known.length === 0 ? "" : `<p>Categories: ${escapeHtml(known.slice(0, MAX_CATEGORIES).join(", "))}</p>`;
}

/** Names of elements by their lower-case form: feeds of the Channel Definition Format have capitals, and some others too. */
const KNOWN_NAMES = new Map(
  [
    "rss", "channel", "feed", "item", "entry", "title", "link", "guid", "pubDate", "lastBuildDate", "managingEditor", "lastmod", "author",
    "category", "enclosure", "language", "published", "updated", "content", "summary", "subtitle", ...ABOUT, ...CONTENTS, ...RIGHTS,
  ].map((name) => [name.toLowerCase(), name]),
); // prettier-ignore

/** Writes names of elements as this reader knows them; attributes of channels and items are in lower case then. */
function withKnownNames(root: XmlElement): XmlElement {
  for (const element of walkElements(root)) {
    const lower = element.name.toLowerCase();
    const known = KNOWN_NAMES.get(lower);
    if (known === undefined || known === element.name) continue;
    element.name = known;
    if (lower !== "channel" && lower !== "item") continue;
    const attributes = Object.entries(element.attributes).map(([name, value]) => [name.toLowerCase(), value] as const);
    element.attributes = Object.fromEntries(attributes);
  }
  return root;
}

/** Returns the text of an element, decoded where it is in base64 (`mode` of Atom 0.3, or a type that is no text). */
function ownText(element: XmlElement | undefined): string {
  const text = textOf(element);
  const { mode, type = "" } = element?.attributes ?? {};
  if (mode !== "base64" && !/^application\/(?!.*xml)/i.test(type)) return text;
  const packed = text.replace(/\s+/g, "");
  if (packed.length % 4 !== 0 || !/^[A-Za-z\d+/]+={0,2}$/.test(packed)) return text;
  return new TextDecoder().decode(Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0)));
}

/** Returns a plain title; some are sent as escaped HTML, also in Atom, where the type is to say so. */
function plainText(element: XmlElement | undefined): string {
  const text = ownText(element);
  const plain = element?.attributes.type === "text" ? text : textOfHtml(text);
  return plain.replace(/\s+/g, " ").trim();
}

function metadataOf(channel: XmlElement, title: string, description: string): Record<string, string> {
  const language =
    textOf(childElement(channel, "language") ?? childElement(channel, "dc:language")).trim() ||
    (channel.attributes["xml:lang"] ?? "");
  const rights = rightsOf(channel);
  const named = { title, description, language, author: authorOf(channel), modifiedTime: dateOf(channel), rights };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== ""));
}
