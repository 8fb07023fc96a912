import { decodeHTMLStrict } from "entities";
import { tokensOf, wordF1 } from "../../../src/tools/train-main-content/word-f1.ts";

const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚]/g, "'"],
  [/[“”„]/g, '"'],
  [/[–—‑‒−]/g, "-"],
  [/＿/g, "_"],
  [/\u00b5/g, "\u03bc"],
];

/** HTML that readers see nothing of: comments, which gold texts have in place of pictures, and tags of inline marks. */
const UNSEEN = /<!--(?:(?!-->)[\s\S])*-->|<\/?(?:sup|sub|u|mark|ins|del|s)\s*>/g;

/**
 * Returns a text as it is seen: without markdown's marks, HTML comments and inline tags, with character references
 * resolved (CommonMark § 6.2), with plain quotes and dashes, and single spaces.
 */
export function plainText(markdown: string): string {
  let text = decodeHTMLStrict(markdown.replace(UNSEEN, "").replace(/<br\s*\/?>/g, " "))
    .replace(/\\([^\p{L}\p{N}\s])/gu, "$1")
    .replace(/^#+\s*/gm, "")
    .replace(/(\*\*|__)(.*?)\1/g, "$2")
    .replace(/\*(.*?)\*/g, "$1")
    // An underscore within a word is no mark (CommonMark § 6.2).
    .replace(/(?<![\p{L}\p{N}])_(.*?)_(?![\p{L}\p{N}])/gu, "$1")
    .replace(/\|/g, " ")
    .replace(/\s+/g, " ")
    .normalize("NFC");
  for (const [pattern, plain] of ALIKE) text = text.replace(pattern, plain);
  return text.trim();
}

/** Returns the cells of markdown tables and of HTML tables, rows of rules left out. */
export function tablesOf(markdown: string): string[][][] {
  const tables: string[][][] = [];
  let table: string[][] = [];
  for (const line of [...markdown.split("\n"), ""]) {
    if (line.trim().startsWith("|")) {
      const cells = line
        .trim()
        .replace(/^\||\|$/g, "")
        .split(/(?<!\\)\|/)
        .map(plainText);
      if (!cells.every((cell) => /^[:\- ]*$/.test(cell))) table.push(cells);
    } else if (table.length > 0) {
      tables.push(table);
      table = [];
    }
  }
  const html = [...markdown.matchAll(/<table.*?<\/table>/gs)].map(([text]) =>
    [...text.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = ""]) =>
        plainText(cell.replace(/<[^>]+>/g, " ")),
      ),
    ),
  );
  return [...tables, ...html];
}

/** Agreement of a reading with gold markdown, each an F1 of 0 to 1; undefined where neither has such parts. */
export interface GoldScore {
  words: number;
  rows: number | undefined;
  headings: number | undefined;
  /** Share of neighbouring words of the gold text that are neighbours in the reading. */
  order: number;
}

export function scoreGold(markdown: string, gold: string): GoldScore {
  return {
    words: wordF1(plainText(markdown), plainText(gold), tokensOf).f1,
    rows: partsF1(rowKeys(markdown), rowKeys(gold)),
    headings: partsF1(headingKeys(markdown), headingKeys(gold)),
    order: wordF1(plainText(markdown), plainText(gold), pairsOf).recall,
  };
}

function pairsOf(text: string): string[] {
  const words = tokensOf(text);
  return words.slice(1).map((word, at) => `${words[at]} ${word}`);
}

function rowKeys(markdown: string): string[] {
  return tablesOf(markdown).flatMap((rows) =>
    rows.map((cells) => cells.map((cell) => tokensOf(cell).join(" ")).join("|")),
  );
}

function headingKeys(markdown: string): string[] {
  return [...markdown.matchAll(/^#{1,6}\s+(.+)$/gm)].map(([, text = ""]) => tokensOf(plainText(text)).join(" "));
}

function partsF1(found: readonly string[], wanted: readonly string[]): number | undefined {
  if (found.length === 0 && wanted.length === 0) return undefined;
  const left = new Map<string, number>();
  for (const part of wanted) left.set(part, (left.get(part) ?? 0) + 1);
  let shared = 0;
  for (const part of found) {
    const count = left.get(part) ?? 0;
    if (count > 0) shared++;
    left.set(part, count - 1);
  }
  return (2 * shared) / (found.length + wanted.length);
}
