import type { Wanted } from "./convert.ts";
import type { FactRecord, FactText, FactValue } from "../facts.ts";
import { convertText, matchOf, stepsToMatch, type FoundValue, type Scope } from "./find-value.ts";
import { textOfRecord } from "./record-text.ts";

const THRESHOLD = 0.6;
/** A text that had to be split, and one that is a single value, are less certain to be a list. */
const SPLIT = 0.92;
const SINGLE = 0.72;
const MAX_ITEMS = 500;
const MAX_SPLIT_CHARS = 400;

/**
 * Returns the values of a property that requires a list of texts, numbers or booleans; empty when nothing fits well
 * enough.
 */
export function findList(wanted: Wanted, scope: Scope): FoundValue[] {
  let best: { values: FoundValue[]; score: number } | undefined;
  for (const candidate of withRepeats(scope)) {
    if (!scope.budget.take(stepsToMatch(wanted, candidate))) break;
    const match = matchOf(wanted, candidate, scope);
    if (match * candidate.trust <= (best?.score ?? THRESHOLD)) continue;
    const { texts, fit } = textsOf(candidate.value, wanted);
    const score = match * candidate.trust * fit;
    if (texts.length === 0 || score <= (best?.score ?? THRESHOLD)) continue;
    const { source } = candidate;
    const context = { locale: scope.locale, baseUrl: scope.baseUrl, source, budget: scope.budget };
    const values = texts.slice(0, MAX_ITEMS).flatMap((text) => {
      const converted = convertText(text, wanted, context);
      return converted === undefined || converted.value === "" ? [] : [{ ...converted, source, score }];
    });
    const kept = distinct(values);
    if (kept.length > 0) best = { values: kept, score };
  }
  return best?.values ?? [];
}

/**
 * Returns the candidates, with those that occur several times under one name as a list: ten elements of the class
 * `tag`.
 */
function withRepeats({ candidates }: Scope): Scope["candidates"] {
  const byName = new Map<string, Scope["candidates"][number][]>();
  for (const candidate of candidates) {
    if (!candidate.isOwn || candidate.value.kind === "record") continue;
    const key = `${candidate.source} ${candidate.own.phrase}`;
    const known = byName.get(key);
    if (known === undefined) byName.set(key, [candidate]);
    else known.push(candidate);
  }
  const lists = [...byName.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined || same.length < 2) return [];
    const items = same.flatMap(({ value }) =>
      value.kind === "list" ? value.items : value.kind === "text" ? [value] : [],
    );
    const value: FactValue = { kind: "list", items };
    return [{ ...first, value }];
  });
  return [...lists, ...candidates];
}

function textsOf(value: FactValue, wanted: Wanted): { texts: FactText[]; fit: number } {
  if (value.kind === "list") return { texts: value.items.flatMap((item) => textsOfItem(item, wanted)), fit: 1 };
  if (value.kind === "record") {
    const parts = textsOfItem(value, wanted);
    return { texts: parts, fit: parts.length > 1 ? 1 : SINGLE };
  }
  const parts = splitText(value.text);
  if (parts.length > 1) return { texts: parts.map((text): FactText => ({ kind: "text", text })), fit: SPLIT };
  return { texts: [value], fit: SINGLE };
}

/** Returns the texts of an item: sections of instructions hold their steps. */
function textsOfItem(item: FactText | FactRecord, wanted: Wanted): FactText[] {
  if (item.kind === "text") return [item];
  const inner = item.facts.find(({ label }) => label === "itemListElement" || label === "steps")?.value;
  if (inner?.kind === "list") return inner.items.flatMap((part) => textsOfItem(part, wanted));
  const step = item.facts.find(({ label }) => label === "text")?.value;
  if (step?.kind === "text" && /step|section|direction/i.test(item.types[0] ?? "")) return [step];
  const text = textOfRecord(item, wanted.label, wanted.shape.kind === "number" || wanted.shape.kind === "integer");
  return text === undefined ? [] : [text];
}

/** Splits enumerations such as `red, green and blue`, but not sentences. */
function splitText(text: string): string[] {
  if (text.length > MAX_SPLIT_CHARS || /[.!?]\s+\p{Lu}/u.test(text)) return [text];
  const mark = [/\s*[;；]\s*/, /\s*[|•·]\s*/, /\s*[、]\s*/, /\s*,\s+/, /\s+\/\s+/].find(
    (candidate) => text.split(candidate).length > 1,
  );
  if (mark === undefined)
    return /^[\p{L}-]+ (?:and|und|et|y|e|en) [\p{L}-]+$/u.test(text) ? text.split(/ (?:and|und|et|y|e|en) /) : [text];
  const parts = text
    .split(mark)
    .flatMap((part, index, all) =>
      index === all.length - 1
        ? part.replace(/^(?:and|und|et|y|e|en|or|oder)\s+/, "").split(/ (?:and|und|et|y|e|en) (?=[\p{L}-]+$)/u)
        : [part],
    );
  const clean = parts.map((part) => part.trim()).filter((part) => part !== "");
  return clean.some((part) => part.split(" ").length > 8) ? [text] : clean;
}

function distinct(values: readonly FoundValue[]): FoundValue[] {
  const seen = new Set<unknown>();
  return values.filter(({ value }) => (seen.has(value) ? false : seen.add(value)));
}
