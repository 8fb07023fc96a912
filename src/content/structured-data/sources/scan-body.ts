import { WorkBudget } from "../../../core/work-budget.ts";
import type { ElementNode } from "../../html/tree/tree.ts";
import { addressOf, lastName, readCards, type CardOptions, type Cards } from "./cards.ts";
import { readByline, readLabelledAuthor } from "../authors.ts";
import { textFact, type Fact, type FactGroup, type FactText } from "../facts.ts";
import { isLabel, readDefinitions, readLines, readPair, trimLabel } from "./labelled-text.ts";
import {
  blocksIn,
  childElements,
  descendants,
  factOf,
  isSilent,
  looksFor,
  namesOf,
  readableText,
} from "../readable-text.ts";
import { PhoneNumbers } from "./phone-numbers.ts";
import { readTable, showsCode } from "./tables.ts";

const HEADINGS = /^h[1-6]$/;
const MAX_SECTION_CHARS = 2_000;
const MAX_ELEMENTS = 60_000;
const PAIR_TAGS = new Set("p li div span section td address header h2 h3 h4 figcaption footer small".split(" "));
/** Cards from which on a row is about other things: a related product is not what the page is about. */
const MIN_FOREIGN_CARDS = 3;
/** Elements after the title within which a byline belongs to it. */
const BYLINE_ELEMENTS = 120;
const MAX_TITLES = 20;

export interface BodyFacts {
  facts: Fact[];
  /** Texts of the headings of the first level. */
  headings: string[];
  groups: FactGroup[];
}

/** Reads the visible part of a page: labels, lists and texts below headings, tables, cards, contacts. */
export function scanBody(root: ElementNode, baseUrl: string, budget: WorkBudget = new WorkBudget()): BodyFacts {
  const scan = new Scan(baseUrl, budget);
  scan.walk(root);
  return { facts: scan.facts, headings: scan.headings, groups: scan.groups };
}

interface Place {
  isForeign: boolean;
  isSurrounding: boolean;
  depth: number;
  /** The next element in the same parent. */
  next: ElementNode | undefined;
}

class Scan {
  readonly facts: Fact[] = [];
  readonly headings: string[] = [];
  readonly groups: FactGroup[] = [];
  readonly #baseUrl: string;
  #heading = "";
  #section: string[] = [];
  readonly #budget: WorkBudget;
  readonly #entries = new Entries();
  readonly #cards: CardOptions;
  #left = MAX_ELEMENTS;
  #hasTitle = false;
  readonly #phones = new PhoneNumbers();
  /** Elements until which a byline is the author of the page; 0 after the first. */
  #bylineUntil = MAX_ELEMENTS;

  constructor(baseUrl: string, budget: WorkBudget) {
    this.#baseUrl = baseUrl;
    this.#budget = budget;
    this.#cards = { baseUrl, budget, readings: new Map() };
  }

  walk(root: ElementNode): void {
    this.#visit(root, { isForeign: false, isSurrounding: false, depth: 0, next: undefined });
    this.#endSection();
    const phone = this.#phones.main();
    if (phone !== undefined) this.#add("phone", textFact(phone), "text");
  }

  #visit(element: ElementNode, place: Place): void {
    if (this.#left-- <= 0 || place.depth > 300) return;
    if (!this.#budget.take()) return this.#budget.cut("structured data");
    if (isSilent(element) || element.tag === "nav") return;
    if (!this.#budget.take(looksFor(element))) return this.#budget.cut("structured data");
    const { tag } = element;
    if (element.children.some((child) => typeof child === "string")) this.#phones.add(readableText(element));
    if (HEADINGS.test(tag)) this.#takeHeading(element, place.isForeign);
    if (tag === "table" && this.#takeTable(element)) return;
    if (tag === "dl") this.#takeDefinitions(element, place.isForeign);
    if ((tag === "ul" || tag === "ol") && !place.isForeign) this.#takeList(element);
    if (!place.isForeign) this.#takeText(element, place);
    const cards = readCards(element, this.#cards);
    const isSurrounding = place.isSurrounding || surrounds(element);
    for (const group of cards) this.#takeCards(group, isSurrounding);
    const children = childElements(element);
    const foreign = new Set(cards.flatMap(({ members }) => (members.length >= MIN_FOREIGN_CARDS ? members : [])));
    for (const [index, child] of children.entries()) {
      const isForeign = place.isForeign || foreign.has(child);
      this.#visit(child, { isForeign, isSurrounding, depth: place.depth + 1, next: children[index + 1] });
    }
  }

  #takeHeading(element: ElementNode, isForeign: boolean): void {
    this.#endSection();
    // The sign of a link to the heading is not a part of it.
    const text = readableText(element).replace(/(?<!\s)\s*[¶🔗]$/u, "");
    if (element.tag === "h1" && text !== "") {
      if (this.headings.length < MAX_TITLES) this.headings.push(text);
      if (!this.#hasTitle && this.#bylineUntil > 0) this.#bylineUntil = MAX_ELEMENTS - this.#left + BYLINE_ELEMENTS;
      this.#hasTitle = true;
    }
    if (!isForeign) this.#heading = trimLabel(text);
  }

  /** @returns false for a table without facts that is no listing: one that lays out a page, whose cells are parts of the page */
  #takeTable(table: ElementNode): boolean {
    const { facts, group } = readTable(table, { baseUrl: this.#baseUrl, heading: this.#heading });
    this.facts.push(...facts);
    const hasRecords = group !== undefined && group.records.length > 0;
    if (hasRecords) this.groups.push(group);
    return facts.length > 0 || hasRecords || showsCode(table);
  }

  #takeDefinitions(list: ElementNode, isForeign: boolean): void {
    if (!isForeign) this.facts.push(...readDefinitions(list, this.#baseUrl));
  }

  /** Reads a list; one below a heading is the heading's value: ingredients, requirements. */
  #takeList(list: ElementNode): void {
    const items = this.#entries.of(list).map((item) => factOf(item, this.#baseUrl));
    const texts = items.filter(({ text }) => text !== "");
    if (texts.length === 0) return;
    const labels = [this.#heading, ...namesOf(list).map(lastName)];
    for (const label of labels) {
      if (isLabel(label))
        this.facts.push({
          label,
          value: { kind: "list", items: texts },
          source: label === this.#heading ? "labels" : "markup",
        });
    }
  }

  #takeCards({ labels, records }: Cards, isSurrounding: boolean): void {
    const called = [this.#heading, ...labels].filter((label) => label !== "");
    this.groups.push({ labels: called, records, ...(isSurrounding ? { isSurrounding } : {}) });
  }

  #takeText(element: ElementNode, { next }: Pick<Place, "next">): void {
    const { tag, attributes } = element;
    const text = readableText(element);
    if (text === "") return this.#takePicture(element);
    this.#takeByline(element, next);
    if (tag === "p" && text.length <= MAX_SECTION_CHARS) this.#section.push(text);
    if (tag === "a") this.#takeLink(element, text);
    if (tag === "address") this.#add("address", factOf(element, this.#baseUrl), "markup");
    if (tag === "time") this.#add("date", factOf(element, this.#baseUrl), "markup");
    if (tag === "blockquote" || text.length > MAX_SECTION_CHARS) return;
    if (PAIR_TAGS.has(tag)) {
      const lines = readLines(element, this.#baseUrl);
      const pair = lines.length > 0 ? undefined : readPair(element, this.#baseUrl);
      this.facts.push(...lines, ...(pair === undefined ? [] : [pair]));
      if (pair !== undefined) return;
    }
    if (text.length > 300) return;
    const { rel, itemprop } = attributes;
    if (rel !== undefined && /\bauthor\b/.test(rel)) this.#add("author", factOf(element, this.#baseUrl), "markup");
    if (itemprop !== undefined || tag === "body" || tag === "main" || HEADINGS.test(tag)) return;
    // A part of the page with nested blocks is more than one value.
    if (blocksIn(element) > 1) return;
    for (const label of namesOf(element)) {
      const called = lastName(label);
      if (isLabel(called)) this.#add(called, factOf(element, this.#baseUrl), "markup");
    }
  }

  /** Takes the first byline below the title. */
  #takeByline(element: ElementNode, next: ElementNode | undefined): void {
    if (this.#bylineUntil === 0) return;
    const isNear = this.#hasTitle && MAX_ELEMENTS - this.#left <= this.#bylineUntil;
    const byline = (isNear ? readByline(element) : undefined) ?? readLabelledAuthor(element, next);
    if (byline === undefined) return;
    this.#bylineUntil = 0;
    this.#add("author", textFact(byline), "markup");
    if (!/updated|aktualisiert|mis à jour/i.test(byline)) this.#add("date published", textFact(byline), "text");
  }

  #takePicture(element: ElementNode): void {
    if (element.tag !== "img") return;
    const picture = factOf(element, this.#baseUrl);
    if (picture.href === undefined) return;
    for (const label of namesOf(element))
      if (!PICTURE.test(lastName(label))) this.#add(lastName(label), picture, "markup");
    if (showsSubject(element, picture.href)) this.#add("image", picture, "markup");
  }

  #takeLink(element: ElementNode, text: string): void {
    const { href = "" } = element.attributes;
    if (href.startsWith("mailto:")) this.#add("email", textFact(addressOf(href), { href }), "labels");
    if (href.startsWith("tel:")) this.#add("phone", textFact(/\d{3}/.test(text) ? text : addressOf(href)), "labels");
  }

  #add(label: string, value: FactText, source: Fact["source"]): void {
    if (label !== "" && this.facts.length < 5_000) this.facts.push({ label, value, source });
  }

  /** Adds the paragraphs below a heading that is a label. */
  #endSection(): void {
    const text = this.#section.join(" ");
    this.#section = [];
    if (text === "" || text.length > MAX_SECTION_CHARS || !isLabel(this.#heading)) return;
    this.facts.push({ label: this.#heading, value: textFact(text), source: "markup" });
  }
}

const SURROUNDING = /^(?:(?:site|page|global|main)[-_]?)?(?:footer|nav|navbar|navigation|breadcrumbs?|mega-?menu)$/i;

/** Reports whether an element is the foot of the page or a navigation. */
function surrounds(element: ElementNode): boolean {
  const { tag, attributes, parent } = element;
  if (tag === "footer") return parent?.tag !== "article" && parent?.tag !== "section";
  if (/^(?:contentinfo|navigation|banner|menubar)$/.test(attributes["role"] ?? "")) return true;
  return namesOf(element).some((name) => SURROUNDING.test(name));
}

/** Classes that any picture has. */
const PICTURE = /(?:^| )(?:img|image|photo|picture|thumbnail|foto|bild)s?(?: |$)/i;
const MAIN_PICTURE = /\b(?:main|hero|product|cover|primary|featured|portrait|photo)\b/i;
const ORNAMENT = /\b(?:fit-cover|logo|icon|avatar|sprite|placeholder|spacer|blank|pixel|badge|banner)\b/i;

/** Reports whether a picture's classes call it the page's main one, and neither they nor its address an ornament. */
function showsSubject(element: ElementNode, href: string): boolean {
  const names = namesOf(element).join(" ");
  const path = href.replace(/^[^#?]*\/\/[^/]*/, "").replaceAll(/[_.]/g, " ");
  return MAIN_PICTURE.test(names) && !ORNAMENT.test(`${names} ${path}`);
}

/** A longer list is not one that a property asks for. */
const MAX_ENTRIES = 1_000;

/** Finds the entries of lists that hold no list themselves: of a list in parts, the entries of the parts. */
class Entries {
  readonly #known = new Map<ElementNode, readonly ElementNode[]>();

  of(list: ElementNode): readonly ElementNode[] {
    const known = this.#known.get(list);
    if (known !== undefined) return known;
    const entries: ElementNode[] = [];
    for (const entry of descendants(list, ({ tag }) => tag === "li")) {
      if (entries.length >= MAX_ENTRIES) break;
      const inner = this.of(entry);
      if (inner.length > 1) entries.push(...inner);
      else entries.push(entry);
    }
    this.#known.set(list, entries);
    return entries;
  }
}
