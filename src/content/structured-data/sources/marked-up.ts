import { WorkBudget } from "../../../core/work-budget.ts";
import type { ElementNode } from "../../html/tree/tree.ts";
import { factOf, looksForFact } from "../readable-text.ts";
import type { Fact, FactRecord, FactSource } from "../facts.ts";

/** The attributes by which a syntax marks things, their types and their properties. */
interface Syntax {
  source: FactSource;
  /** Returns the types of the thing that an element begins; undefined when it begins none. */
  typesOf(element: ElementNode): string[] | undefined;
  propertiesOf(element: ElementNode): string[];
}

const lastPart = (type: string): string => type.replace(/^.*[:/#]/, "");
const split = (text: string | undefined): string[] => (text ?? "").split(/\s+/).filter((part) => part !== "");

/** The rest of a longer list of types or properties is not read: an element is read anew by each reference to it. */
const MAX_NAMES = 50;
const MAX_NAMES_CHARS = 5_000;
const namesIn = (text: string | undefined): string[] => split(text?.slice(0, MAX_NAMES_CHARS)).slice(0, MAX_NAMES);

/** Microdata (HTML § 5). */
const MICRODATA: Syntax = {
  source: "microdata",
  typesOf: ({ attributes }) =>
    attributes["itemscope"] === undefined ? undefined : namesIn(attributes["itemtype"]).map(lastPart),
  propertiesOf: ({ attributes }) => namesIn(attributes["itemprop"]).map(lastPart),
};

/** RDFa Lite 1.1: `typeof` and `property`. Open Graph's properties are in the head and are read there. */
const RDFA: Syntax = {
  source: "rdfa",
  typesOf: ({ attributes }) =>
    attributes["typeof"] === undefined ? undefined : namesIn(attributes["typeof"]).map(lastPart),
  propertiesOf: ({ attributes }) =>
    namesIn(attributes["property"])
      .filter((label) => !/^(?:og|article|twitter|fb|book|product):/.test(label))
      .map(lastPart),
};

/** Returns the records in a page's mark-up; as many as the budget allows. */
export function readMarkedUp(root: ElementNode, baseUrl: string, budget: WorkBudget = new WorkBudget()): FactRecord[] {
  return [MICRODATA, RDFA].flatMap((syntax) => new Reading(syntax, { root, baseUrl, budget }).records());
}

/** Returns the elements that others refer to, for microdata's `itemref`. */
function idsOf(root: ElementNode): { ids: Map<string, ElementNode>; count: number } {
  const ids = new Map<string, ElementNode>();
  const stack = [root];
  let count = 0;
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    count++;
    const id = element.attributes["id"];
    if (id !== undefined && !ids.has(id)) ids.set(id, element);
    for (const child of element.children) if (typeof child !== "string") stack.push(child);
  }
  return { ids, count };
}

const MAX_DEPTH = 200;
/** Number of elements that may be read through references, in addition to a multiple of the page's elements. */
const MIN_REFERRED = 1_000;
const REFERRED_PER_ELEMENT = 4;

interface Place {
  depth: number;
  isReferred: boolean;
}

class Reading {
  readonly #syntax: Syntax;
  readonly #root: ElementNode;
  readonly #baseUrl: string;
  readonly #budget: WorkBudget;
  readonly #ids: ReadonlyMap<string, ElementNode>;
  readonly #top: FactRecord[] = [];
  readonly #referred = new Map<ElementNode, readonly ElementNode[]>();
  /** Things that are being read, and elements that they refer to: a reference to one of them closes a circle. */
  readonly #open = new Set<ElementNode>();
  /**
   * Number of elements that may still be read through references. An element is read anew for each thing that refers to
   * it, with its own references: without a limit the work would grow exponentially.
   */
  #referredLeft: number;

  constructor(syntax: Syntax, { root, baseUrl, budget }: { root: ElementNode; baseUrl: string; budget: WorkBudget }) {
    this.#syntax = syntax;
    this.#root = root;
    this.#baseUrl = baseUrl;
    this.#budget = budget;
    const { ids, count } = syntax.source === "microdata" ? idsOf(root) : { ids: new Map(), count: 0 };
    this.#ids = ids;
    this.#referredLeft = MIN_REFERRED + count * REFERRED_PER_ELEMENT;
  }

  /** Returns the things that belong to no other. */
  records(): FactRecord[] {
    const owner: FactRecord = { kind: "record", source: this.#syntax.source, types: [], facts: [] };
    this.#walk(this.#root, new FactAdder(owner), { depth: 0, isReferred: false });
    return this.#top.filter(({ facts }) => facts.length > 0);
  }

  #walk(element: ElementNode, owner: FactAdder, place: Place): void {
    if (place.depth > MAX_DEPTH || !this.#mayRead(place)) return;
    const types = this.#syntax.typesOf(element);
    const properties = this.#syntax.propertiesOf(element);
    const inner =
      types === undefined ? owner : new FactAdder({ kind: "record", source: this.#syntax.source, types, facts: [] });
    if (types !== undefined) {
      if (this.#open.has(element)) return;
      this.#open.add(element);
      if (properties.length === 0) this.#top.push(inner.record);
      this.#readReferred(element, inner, place);
    }
    if (properties.length > 0) {
      const looks = types === undefined ? looksForFact(element, this.#baseUrl) : 0;
      if (!this.#budget.take(looks + properties.length)) return this.#budget.cut("structured data");
      const value = types === undefined ? factOf(element, this.#baseUrl) : inner.record;
      for (const label of properties)
        if (!owner.add({ label, value, source: this.#syntax.source })) this.#budget.cut("structured data");
    }
    const below = { ...place, depth: place.depth + 1 };
    for (const child of element.children) if (typeof child !== "string") this.#walk(child, inner, below);
    if (types !== undefined) this.#open.delete(element);
  }

  #readReferred(element: ElementNode, owner: FactAdder, { depth }: Place): void {
    if (element.attributes["itemref"] === undefined || depth >= MAX_DEPTH) return;
    if (this.#referredLeft <= 0) return this.#budget.cut("structured data");
    for (const referred of this.#referredBy(element)) {
      if (this.#open.has(referred)) continue;
      if (this.#referredLeft <= 0) return this.#budget.cut("structured data");
      const isThing = this.#syntax.typesOf(referred) !== undefined;
      if (!isThing) this.#open.add(referred);
      this.#walk(referred, owner, { depth: depth + 1, isReferred: true });
      if (!isThing) this.#open.delete(referred);
    }
  }

  #referredBy(element: ElementNode): readonly ElementNode[] {
    const text = element.attributes["itemref"];
    if (text === undefined) return [];
    const known = this.#referred.get(element);
    if (known !== undefined) return known;
    const referred = [...new Set(split(text))].flatMap((id) => this.#ids.get(id) ?? []);
    this.#referred.set(element, referred);
    return referred;
  }

  #mayRead({ isReferred }: Place): boolean {
    const isAllowed = (!isReferred || this.#referredLeft-- > 0) && this.#budget.take();
    if (!isAllowed) this.#budget.cut("structured data");
    return isAllowed;
  }
}

const MAX_ITEMS = 5_000;
/** Different properties of a record. */
const MAX_FACTS = 1_000;

/** Adds facts to a record. A property that occurs several times has a list. */
class FactAdder {
  readonly record: FactRecord;
  readonly #byLabel = new Map<string, Fact>();

  constructor(record: FactRecord) {
    this.record = record;
  }

  /** @returns false when the record or the list is full */
  add(fact: Fact): boolean {
    const known = this.#byLabel.get(fact.label);
    if (known === undefined) {
      if (this.#byLabel.size >= MAX_FACTS) return false;
      this.#byLabel.set(fact.label, fact);
      this.record.facts.push(fact);
      return true;
    }
    if (known.value.kind !== "list") known.value = { kind: "list", items: [known.value] };
    const { items } = known.value;
    for (const item of fact.value.kind === "list" ? fact.value.items : [fact.value]) {
      if (items.length >= MAX_ITEMS) return false;
      items.push(item);
    }
    return true;
  }
}
