/**
 * Learned log-odds of words: how much more often than usual a word stands in main content. Three tables: words in the
 * attributes of elements, words of short blocks, words of the heading above a block.
 */
import type { ElementNode } from "../tree.ts";

export type OddsTable = ReadonlyMap<string, number>;

export interface WordOdds {
  classes: OddsTable;
  texts: OddsTable;
  headings: OddsTable;
}

/** What one text or one element adds up to in a table. */
export interface OddsSummary {
  highest: number;
  lowest: number;
  sum: number;
  /** How many of its words the table knows. */
  known: number;
}

const NAMING_ATTRIBUTES = [
  ["class", ""],
  ["id", "#"],
  ["role", "r="],
  ["itemprop", "i="],
  ["data-testid", ""],
  ["data-component", ""],
  ["aria-label", "l="],
] as const;

const MAX_NAME_LENGTH = 300;
const MAX_TEXT_WORDS = 24;
const NO_ODDS: OddsSummary = { highest: 0, lowest: 0, sum: 0, known: 0 };

/** The string that decides an element's class words: equal strings, equal words. */
export function nameKey({ tag, attributes }: ElementNode): string {
  let key = tag;
  for (const [attribute, prefix] of NAMING_ATTRIBUTES) {
    const value = attributes[attribute];
    if (value) key += ` ${prefix}${value.length > MAX_NAME_LENGTH ? value.slice(0, MAX_NAME_LENGTH) : value}`;
  }
  return key;
}

/** The distinct words of an element's name key; an id's first word begins with "#", a role's with "r=" and so on. */
export function classWords(key: string): Set<string> {
  const words = new Set<string>();
  for (const word of key
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z#=]+/)) {
    if (word.length > 1 && word.length < 24) words.add(word);
  }
  return words;
}

/** The distinct words at the start of a text, in lower case; numbers are one word. */
export function textWords(text: string): Set<string> {
  const words = new Set<string>();
  const sample = text.length > 240 ? text.slice(0, 240) : text;
  for (const word of sample.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []) {
    words.add(word.charCodeAt(0) < 58 ? "0" : word);
    if (words.size >= MAX_TEXT_WORDS) break;
  }
  return words;
}

export function summarizeOdds(words: Iterable<string>, table: OddsTable): OddsSummary {
  let summary = NO_ODDS;
  for (const word of words) {
    const odds = table.get(word);
    if (odds === undefined) continue;
    if (summary === NO_ODDS) summary = { ...NO_ODDS };
    summary.highest = Math.max(summary.highest, odds);
    summary.lowest = Math.min(summary.lowest, odds);
    summary.sum += odds;
    summary.known++;
  }
  return summary;
}
