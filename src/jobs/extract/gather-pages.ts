import { isEmpty, mergeValues } from "../../content/structured-data/schema/merge-values.ts";
import { leavesOf } from "../../content/structured-data/evidence/provenance.ts";
import { fieldName, type Evidence } from "../../core/scrape/evidence.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { foldText } from "../../core/search/words.ts";
import { firstEvidence } from "../research/fit-data.ts";
import { MAX_RUN_BYTES } from "../research/read-page.ts";

/** Data of one page. */
export interface PageData {
  url: string;
  value: unknown;
  evidence: readonly Evidence[];
  warning: string | undefined;
}

export interface Gathered {
  data: unknown;
  evidence: Evidence[];
  /** Pages that each top-level field comes from. */
  sources: Record<string, string[]>;
  notes: string[];
}

/** A long quote of one value of a page may belong to thousands of equal values. */
const MAX_EVIDENCE_BYTES = 2 * MAX_RUN_BYTES;
const IDENTITIES = ["name", "title", "id", "sku", "url", "headline"];

/**
 * Merges the data of several pages: fills in missing values, combines lists, and leaves out values of another subject.
 * Lets other requests run between two pages.
 */
export async function gatherPages(pages: readonly PageData[]): Promise<Gathered> {
  const given = pages.filter(({ value }) => !isEmpty(value));
  const notes: string[] = [];
  let data: unknown;
  for (const { url, value } of given) {
    const isOther = isDifferentSubject(data, value);
    if (isOther) notes.push(`${url} is about another subject than the pages before it: only its lists were used.`);
    data = mergeValues(data, isOther ? listsOf(value) : value);
    await nextTurn();
  }
  const all = await evidenceFor(data, given);
  const evidence = firstEvidence(all, MAX_EVIDENCE_BYTES);
  if (evidence.length < all.length) notes.push(`evidence: only that of the first ${evidence.length} values is there.`);
  return { data, evidence, sources: sourcesOf(all), notes };
}

/** Reports whether two pages name different subjects: their values must not be mixed. */
function isDifferentSubject(first: unknown, second: unknown): boolean {
  if (!isObject(first) || !isObject(second)) return false;
  return IDENTITIES.some((identity) => {
    const [left, right] = [first[identity], second[identity]];
    return typeof left === "string" && typeof right === "string" && foldText(left).trim() !== foldText(right).trim();
  });
}

function listsOf(value: unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([, inner]) => Array.isArray(inner)))
    : undefined;
}

/** Returns the evidence for merged data. Merging changes list positions, so evidence is matched by value. */
async function evidenceFor(data: unknown, pages: readonly PageData[]): Promise<Evidence[]> {
  const known = new Map<string, Evidence>();
  for (const { value, evidence } of pages) {
    const leaves = new Map(leavesOf(value).map(({ path, value: leaf }) => [fieldName(path), leaf]));
    for (const item of evidence) {
      const key = keyOf(item.field, leaves.get(item.field));
      const before = known.get(key);
      if (before === undefined || (before.unverified === true && item.unverified !== true)) known.set(key, item);
    }
    await nextTurn();
  }
  return leavesOf(data).flatMap(({ path, value }) => {
    const field = fieldName(path);
    const found = known.get(keyOf(field, value));
    return found === undefined ? [] : [{ ...found, field }];
  });
}

function keyOf(field: string, value: unknown): string {
  return `${field.replace(/\[\d+\]/g, "[]")} ${JSON.stringify(value)}`;
}

function sourcesOf(evidence: readonly Evidence[]): Record<string, string[]> {
  const sources = new Map<string, Set<string>>();
  for (const { field, url, unverified } of evidence) {
    if (unverified === true || url === "") continue;
    const name = /^[^.[]*/.exec(field)?.[0] ?? field;
    sources.set(name, (sources.get(name) ?? new Set()).add(url));
  }
  return Object.fromEntries([...sources].map(([name, urls]) => [name, [...urls]]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
