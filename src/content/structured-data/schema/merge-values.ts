import { foldText } from "../../../core/search/words.ts";

const MAX_ITEMS = 10_000;
/** Maximum number of items that are remembered per key. */
const MAX_TWINS = 20;
const NAMES: ReadonlySet<string> = new Set(["name", "title", "headline", "question"]);
/** Fields that distinguish things, most reliable first. */
const IDENTITIES = ["id", "sku", "isbn", "url", "link", "href", "email", "name", "title", "headline", "question"];

/**
 * Joins the values for one thing from two parts of a text, or two pages: values of the first stay, gaps are filled from
 * the second, lists become one without repetitions, and items that are the same thing are joined recursively.
 */
export function mergeValues(first: unknown, second: unknown): unknown {
  if (isEmpty(first)) return second;
  if (isEmpty(second)) return first;
  if (Array.isArray(first) && Array.isArray(second)) return mergeLists(first, second);
  if (isObject(first) && isObject(second)) return mergeObjects(first, second);
  return first;
}

function mergeObjects(first: Record<string, unknown>, second: Record<string, unknown>): Record<string, unknown> {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries([...names].map((name) => [name, mergeValues(own(first, name), own(second, name))]));
}

function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function mergeLists(first: readonly unknown[], second: readonly unknown[]): unknown[] {
  const merged: unknown[] = [];
  const places = new Map<string, number[]>();
  for (const item of [...first, ...second]) {
    if (merged.length >= MAX_ITEMS) break;
    const keys = keysOf(item);
    const known = keys.flatMap((key) => places.get(key) ?? []).find((place) => !isAnother(merged[place], item));
    const place = known ?? merged.length;
    merged[place] = known === undefined ? item : mergeValues(merged[known], item);
    for (const key of keys) places.set(key, [...(places.get(key) ?? []), place].slice(-MAX_TWINS));
  }
  return merged;
}

/** Returns the keys by which an item can be recognised. Texts are the same when they read the same. */
function keysOf(item: unknown): string[] {
  if (!isObject(item)) return [JSON.stringify(typeof item === "string" ? foldText(item).trim() : item)];
  const entries = Object.entries(item).map(([name, value]) => [name.toLowerCase(), value] as const);
  const keys = IDENTITIES.flatMap((identity) => {
    const value = entries.find(([name]) => name === identity)?.[1];
    if (typeof value !== "string" && typeof value !== "number") return [];
    const rest = NAMES.has(identity) ? variant(entries) : "";
    return [`${identity} ${foldText(String(value)).trim()} ${rest}`];
  });
  return keys.length === 0 ? [JSON.stringify(item)] : keys;
}

/** Reports whether two things of one name are different: they have two addresses, or two numbers. */
function isAnother(first: unknown, second: unknown): boolean {
  if (!isObject(first) || !isObject(second)) return false;
  return [...IDENTITIES].some(
    (identity) =>
      !NAMES.has(identity) &&
      !isEmpty(first[identity]) &&
      !isEmpty(second[identity]) &&
      first[identity] !== second[identity],
  );
}

/**
 * Returns the variant: things of one name on different days, in different places or of different prices are different
 * things.
 */
function variant(entries: readonly (readonly [string, unknown])[]): string {
  const telling = entries.filter(([name]) =>
    /^(?:date|startdate|start|day|time|city|location|venue|size|color|price)$/.test(name),
  );
  return JSON.stringify(telling.map(([, value]) => value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
