/** Word log-odds as text: for each value, in tenths, the words that have it. */
import type { LearnedOdds } from "../features/words/word-odds.ts";

export type PackedTable = Record<string, string>;
export type PackedOdds = Record<keyof LearnedOdds, PackedTable>;

export function packOdds({ classes, texts, headings }: LearnedOdds): PackedOdds {
  return { classes: packTable(classes), texts: packTable(texts), headings: packTable(headings) };
}

export function unpackOdds({ classes, texts, headings }: PackedOdds): LearnedOdds {
  return { classes: unpackTable(classes), texts: unpackTable(texts), headings: unpackTable(headings) };
}

function packTable(table: ReadonlyMap<string, number>): PackedTable {
  const words = new Map<number, string[]>();
  for (const [word, odds] of table) {
    const tenths = Math.round(odds * 10);
    const list = words.get(tenths);
    if (list) list.push(word);
    else words.set(tenths, [word]);
  }
  const sorted = [...words].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([tenths, list]) => [`${tenths}`, list.sort().join(" ")]));
}

function unpackTable(table: PackedTable): Map<string, number> {
  const odds = new Map<string, number>();
  for (const [tenths, words] of Object.entries(table)) {
    for (const word of words.split(" ")) odds.set(word, Number(tenths) / 10);
  }
  return odds;
}
