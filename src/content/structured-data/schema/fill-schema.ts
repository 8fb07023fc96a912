import { WorkBudget } from "../../../core/work-budget.ts";
import { candidatesOf, recordsOf, type Candidate } from "./candidates.ts";
import type { FactGroup, FactRecord, FactSource, StructuredData } from "../facts.ts";
import { findList } from "./find-list.ts";
import { findValue, matchOf, stepsToMatch, type Scope } from "./find-value.ts";
import { labelOf, likeness, singular } from "../sources/labels.ts";
import { candidatesOfPage } from "./page-candidates.ts";
import { chooseSubject, subjectWords } from "../subject.ts";
import type { Shape } from "./schema-shape.ts";

/** One value that was found, its path in the result, and the part of the page that it was read from. */
export interface Finding {
  path: (string | number)[];
  value: string | number | boolean;
  quote: string;
  source: FactSource;
  /** 0 to 1: how certainly the label means the property. */
  score: number;
}

export interface Filled {
  /** Only values that were found; undefined when there are none. */
  value: unknown;
  findings: Finding[];
}

type ObjectShape = Extract<Shape, { kind: "object" }>;

const MAX_ROWS = 1_000;
const SAMPLE_ROWS = 6;
/** Share of an item's properties that a row must have to count as an item. */
const MIN_COVERAGE = 0.4;
const NESTED_MATCH = 0.6;
/** Likeness of the property and of a label of a row from which on the row is called by the property. */
const MIN_CALLED = 0.7;
const MIN_CALLED_ROWS = 3;
/** Share of the rows that must have a value which tells them from links, unless they are called by the property. */
const MIN_TELLING = 0.34;
const USED = 0.7;
const SURROUNDING = 0.6;
/** Properties that every link has. */
const PLAIN = new Set("name url website image description id".split(" "));

/**
 * Number of candidates examined for one schema; pages with thousands of facts and schemas with hundreds of properties
 * take 200,000.
 */
const MAX_STEPS = 1_500_000;

/**
 * Fills a schema's shape with the page's data, and leaves out values that the page does not state, or that the budget
 * does not allow to look for.
 */
export function fillSchema(shape: Shape, data: StructuredData, budget: WorkBudget = new WorkBudget()): Filled {
  const own = budget.within({ steps: MAX_STEPS });
  const filled = new Filling(data, own).root(shape);
  if (own.isSpent) own.cut("fields of the schema");
  return filled;
}

interface Part {
  value: unknown;
  findings: Finding[];
}

class Filling {
  readonly #data: StructuredData;
  readonly #budget: WorkBudget;
  readonly #used = new Set<FactGroup>();

  constructor(data: StructuredData, budget: WorkBudget) {
    this.#data = data;
    this.#budget = budget;
  }

  root(shape: Shape): Filled {
    if (shape.kind === "array") return this.#rowsOrList("", shape, this.#scope([], new Set())) ?? NOTHING;
    if (shape.kind !== "object") return NOTHING;
    const inner = wrapped(shape);
    if (inner !== undefined) {
      const { value, findings } = this.root(inner.shape);
      return value === undefined
        ? NOTHING
        : { value: { [inner.name]: value }, findings: prefixed(inner.name, findings) };
    }
    const subject = chooseSubject(shape, this.#data, this.#budget);
    const candidates = candidatesOfPage(shape, this.#data, subject);
    return this.#object(shape, this.#scope(candidates, subjectWords(shape, subject))) ?? NOTHING;
  }

  #scope(candidates: readonly Candidate[], subject: ReadonlySet<string>): Scope {
    const { language, baseUrl } = this.#data;
    return { candidates, subject, locale: { language }, baseUrl, budget: this.#budget };
  }

  #object({ properties }: ObjectShape, scope: Scope): Part | undefined {
    const value: Record<string, unknown> = {};
    const findings: Finding[] = [];
    for (const { name, shape } of properties) {
      if (!this.#budget.take()) break;
      const part = this.#property(name, shape, scope);
      if (part === undefined) continue;
      // Defined as an own property even when it is called `__proto__`.
      Object.defineProperty(value, name, { value: part.value, enumerable: true, writable: true, configurable: true });
      findings.push(...prefixed(name, part.findings));
    }
    return findings.length === 0 ? undefined : { value, findings };
  }

  #property(name: string, shape: Shape, scope: Scope): Part | undefined {
    if (shape.kind === "object") return this.#nested(name, shape, scope);
    if (shape.kind === "array") return this.#rowsOrList(name, shape, scope);
    const found = findValue({ label: labelOf(name), shape }, scope);
    return found === undefined ? undefined : { value: found.value, findings: [{ path: [], ...found }] };
  }

  /**
   * Fills a nested object from a separate record where the page has one; else from the owner's facts under names that
   * hold both.
   */
  #nested(name: string, shape: ObjectShape, scope: Scope): Part | undefined {
    const label = labelOf(name);
    let best: Part | undefined;
    for (const candidate of scope.candidates) {
      if (!this.#budget.take(stepsToMatch({ label }, candidate))) break;
      if (candidate.value.kind === "text" || matchOf({ label, shape }, candidate, scope) < NESTED_MATCH) continue;
      for (const record of recordsOf(candidate.value).slice(0, 1)) {
        const part = this.#object(shape, {
          ...scope,
          candidates: candidatesOf(record),
          subject: new Set([...label.words, ...scope.subject]),
        });
        if (part !== undefined && part.findings.length > (best?.findings.length ?? 0)) best = part;
      }
    }
    return best ?? this.#flattened(name, shape, scope);
  }

  #flattened(name: string, shape: ObjectShape, scope: Scope): Part | undefined {
    const value: Record<string, unknown> = {};
    const findings: Finding[] = [];
    for (const { name: inner, shape: innerShape } of shape.properties) {
      if (!this.#budget.take()) break;
      const isGeneric = /^(?:name|title|url|description|image|id|type|date|text|value|email)$/i.test(inner);
      const composed = this.#property(`${name} ${inner}`, innerShape, scope);
      const part = composed ?? (isGeneric && !isContact(name) ? undefined : this.#property(inner, innerShape, scope));
      if (part === undefined) continue;
      value[inner] = part.value;
      findings.push(...prefixed(inner, part.findings));
    }
    return findings.length === 0 ? undefined : { value, findings };
  }

  #rowsOrList(name: string, { items }: Extract<Shape, { kind: "array" }>, scope: Scope): Part | undefined {
    if (items.kind === "object" && items.properties.length > 0) return this.#rows(name, items, scope);
    if (items.kind === "array" || items.kind === "object") return undefined;
    const found = findList({ label: labelOf(name), shape: items }, scope);
    if (found.length === 0) return undefined;
    return {
      value: found.map(({ value }) => value),
      findings: found.map((one, index) => ({ ...one, path: [index] })),
    };
  }

  /** Fills an array from the row of like things that fits the items best. */
  #rows(name: string, shape: ObjectShape, scope: Scope): Part | undefined {
    const groups = [...ownGroups(name, shape, scope), ...this.#data.groups];
    let best: { group: FactGroup; score: number } | undefined;
    for (const group of groups) {
      if (!this.#budget.take()) break;
      const score = this.#scoreOf(group, { name, shape, scope });
      if (score > (best?.score ?? MIN_COVERAGE)) best = { group, score };
    }
    if (best === undefined) return undefined;
    this.#used.add(best.group);
    const parts = best.group.records
      .slice(0, MAX_ROWS)
      .flatMap((record) => this.#row(record, shape, { name, scope }) ?? []);
    const rows = distinct(withoutRemnants(parts.filter(({ value }) => isWorthARow(value, shape))));
    const isRemnant = rows.length === 1 && best.group.records.length > 1 && !isCalled(best.group, name);
    if (rows.length === 0 || isRemnant) return undefined;
    return {
      value: rows.map(({ value }) => value),
      findings: rows.flatMap(({ findings }, index) => prefixed(index, findings)),
    };
  }

  #row(record: FactRecord, shape: ObjectShape, { name, scope }: { name: string; scope: Scope }): Part | undefined {
    const subject = new Set([...labelOf(name).words.map(singular), ...subjectWords(shape, [record])]);
    return this.#object(shape, { ...scope, candidates: candidatesOf(record), subject });
  }

  #scoreOf(group: FactGroup, { name, shape, scope }: { name: string; shape: ObjectShape; scope: Scope }): number {
    const sample = group.records.slice(0, SAMPLE_ROWS);
    if (sample.length === 0) return 0;
    const rows = sample.map((record) => this.#row(record, shape, { name, scope })?.value);
    const coverages = rows.map((row) => coverageOf(row, shape));
    const coverage = coverages.reduce((sum, one) => sum + one, 0) / sample.length;
    if (coverage < MIN_COVERAGE) return 0;
    const called = likenessOf(group, name);
    const telling = rows.filter((row) => isTelling(row, shape)).length;
    const isStated = telling >= Math.min(2, rows.length) && telling >= rows.length * MIN_TELLING;
    if (!isStated && !(isCalled(group, name) && rows.some((row) => leadsAway(row, scope.baseUrl)))) return 0;
    const many = Math.min(1, 0.85 + 0.03 * group.records.length);
    const doubts = (this.#used.has(group) ? USED : 1) * (group.isSurrounding === true ? SURROUNDING : 1);
    return coverage * many * (1 + 0.3 * called) * doubts;
  }
}

const NOTHING: Filled = { value: undefined, findings: [] };

/** Returns the one object inside of a schema that wraps its subject. */
function wrapped({ properties }: ObjectShape): { name: string; shape: Shape } | undefined {
  const [only, ...others] = properties;
  return only !== undefined && others.length === 0 && only.shape.kind === "object" ? only : undefined;
}

function prefixed(step: string | number, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, path: [step, ...finding.path] }));
}

/** Reports whether a name is a contact: ways to reach the page's subject are not named after the subject. */
function isContact(name: string): boolean {
  return /^contact/i.test(name);
}

/** Returns the things that the subject itself lists under the property's name: reviews, steps, offers. */
function ownGroups(name: string, shape: ObjectShape, scope: Scope): FactGroup[] {
  const label = labelOf(name);
  return scope.candidates.flatMap((candidate) => {
    if (!scope.budget.take(stepsToMatch({ label }, candidate))) return [];
    if (candidate.value.kind === "text" || matchOf({ label, shape }, candidate, scope) < NESTED_MATCH) return [];
    const records = recordsOf(candidate.value);
    return records.length === 0 ? [] : [{ labels: [name], records }];
  });
}

function coverageOf(value: unknown, shape: ObjectShape): number {
  if (value === undefined || value === null || typeof value !== "object") return 0;
  const weightOf = (isRequired: boolean): number => (isRequired ? 2 : 1);
  const all = shape.properties.reduce((sum, { isRequired }) => sum + weightOf(isRequired), 0);
  const found = shape.properties.reduce(
    (sum, { name, isRequired }) => sum + (Object.hasOwn(value, name) ? weightOf(isRequired) : 0),
    0,
  );
  return found / Math.max(1, all);
}

function likenessOf({ labels }: FactGroup, name: string): number {
  const wanted = labelOf(name);
  return Math.max(0, ...labels.map((label) => likeness(wanted, labelOf(label))));
}

function isCalled(group: FactGroup, name: string): boolean {
  const likely = likenessOf(group, name);
  return (
    group.isSurrounding !== true && (likely === 1 || (group.records.length >= MIN_CALLED_ROWS && likely >= MIN_CALLED))
  );
}

/** Reports whether a row has no address, or one beyond the page: tabs of a product are called like products. */
function leadsAway(value: unknown, baseUrl: string): boolean {
  const here = `${baseUrl.replace(/#.*$/, "")}#`;
  const addresses = Object.values(value ?? {}).filter((one) => typeof one === "string" && /^https?:/.test(one));
  return addresses.length === 0 || addresses.some((address) => !String(address).startsWith(here));
}

/** Reports whether a row has a value that tells it from any other link, where the schema asks for one. */
function isTelling(value: unknown, { properties }: ObjectShape): boolean {
  const telling = properties.filter(({ name }) => {
    const { concepts, phrase } = labelOf(name);
    return !PLAIN.has(concepts[0] ?? phrase) && !/^(?:link|href|text|slug|uri)$/.test(phrase);
  });
  if (telling.length === 0) return true;
  return typeof value === "object" && value !== null && telling.some(({ name }) => Object.hasOwn(value, name));
}

/** Reports whether a name is an amount, a date or a number with its sign: the thing itself has another name. */
function isNumberForName(name: string, value: unknown): boolean {
  if (typeof value !== "string" || labelOf(name).concepts[0] !== "name") return false;
  return /^[\p{Sc}\p{N}\s.,:/#%+-]+$/u.test(value) && !/^\p{N}+$/u.test(value);
}

/** Reports whether a row is an item: one without a required property is not. */
function isWorthARow(value: unknown, shape: ObjectShape): boolean {
  const required = shape.properties.filter(({ isRequired }) => isRequired);
  const hasRequired = required.every(({ name }) => Object.hasOwn(value as object, name));
  if (shape.properties.some(({ name }) => isNumberForName(name, (value as Record<string, unknown>)[name])))
    return false;
  return hasRequired && coverageOf(value, shape) >= Math.min(MIN_COVERAGE, 0.34);
}

/** Leaves out rows with less than half of the values that rows usually have: headings and links between the items. */
function withoutRemnants(parts: readonly Part[]): Part[] {
  const counts = parts.map(({ findings }) => findings.length).toSorted((left, right) => left - right);
  const usual = counts[Math.floor(counts.length / 2)] ?? 0;
  return parts.filter(({ findings }) => findings.length * 2 >= usual);
}

function distinct(parts: readonly Part[]): Part[] {
  const seen = new Set<string>();
  return parts.filter(({ value }) => {
    const text = JSON.stringify(value);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
