import type { WorkBudget } from "../../core/work-budget.ts";
import { foldText } from "../../core/search/words.ts";
import { candidatesOf } from "./schema/candidates.ts";
import type { FactRecord, StructuredData } from "./facts.ts";
import { matchOf, stepsToMatch } from "./schema/find-value.ts";
import { labelOf, singular } from "./sources/labels.ts";
import { SURROUNDINGS } from "./read-structured-data.ts";
import type { Shape } from "./schema/schema-shape.ts";

/** Words that do not name a property alone. */
const FILLERS = [
  "item",
  "page",
  "entry",
  "listing",
  "main",
  "primary",
  "full",
  "official",
  "info",
  "current",
  "overall",
  "the",
];
/** Subjects of pages that do not state it in a machine-readable form. */
const KINDS = ["product", "event", "recipe", "job", "article", "post", "book", "course", "movie", "film", "property", "vehicle", "car", "home", "house", "podcast", "episode", "talk", "paper", "game", "app"]; // prettier-ignore
const MATCH = 0.7;
const MIN_COVERAGE = 0.25;

/**
 * Returns the records about the page's one subject, best first: the one with most of the schema's properties, and
 * others about the same thing. None for a page whose records are a row of like things.
 */
export function chooseSubject(
  shape: Extract<Shape, { kind: "object" }>,
  data: StructuredData,
  budget: WorkBudget,
): FactRecord[] {
  const heading = data.page.facts.find(({ label, source }) => label === "name" && source === "heading")?.value;
  const title = heading?.kind === "text" ? foldText(heading.text) : "";
  const twins = countTypes(data.records);
  const ranked = data.records
    .filter(({ types }) => !types.some((type) => SURROUNDINGS.has(type)))
    .map((record) => ({ record, score: budget.take() ? scoreOf(record, { shape, title, twins, budget }) : 0 }))
    .filter(({ score }) => score >= MIN_COVERAGE)
    .toSorted((left, right) => right.score - left.score);
  const [best, ...others] = ranked;
  if (best === undefined) return [];
  const name = nameOf(best.record);
  const same = others.filter(({ record }) => isSame(record, best.record, name)).map(({ record }) => record);
  return [best.record, ...same];
}

interface Scoring {
  shape: Extract<Shape, { kind: "object" }>;
  title: string;
  /** Number of records of each type. */
  twins: ReadonlyMap<string | undefined, number>;
  budget: WorkBudget;
}

function countTypes(records: readonly FactRecord[]): Map<string | undefined, number> {
  const counts = new Map<string | undefined, number>();
  for (const { types } of records) counts.set(types[0], (counts.get(types[0]) ?? 0) + 1);
  return counts;
}

function scoreOf(record: FactRecord, { shape, title, twins, budget }: Scoring): number {
  const isTitled = title !== "" && nameOf(record) !== "" && title.includes(nameOf(record));
  const twinned = twins.get(record.types[0]) ?? 0;
  if (!isTitled && (twinned >= 3 || (twinned === 2 && title !== "" && !sharesWords(nameOf(record), title)))) return 0;
  const wanted = shape.properties.filter((property) => property.shape.kind !== "array");
  const counted = wanted.length > 0 ? wanted : shape.properties;
  const subject = subjectWords(shape, [record]);
  const candidates = candidatesOf(record);
  const found = counted.filter(({ name, shape: inner }) => {
    const property = { label: labelOf(name), shape: inner };
    return candidates.some(
      (candidate) =>
        budget.take(stepsToMatch(property, candidate)) && matchOf(property, candidate, { subject }) >= MATCH,
    );
  }).length;
  const called = labelOf(shape.hints.title).words;
  const isCalled = typeWords(record).some((word) => called.includes(word));
  return found / Math.max(1, counted.length) + (isTitled ? 0.2 : 0) + (isCalled ? 0.2 : 0);
}

/** Reports whether half of a name's words are in the title: shops shorten the one or the other. */
function sharesWords(name: string, title: string): boolean {
  const words = name.match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return words.filter((word) => title.includes(word)).length * 2 >= Math.max(1, words.length);
}

function isSame(record: FactRecord, best: FactRecord, name: string): boolean {
  if (name !== "" && nameOf(record) === name) return true;
  return record.source !== best.source && record.types[0] === best.types[0];
}

function nameOf({ facts }: FactRecord): string {
  const value = facts.find(({ label }) => label === "name" || label === "headline" || label === "title")?.value;
  return value?.kind === "text" ? foldText(value.text) : "";
}

function typeWords({ types }: FactRecord): string[] {
  return types.flatMap((type) => labelOf(type).words.map(singular));
}

/** Returns the words of property names that only name the owner of the property: `product` of `productName`. */
export function subjectWords(shape: Shape, records: readonly FactRecord[]): ReadonlySet<string> {
  const types = records.flatMap(typeWords);
  const kinds = types.length === 0 ? KINDS : types;
  return new Set([...FILLERS, ...kinds, ...labelOf(shape.hints.title).words.map(singular)]);
}
