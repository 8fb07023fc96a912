import type { ElementNode } from "../tree.ts";
import { childElements, factOf } from "./readable-text.ts";
import type { Fact, FactRecord, FactSource } from "./facts.ts";

/** How a syntax marks things, their types and their properties. */
interface Syntax {
  source: FactSource;
  /** Types of the thing that an element begins; undefined when it begins none. */
  typesOf(element: ElementNode): string[] | undefined;
  propertiesOf(element: ElementNode): string[];
}

const lastPart = (type: string): string => type.replace(/^.*[:/#]/, "");
const split = (text: string | undefined): string[] => (text ?? "").split(/\s+/).filter((part) => part !== "");

/** Microdata (HTML § 5). */
const MICRODATA: Syntax = {
  source: "microdata",
  typesOf: ({ attributes }) =>
    attributes["itemscope"] === undefined ? undefined : split(attributes["itemtype"]).map(lastPart),
  propertiesOf: ({ attributes }) => split(attributes["itemprop"]).map(lastPart),
};

/** RDFa Lite 1.1: `typeof` and `property`. Open Graph's properties live in the head and are read there. */
const RDFA: Syntax = {
  source: "rdfa",
  typesOf: ({ attributes }) =>
    attributes["typeof"] === undefined ? undefined : split(attributes["typeof"]).map(lastPart),
  propertiesOf: ({ attributes }) =>
    split(attributes["property"])
      .filter((label) => !/^(?:og|article|twitter|fb|book|product):/.test(label))
      .map(lastPart),
};

/** Records that a page's elements are marked with. */
export function readMarkedUp(root: ElementNode, baseUrl: string): FactRecord[] {
  return [MICRODATA, RDFA].flatMap((syntax) => new Reading(syntax, baseUrl, idsOf(root, syntax)).records(root));
}

/** Elements that others refer to, for microdata's `itemref`. */
function idsOf(root: ElementNode, { source }: Syntax): Map<string, ElementNode> {
  const ids = new Map<string, ElementNode>();
  if (source !== "microdata") return ids;
  const stack = [root];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    const id = element.attributes["id"];
    if (id !== undefined && !ids.has(id)) ids.set(id, element);
    for (const child of childElements(element)) stack.push(child);
  }
  return ids;
}

const MAX_DEPTH = 200;

class Reading {
  readonly #syntax: Syntax;
  readonly #baseUrl: string;
  readonly #ids: Map<string, ElementNode>;

  constructor(syntax: Syntax, baseUrl: string, ids: Map<string, ElementNode>) {
    this.#syntax = syntax;
    this.#baseUrl = baseUrl;
    this.#ids = ids;
  }

  /** Things that belong to no other. */
  records(root: ElementNode): FactRecord[] {
    const top: FactRecord[] = [];
    this.#walk(root, { kind: "record", source: this.#syntax.source, types: [], facts: [] }, { top, depth: 0 });
    return top.filter(({ facts }) => facts.length > 0);
  }

  #walk(element: ElementNode, owner: FactRecord, { top, depth }: { top: FactRecord[]; depth: number }): void {
    if (depth > MAX_DEPTH) return;
    const types = this.#syntax.typesOf(element);
    const properties = this.#syntax.propertiesOf(element);
    let inner = owner;
    if (types !== undefined) {
      inner = { kind: "record", source: this.#syntax.source, types, facts: [] };
      if (properties.length === 0) top.push(inner);
      for (const id of split(element.attributes["itemref"])) {
        const referred = this.#ids.get(id);
        if (referred !== undefined && referred !== element) this.#walk(referred, inner, { top, depth: depth + 1 });
      }
    }
    const value = types === undefined ? factOf(element, this.#baseUrl) : inner;
    for (const label of properties) addFact(owner, { label, value, source: this.#syntax.source });
    for (const child of childElements(element)) this.#walk(child, inner, { top, depth: depth + 1 });
  }
}

const MAX_ITEMS = 5_000;

/** A property that stands several times has a list. */
export function addFact(record: FactRecord, fact: Fact): void {
  const known = record.facts.find(({ label, source }) => label === fact.label && source === fact.source);
  if (known === undefined) return void record.facts.push(fact);
  if (known.value.kind !== "list") known.value = { kind: "list", items: [known.value] };
  const { items } = known.value;
  for (const item of fact.value.kind === "list" ? fact.value.items : [fact.value]) {
    if (items.length < MAX_ITEMS) items.push(item);
  }
}
