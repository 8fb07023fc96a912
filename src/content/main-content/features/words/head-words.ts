/** The words by which a page's head describes its content: its title and its descriptions. */
import type { HtmlHead } from "../../../html/tree/tree.ts";
import { eachWord, hashPair, HashTable } from "./word-hash.ts";

/** Bits of the table's values. Words of the title count singly, those of descriptions in pairs. */
export const IN_TITLE = 1;
export const IN_DESCRIPTION = 2;

/** Characters of each description that are read; a page may state any number of them. */
const MAX_DESCRIPTION_CHARS = 10_000;
const DESCRIBING_META = /^(?:description|og:description|twitter:description)$/i;

/** Returns a table from words of the title, and pairs of words of the descriptions, to the bits of where they occur. */
export function collectHeadWords(head: HtmlHead): HashTable {
  const descriptions = head.metas.flatMap(({ name, property, content }) =>
    content !== undefined && DESCRIBING_META.test(name ?? property ?? "")
      ? [content.slice(0, MAX_DESCRIPTION_CHARS)]
      : [],
  );
  const length = head.title.length + descriptions.reduce((sum, text) => sum + text.length, 0);
  // In scripts without spaces, a word begins at every character.
  const table = new HashTable(length + 8);
  eachWord(head.title, (_start, _end, word) => table.set(word, IN_TITLE));
  for (const text of descriptions) addPairs(table, text);
  return table;
}

function addPairs(table: HashTable, text: string): void {
  let last = 0;
  eachWord(text, (_start, _end, word) => {
    const pair = hashPair(last, word);
    if (last !== 0) table.set(pair, table.get(pair) | IN_DESCRIPTION);
    last = word;
  });
}
