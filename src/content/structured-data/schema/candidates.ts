import { TRUST, type Fact, type FactRecord, type FactSource, type FactValue } from "../facts.ts";
import { labelOf, type Label } from "../sources/labels.ts";

/** A fact that could be the value of a property, under its own label and under its path. */
export interface Candidate {
  own: Label;
  path: Label;
  /** True when the label means something alone, false when it does only together with the record that holds it. */
  isOwn: boolean;
  value: FactValue;
  source: FactSource;
  trust: number;
}

/** Things that only group their owner's facts: facts inside of them are about the owner. */
const TRANSPARENT = new Set("offers offer pricespecification address geo nutrition mainentity basesalary estimatedsalary aggregaterating contactpoint joblocation location value itemoffered vehicleengine mileagefromodometer floorsize weight height width depth additionalproperty".split(" ")); // prettier-ignore
/** Names that belong to their nearest thing only. */
const NEAREST = new Set("name title headline description url image id identifier text value type logo email date time start end country min max count".split(" ")); // prettier-ignore
const MAX_DEPTH = 4;
const DEPTH_LOSS = 0.985;

const cache = new WeakMap<FactRecord, Candidate[]>();

/** Returns every fact of a record and of its nested records, nearest first. */
export function candidatesOf(record: FactRecord): Candidate[] {
  const known = cache.get(record);
  if (known !== undefined) return known;
  const candidates: Candidate[] = [];
  collect(record, { path: [], isOwn: true, trust: 1, depth: 0 }, candidates);
  cache.set(record, candidates);
  return candidates;
}

interface Place {
  path: string[];
  isOwn: boolean;
  trust: number;
  depth: number;
}

function collect(record: FactRecord, place: Place, candidates: Candidate[]): void {
  for (const fact of [
    ...record.facts,
    ...namedValues(record),
    ...(place.depth === 0 ? [...calledByType(record), ...sharedByVariants(record)] : []),
  ]) {
    if (isOnRequest(fact, record)) continue;
    const own = labelOf(fact.label);
    const isNearest = NEAREST.has(own.phrase);
    candidates.push({
      own,
      path: labelOf([...place.path, fact.label].join(" ")),
      isOwn: place.depth === 0 || (place.isOwn && !isNearest),
      value: fact.value,
      source: fact.source,
      trust: trustIn(fact) * place.trust,
    });
    if (place.depth >= MAX_DEPTH) continue;
    for (const inner of recordsOf(fact.value).slice(0, 1)) {
      const isTransparent = TRANSPARENT.has(fact.label.toLowerCase());
      const isOwn = place.isOwn && isTransparent;
      collect(
        inner,
        { path: [...place.path, fact.label], isOwn, trust: place.trust * DEPTH_LOSS, depth: place.depth + 1 },
        candidates,
      );
    }
  }
}

const FREE = /\bfree\b|gratis|kostenlos|gratuit|無料|免费/i;

/** Reports whether a price of 0 is that of an offer which says something else: `Contact us`. */
function isOnRequest({ label, value }: Fact, { facts }: FactRecord): boolean {
  if (label !== "price" || value.kind !== "text" || !/^0(?:[.,]0+)?$/.test(value.text)) return false;
  const description = facts.find((fact) => fact.label === "description")?.value;
  return description?.kind === "text" && !FREE.test(description.text);
}

/** The head describes, pictures and names the page and its site; a class of such a name may be on any box. */
const HEAD_TRUST: ReadonlyMap<string, number> = new Map([
  ["description", 0.86],
  ["price", 0.9],
  ["image", 0.88],
  ["site name", 0.9],
]);
function trustIn({ label, source }: Fact): number {
  return (source === "meta" ? HEAD_TRUST.get(label) : undefined) ?? TRUST[source];
}

export const ORGANIZATION = /organi[sz]ation|corporation|business|store|restaurant|hotel|school|university|company/i;

/**
 * Returns labels that depend on the type: a question's name is the question, a company's the company, and its address
 * on the web is its website.
 */
function calledByType({ types: [type], facts, source }: FactRecord): Fact[] {
  if (type === undefined) return [];
  const valueOf = (name: string): FactValue | undefined => facts.find(({ label }) => label === name)?.value;
  const name = valueOf("name");
  const url = ORGANIZATION.test(type) ? valueOf("url") : undefined;
  return [
    ...(name === undefined ? [] : [{ label: type, value: name, source }]),
    ...(name === undefined || !ORGANIZATION.test(type) ? [] : [{ label: "organization", value: name, source }]),
    ...(url === undefined ? [] : [{ label: "website", value: url, source }]),
  ];
}

/**
 * Returns what all variants of a product have in common, and the identifier of their group: a size is not the product,
 * but the price of every size is its price.
 */
function sharedByVariants({ types, facts, source }: FactRecord): Fact[] {
  if (types[0] !== "ProductGroup") return [];
  const variants = facts.flatMap(({ label, value }) => (label === "hasVariant" ? recordsOf(value) : []));
  const offers = variants.map((variant) =>
    variant.facts.flatMap(({ label, value }) => (label === "offers" ? recordsOf(value).slice(0, 1) : [])).at(0),
  );
  const shared = ["price", "priceCurrency"].flatMap((name): Fact[] => {
    const values = offers.map((offer) => offer?.facts.find(({ label }) => label === name)?.value);
    const [first] = values;
    const agree = values.every(
      (value) => value?.kind === "text" && first?.kind === "text" && value.text === first.text,
    );
    return first !== undefined && agree ? [{ label: name, value: first, source }] : [];
  });
  const group = facts.find(({ label }) => label === "productGroupID")?.value;
  return [...shared, ...(group === undefined ? [] : [{ label: "sku", value: group, source }])];
}

/** Returns schema.org's PropertyValue as facts: a name and a value are a fact of that name. */
function namedValues(record: FactRecord): Fact[] {
  return record.facts.flatMap(({ label, value }) => {
    if (label !== "additionalProperty" && label !== "variableMeasured") return [];
    return recordsOf(value).flatMap((property): Fact[] => {
      const name = property.facts.find((fact) => fact.label === "name")?.value;
      const held = property.facts.find((fact) => fact.label === "value")?.value;
      return name?.kind === "text" && held !== undefined
        ? [{ label: name.text, value: held, source: property.source }]
        : [];
    });
  });
}

export function recordsOf(value: FactValue): FactRecord[] {
  if (value.kind === "record") return [value];
  return value.kind === "list" ? value.items.filter((item): item is FactRecord => item.kind === "record") : [];
}
