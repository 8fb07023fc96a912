import type { WorkBudget } from "../../../core/work-budget.ts";
import { foldText } from "../../../core/search/words.ts";
import type { Candidate } from "./candidates.ts";
import { convert, isUrlName, stepsToConvert, type Conversion, type Converted, type Wanted } from "./convert.ts";
import type { FactRecord, FactSource, FactText } from "../facts.ts";
import { labelOf, likeness, type Label } from "../sources/labels.ts";
import type { Hints } from "./schema-shape.ts";
import { textOfRecord } from "./record-text.ts";
import { readCurrency, type Locale } from "./values.ts";

/** The scope in which values are searched. */
export interface Scope {
  candidates: readonly Candidate[];
  /** Words that only name the subject of the properties. */
  subject: ReadonlySet<string>;
  locale: Locale;
  baseUrl: string;
  /** Each candidate that is examined is a step; long names and conversions take more. */
  budget: WorkBudget;
}

/** A value with its source. */
export interface FoundValue extends Converted {
  source: FactSource;
  score: number;
}

/** Candidates with a lower score are left out: better nothing than a guess. */
const THRESHOLD = 0.58;
const BY_DESCRIPTION = 0.74;
const REDUCED = 0.95;
const COMPOSED = 0.8;
const SAME = 0.88;
const BY_CLASS = 0.9;
/** An amount in the text of a page under a name that only resembles the property is another amount: a filing fee. */
const SAME_AMOUNT = 0.8;
const WRITTEN: ReadonlySet<FactSource> = new Set(["labels", "table", "definitions", "heading", "markup", "text"]);
/** Labels that every thing has: beside a word that names another thing they refer to that thing. */
const GENERIC = new Set(
  "name title headline url description image id date text value type time status count number label link".split(" "),
);

/** Returns the best value for a scalar property; undefined when nothing fits well enough. */
export function findValue(wanted: Wanted, scope: Scope): FoundValue | undefined {
  let best: FoundValue | undefined;
  const repeated = repeatedLabels(scope.candidates);
  for (const candidate of scope.candidates) {
    if (!scope.budget.take(stepsToMatch(wanted, candidate))) break;
    if (candidate.source === "labels" && repeated.has(candidate.own.phrase)) continue;
    const match = matchOf(wanted, candidate, scope);
    if (match * candidate.trust <= (best?.score ?? THRESHOLD)) continue;
    if (match < SAME_AMOUNT && isAmount(wanted) && WRITTEN.has(candidate.source)) continue;
    const converted = convertCandidate(wanted, candidate, scope);
    if (converted === undefined) continue;
    const score = match * candidate.trust * converted.fit;
    if (score > (best?.score ?? THRESHOLD)) best = { ...converted, source: candidate.source, score };
  }
  return best ?? derivedValue(wanted, scope);
}

function isAmount({ label: { concepts } }: Wanted): boolean {
  return concepts[0] === "price";
}

/** Different values of one label from which on they are about several things: `Price:` under each of ten courses. */
const MIN_REPEATED = 3;
const repeats = new WeakMap<readonly Candidate[], ReadonlySet<string>>();

function repeatedLabels(candidates: readonly Candidate[]): ReadonlySet<string> {
  const known = repeats.get(candidates);
  if (known !== undefined) return known;
  const texts = new Map<string, Set<string>>();
  for (const { source, own, value } of candidates) {
    if (source !== "labels" || value.kind !== "text" || own.concepts[0] === "phone" || own.concepts[0] === "email")
      continue;
    const set = texts.get(own.phrase) ?? new Set();
    texts.set(own.phrase, set.add(value.text));
  }
  const repeated = new Set([...texts].flatMap(([phrase, set]) => (set.size >= MIN_REPEATED ? [phrase] : [])));
  repeats.set(candidates, repeated);
  return repeated;
}

/** Pairs of words that are compared in the time of a step. */
const PAIRS_PER_STEP = 16;

/** Returns the steps of a comparison: one for names of a few words. */
export function stepsToMatch({ label }: Pick<Wanted, "label">, { own, path }: Candidate): number {
  return 1 + Math.floor((label.words.length * Math.max(own.words.length, path.words.length)) / PAIRS_PER_STEP);
}

/** Returns how certainly a candidate's label means the property. */
export function matchOf({ label, shape }: Wanted, candidate: Candidate, { subject }: Pick<Scope, "subject">): number {
  const named = nameMatch(label, candidate, subject);
  const reduced = reduce(label, subject);
  const byReduced = reduced === undefined ? 0 : nameMatch(reduced, candidate, subject) * REDUCED;
  const byTitle = shape.hints.title === "" ? 0 : nameMatch(labelOf(shape.hints.title), candidate, subject) * REDUCED;
  const sure = Math.max(named, byReduced, byTitle);
  // Classes name parts of a page as well as their contents: only the exact name counts.
  const best = candidate.source === "markup" && sure < SAME ? sure * BY_CLASS : sure;
  return best >= 0.7 ? best : Math.max(best, describedMatch(shape.hints, candidate));
}

function nameMatch(wanted: Label, { own, path, isOwn }: Candidate, subject: ReadonlySet<string>): number {
  const byOwn = isOwn ? likeness(wanted, own) * strangeness(wanted, own, subject) : 0;
  const byPath = path === own ? 0 : pathMatch(wanted, path);
  return Math.max(byOwn, byPath);
}

/**
 * Matches a path, which must hold every word of the property: `author name` in `author name`, not `name` in `author
 * name`.
 */
function pathMatch(wanted: Label, path: Label): number {
  if (wanted.words.length < 2 && path.words.length > 1) return 0;
  return likeness(wanted, path) * 0.98;
}

/** `name` alone is not the name of a company, unless the company is the page's subject. */
function strangeness(wanted: Label, own: Label, subject: ReadonlySet<string>): number {
  if (!GENERIC.has(own.phrase) && !(own.concepts[0] === "name" || own.concepts[0] === "url")) return 1;
  const others = wanted.words.filter((word) => !own.words.includes(word) && !subject.has(word));
  const isSame = wanted.phrase === own.phrase || wanted.concepts.some((concept) => own.concepts.includes(concept));
  return others.length === 0 || isSame ? 1 : 0.5;
}

function reduce({ words }: Label, subject: ReadonlySet<string>): Label | undefined {
  const left = words.filter((word) => !subject.has(word));
  return left.length === words.length || left.length === 0 ? undefined : labelOf(left.join(" "));
}

/** Matches a label of the page that the property's description names. */
function describedMatch(hints: Hints, { own, isOwn }: Candidate): number {
  if (hints.description === "" || !isOwn || own.phrase.length < 4 || GENERIC.has(own.phrase)) return 0;
  const { text, words } = descriptionOf(hints);
  const [first = ""] = own.words;
  return words.has(first) && text.includes(` ${own.phrase} `) ? BY_DESCRIPTION : 0;
}

/** Words of a description, one after another and apart. */
interface Description {
  text: string;
  words: ReadonlySet<string>;
}

const descriptions = new WeakMap<Hints, Description>();

/** Returns the words of a property's description, which are compared with each label of the page. */
function descriptionOf(hints: Hints): Description {
  const known = descriptions.get(hints);
  if (known !== undefined) return known;
  const words: readonly string[] = foldText(hints.description).match(/[\p{L}\p{N}]+/gu) ?? [];
  const read = { text: ` ${words.join(" ")} `, words: new Set(words) };
  descriptions.set(hints, read);
  return read;
}

function convertCandidate(wanted: Wanted, { value, source }: Candidate, scope: Scope): Converted | undefined {
  const { locale, baseUrl, budget } = scope;
  const context = { locale, baseUrl, source, budget };
  if (value.kind === "text") return convertText(value, wanted, context);
  const isNumeric = wanted.shape.kind === "number" || wanted.shape.kind === "integer";
  if (value.kind === "record") {
    const names = wanted.label.concepts.includes("author") ? namesOfRecord(value) : [];
    if (names.length > 1) return convertList(names, { wanted, isNumeric, context });
    const text = textOfRecord(value, wanted.label, isNumeric);
    const converted = text === undefined ? undefined : convertText(text, wanted, context);
    return converted === undefined ? undefined : { ...converted, fit: converted.fit * fitOfRecord(value, text) };
  }
  return convertList(value.items, { wanted, isNumeric, context });
}

type CountedConversion = Conversion & Pick<Scope, "budget">;

/** Converts a text; undefined when it does not fit, or the budget is spent. */
export function convertText(text: FactText, wanted: Wanted, context: CountedConversion): Converted | undefined {
  return context.budget.take(stepsToConvert(text, wanted)) ? convert(text, wanted, context) : undefined;
}

/** Returns the names of a record that sites write for all authors together. */
function namesOfRecord({ facts }: FactRecord): readonly (FactText | FactRecord)[] {
  const name = facts.find(({ label }) => label === "name")?.value;
  return name?.kind === "list" ? name.items : [];
}

/** Returns the fit of a text; a composed text appears nowhere on the page verbatim. */
function fitOfRecord(record: FactRecord, text: FactText | undefined): number {
  return text !== undefined && holds(record, text) ? 1 : COMPOSED;
}

function holds({ facts }: FactRecord, text: FactText): boolean {
  return facts.some(({ value }) => {
    const items = value.kind === "list" ? value.items : [value];
    return items.some((item) => item === text || (item.kind === "record" && holds(item, text)));
  });
}

interface ListConversion {
  wanted: Wanted;
  isNumeric: boolean;
  context: CountedConversion;
}

/** Returns one text of several: names are joined, of anything else the first counts. */
function convertList(
  items: readonly (FactText | FactRecord)[],
  { wanted, isNumeric, context }: ListConversion,
): Converted | undefined {
  const converted = items.slice(0, 20).flatMap((item) => {
    const text = item.kind === "text" ? item : textOfRecord(item, wanted.label, isNumeric);
    return (text === undefined ? undefined : convertText(text, wanted, context)) ?? [];
  });
  const distinct = converted.filter(
    ({ value }, index) => converted.findIndex((other) => other.value === value) === index,
  );
  const [first, second] = distinct;
  if (first === undefined) return undefined;
  const joins =
    wanted.shape.kind === "string" &&
    wanted.shape.hints.choices.length === 0 &&
    !isUrlName(wanted.label) &&
    wanted.shape.hints.format === "";
  // The list below `Company` at the end of a page leads to its other pages.
  if (second !== undefined && wanted.label.concepts[0] === "organization") return undefined;
  if (second === undefined || !joins) return { ...first, fit: first.fit * 0.9 };
  const text = distinct.map(({ value }) => String(value)).join(", ");
  return { value: text, quote: distinct.map(({ quote }) => quote).join(", "), fit: text.length > 300 ? 0.6 : 0.82 };
}

/** Returns the currency of the price next to it: a currency does not appear alone. */
function derivedValue({ label, shape }: Wanted, { candidates, locale }: Scope): FoundValue | undefined {
  if (!label.words.includes("currency") && !label.concepts.includes("currency")) return undefined;
  if (shape.kind !== "string" && shape.kind !== "any") return undefined;
  for (const { own, isOwn, value, source, trust } of candidates) {
    const isAmount = own.concepts.some((concept) => ["price", "salary", "rent", "revenue"].includes(concept));
    if (!isOwn || !isAmount || value.kind !== "text") continue;
    const code = readCurrency(value.text, locale.language);
    const { choices } = shape.hints;
    if (code !== undefined && (choices.length === 0 || choices.includes(code)))
      return { value: code, fit: 1, quote: value.text, source, score: trust };
  }
  return undefined;
}
