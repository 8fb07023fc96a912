import type { WorkBudget } from "../../../core/work-budget.ts";
import { decodePercent } from "../../../core/url/decode-percent.ts";
import type { ElementNode } from "../../html/tree/tree.ts";
import { resolveUrl } from "../../html/resolve-url.ts";
import { textFact, type Fact, type FactGroup, type FactRecord } from "../facts.ts";
import { isLabel, readDefinitions, readPair } from "./labelled-text.ts";
import { childElements, descendants, factOf, isSilent, namesOf, readableText } from "../readable-text.ts";
import { readCurrency } from "../schema/values.ts";

const MIN_CARDS = 2;
const MAX_CARDS = 1_000;
const MAX_CARD_CHARS = 1_500;
/** Labels that most cards of a row must share. */
const MIN_SHARED = 2;
const CARD_TAGS = new Set("article li div section a tr dl tbody details figure".split(" "));
const HEADINGS = /^h[1-6]$/;
const PRICE = /(?:[$€£¥₹￥]|\b(?:EUR|USD|GBP|CHF)\b)\s*\d|\d[\d.,\s]*(?:€|£|円|zł|Kč|kr\b|EUR\b|USD\b|CHF\b|PLN\b)/;

/** A row of like elements, with their records in the order of the page. */
export interface Cards extends FactGroup {
  members: ElementNode[];
}

/**
 * Returns the cards among the children of an element: at least two siblings of one shape with the same kinds of facts.
 */
export function readCards(parent: ElementNode, options: CardOptions): Cards[] {
  const shapes = new Map<string, ElementNode[]>();
  for (const child of childElements(parent)) {
    if (!CARD_TAGS.has(child.tag) || isSilent(child)) continue;
    const shape = `${child.tag} ${shapeClass(child)}`;
    const known = shapes.get(shape);
    if (known === undefined) shapes.set(shape, [child]);
    else if (known.length < MAX_CARDS) known.push(child);
  }
  return [...shapes.values()].flatMap((members) => toCards(parent, members, options) ?? []);
}

/** Returns the first class, without those that distinguish one of the row, such as `odd` or `is-active`. */
function shapeClass({ attributes }: ElementNode): string {
  const classes = (attributes["class"] ?? "").split(/\s+/);
  const shape = classes.find((label) => !/^(?:odd|even|first|last|active|is-|has-)/.test(label));
  return (shape ?? "").replace(/(?:[-_]|(?<!\d))\d+$/, "");
}

export interface CardOptions {
  baseUrl: string;
  budget: WorkBudget;
  /** Number of times that each element has been read as a part of a card. */
  readings: Map<ElementNode, number>;
}

function toCards(parent: ElementNode, members: ElementNode[], options: CardOptions): Cards | undefined {
  const { baseUrl } = options;
  if (members.length < MIN_CARDS) return undefined;
  const lengths = members.map((member) => readableText(member).length);
  if (lengths.reduce((sum, length) => sum + length, 0) / members.length > MAX_CARD_CHARS) return undefined;
  // Labels and values in a row are facts of one thing, not things.
  const pairs = members.filter((member) => readPair(member, baseUrl) !== undefined).length;
  if (pairs > members.length / 2) return undefined;
  const records = members.map((member) => readCard(member, options));
  const shared = sharedLabels(records);
  if (shared.length < MIN_SHARED) return undefined;
  const labels = [...namesOf(parent), ...namesOf(members[0] ?? parent)];
  return { labels, records: records.filter(({ facts }) => facts.length >= MIN_SHARED), members };
}

/** Returns the labels that two thirds of the records have. */
function sharedLabels(records: FactRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const { facts } of records) {
    for (const label of new Set(facts.map((fact) => fact.label))) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].filter(([, held]) => held >= Math.max(2, (records.length * 2) / 3)).map(([label]) => label);
}

/** Reads the parts of a card: heading, link, picture, time, price, classes, labelled text. */
function readCard(card: ElementNode, options: CardOptions): FactRecord {
  const { baseUrl } = options;
  const facts: Fact[] = [];
  const known = new Set<string>();
  const add = (fact: Fact): void => {
    const isFull = fact.value.kind !== "text" || fact.value.text !== "" || fact.value.href !== undefined;
    const key = `${fact.label}\n${textOfFact(fact.value)}`;
    if (!isFull || known.has(key)) return;
    known.add(key);
    facts.push(fact);
  };
  const parts = allBelow(card, options);
  const heading = parts.find(({ tag }) => HEADINGS.test(tag));
  const link =
    card.tag === "a"
      ? card
      : (linkIn(heading) ?? parts.find(({ tag, attributes }) => tag === "a" && attributes["href"] !== undefined));
  if (heading !== undefined) add({ label: "name", value: factOf(heading, baseUrl), source: "card" });
  else if (link !== undefined && link !== card && readableText(link) !== "")
    add({ label: "name", value: factOf(link, baseUrl), source: "heading" });
  const href = resolveUrl(link?.attributes["href"], baseUrl);
  if (href !== undefined && !/^(?:mailto|tel):/.test(href))
    add({ label: "url", value: textFact(href, { href }), source: "card" });
  for (const [attribute, value] of Object.entries(card.attributes)) {
    if (/^data-[a-z-]{2,30}$/.test(attribute) && value !== "" && value.length < 200)
      add({ label: attribute.slice(5), value: textFact(value, { machine: value }), source: "markup" });
  }
  for (const part of parts) for (const fact of factsOfPart(part, baseUrl)) add(fact);
  return { kind: "record", source: "card", types: [], facts };
}

/** Cache: a part has the same facts in each of the cards around it. */
const factsOfParts = new WeakMap<ElementNode, readonly Fact[]>();

function factsOfPart(part: ElementNode, baseUrl: string): readonly Fact[] {
  const known = factsOfParts.get(part);
  if (known !== undefined) return known;
  const facts: Fact[] = [];
  readPart(part, { add: (fact) => void facts.push(fact), baseUrl });
  factsOfParts.set(part, facts);
  return facts;
}

interface PartReading {
  add(fact: Fact): void;
  baseUrl: string;
}

function readPart(part: ElementNode, { add, baseUrl }: PartReading): void {
  const { tag, attributes } = part;
  const text = readableText(part);
  const children = childElements(part);
  if (tag === "img") return add({ label: "image", value: factOf(part, baseUrl), source: "card" });
  if (tag === "time") add({ label: "date", value: factOf(part, baseUrl), source: "card" });
  if (tag === "dl") for (const fact of readDefinitions(part, baseUrl)) add(fact);
  if (tag === "a" && attributes["href"]?.startsWith("mailto:") === true)
    add({ label: "email", value: textFact(addressOf(attributes["href"])), source: "card" });
  if (tag === "a" && attributes["href"]?.startsWith("tel:") === true)
    add({ label: "phone", value: textFact(text || addressOf(attributes["href"])), source: "card" });
  if (tag === "ul" || tag === "ol") return readListOf(part, { add, baseUrl });
  if (text === "" || text.length > 400 || tag === "dl" || tag === "dt" || tag === "dd") return;
  const pair = readPair(part, baseUrl);
  if (pair !== undefined) return add(pair);
  for (const label of namesOf(part)) {
    const called = lastName(label);
    if (isLabel(called)) add({ label: called, value: factOf(part, baseUrl), source: "markup" });
  }
  const isLeaf = children.every(
    ({ tag: inner }) => inner === "span" || inner === "b" || inner === "strong" || inner === "small",
  );
  if (
    isLeaf &&
    text.length < 40 &&
    PRICE.test(text) &&
    readCurrency(text) !== undefined &&
    tag !== "del" &&
    tag !== "s"
  ) {
    add({ label: "price", value: textFact(text), source: "text" });
  }
  if (tag === "p" && text.length > 40) add({ label: "description", value: textFact(text), source: "text" });
}

/** Reads a list in a card: its name from its class, and its entries. Lists of labels and values are read elsewhere. */
function readListOf(list: ElementNode, { add, baseUrl }: PartReading): void {
  const entries = childElements(list).filter(({ tag }) => tag === "li");
  if (entries.length < 2 || entries.some((entry) => readPair(entry, baseUrl) !== undefined)) return;
  const items = entries.map((entry) => factOf(entry, baseUrl));
  for (const label of [...namesOf(list).map(lastName), "features"]) {
    if (isLabel(label)) add({ label, value: { kind: "list", items }, source: "markup" });
  }
}

/** Returns the last part of a class name: `product-card__price` and `productPrice--large` become `price`. */
export function lastName(label: string): string {
  const element = label.replace(/--.*$/, "").split("__").at(-1) ?? label;
  return element
    .replace(/^(?:js|c|o|u|l|m|is|has)-/, "")
    .replaceAll(/[-_]+/g, " ")
    .replace(/^(?:card|item|product|listing|event|job|post|entry|result|row|list|tile|box)s? (?=\w)/, "");
}

/** Maximum number of elements of a card that are examined. */
const MAX_PARTS = 30_000;
/**
 * Maximum number of readings of one element: nested cards are read once each, with all of their contents; real ones are
 * a few levels deep.
 */
const MAX_READINGS = 12;

function allBelow(card: ElementNode, { budget, readings }: CardOptions): ElementNode[] {
  const all: ElementNode[] = [];
  const stack = childElements(card).toReversed();
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    const times = readings.get(element) ?? 0;
    if (times >= MAX_READINGS || isSilent(element)) continue;
    if (all.length >= MAX_PARTS) break;
    readings.set(element, times + 1);
    if (!budget.take()) {
      budget.cut("structured data");
      break;
    }
    all.push(element);
    for (const child of childElements(element).toReversed()) stack.push(child);
  }
  return all;
}

function linkIn(element: ElementNode | undefined): ElementNode | undefined {
  if (element === undefined) return undefined;
  const inside = descendants(element, ({ tag }) => tag === "a")[0];
  return inside ?? (element.parent?.tag === "a" ? element.parent : undefined);
}

export function addressOf(href = ""): string {
  return decodePercent(href.replace(/^(?:mailto|tel):/, "").split("?")[0] ?? "");
}

function textOfFact(value: Fact["value"]): string {
  return value.kind === "text" ? value.text : "";
}
