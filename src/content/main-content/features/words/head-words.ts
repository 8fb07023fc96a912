/** The words by which a page's head describes its content: its title and its descriptions. */
import type { HtmlHead } from "../../../html/tree/tree.ts";
import { eachWord, hashPair, HashTable, randomFactor } from "./word-hash.ts";

/** Bits of the table's values. Words of the title count singly, those of descriptions in pairs. */
export const IN_TITLE = 1;
export const IN_DESCRIPTION = 2;

/** Characters of the title that are read, and of all descriptions together. */
const MAX_TITLE_CHARS = 1_000;
const MAX_DESCRIPTION_CHARS = 10_000;
const DESCRIBING_META = /^(?:description|og:description|twitter:description)$/i;

/** Returns a table from words of the title, and pairs of words of the descriptions, to the bits of where they occur. */
export function collectHeadWords(head: HtmlHead): HashTable {
  const title = head.title.slice(0, MAX_TITLE_CHARS);
  const descriptions = descriptionsOf(head);
  const length = descriptions.reduce((sum, text) => sum + text.length, title.length);
  // In scripts without spaces, a word begins at every character.
  const table = new HashTable(length + 8, randomFactor());
  eachWord(title, (_start, _end, word) => table.set(word, IN_TITLE));
  for (const text of descriptions) addPairs(table, text);
  return table;
}

function descriptionsOf({ metas }: HtmlHead): string[] {
  const descriptions: string[] = [];
  let left = MAX_DESCRIPTION_CHARS;
  for (const { name, property, content = "" } of metas) {
    if (left === 0) break;
    if (content === "" || !DESCRIBING_META.test(name ?? property ?? "")) continue;
    const description = content.slice(0, left);
    left -= description.length;
    descriptions.push(description);
  }
  return descriptions;
}

function addPairs(table: HashTable, text: string): void {
  let last = 0;
  eachWord(text, (_start, _end, word) => {
    const pair = hashPair(last, word);
    if (last !== 0) table.set(pair, table.get(pair) | IN_DESCRIPTION);
    last = word;
  });
}
