import { withoutStopWords } from "../../core/search/stop-words.ts";
import { wordsOf } from "../../core/search/words.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { bestPassages, type Passage } from "./passages.ts";

const CENTRAL_WORDS = 14;
const MIN_WORD_CHARS = 3;
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Returns the passages of a text that represent the whole: those that hold most of the words which the text repeats,
 * early ones first among equals (centrality by term frequency, Luhn 1958). Quotes, in the order of the text.
 */
export function centralPassages(
  text: string,
  title: string,
  {
    count,
    maxChars,
    budget,
  }: { count: number; maxChars: number; budget?: Pick<WorkBudget, "cut" | "take"> | undefined },
): Passage[] {
  const prose = withoutMarkup(text);
  const counts = new Map<string, number>();
  for (const word of withoutStopWords(wordsOf(prose))) {
    if (word.length >= MIN_WORD_CHARS && !/^\d+$/.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const central = [...counts]
    .toSorted((left, right) => right[1] - left[1])
    .slice(0, CENTRAL_WORDS)
    .map(([word]) => word);
  const query = [title, ...central].join(" ");
  const found = bestPassages(text, query, { count: count * 3, maxChars, budget }).filter((passage) =>
    isProse(passage.text),
  );
  return found.slice(0, count).toSorted((left, right) => left.start - right.start);
}

/** Reports whether a passage is prose. Headings, rows of tables, lists of links and code have little meaning alone. */
function isProse(passage: string): boolean {
  if (/^\s*(?:#{1,6}\s|\||```|!\[|[-*+]\s*\[)/.test(passage)) return false;
  const letters = withoutTargets(passage).match(/\p{L}/gu) ?? [];
  // A word of Chinese or Japanese has two letters where an English one has five.
  const ideographs = letters.filter((letter) => IDEOGRAPH.test(letter)).length;
  return letters.length + 1.5 * ideographs >= 25;
}

function withoutMarkup(text: string): string {
  return withoutTargets(text).replace(/```[\s\S]*?```/g, " ");
}

/** Returns text without the targets of its links. Behind the last closing bracket there are none. */
function withoutTargets(text: string): string {
  const end = text.lastIndexOf(")") + 1;
  return text.slice(0, end).replace(/\]\([^)]*\)/g, "]") + text.slice(end);
}
