import { foldText, wordsOf } from "../../core/search/words.ts";
import { withoutStopWords } from "../../core/search/stop-words.ts";
import { atOnce, inTurns, type Turns } from "../../core/in-turns.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { rankPassages, splitSentences, type Passage } from "../text/passages.ts";
import { plainText } from "./markdown-facts.ts";
import { missingWords } from "./subject-words.ts";

/** Passages that are ranked for each that is returned: pictures and repetitions are left out afterwards. */
const RANKED_PER_PASSAGE = 6;
const MIN_LETTERS = 12;
/** Share of the best passage's score below which a further passage is left out. */
const MIN_SHARE = 0.3;

export interface PassageOptions {
  count: number;
  maxChars: number;
  budget?: Pick<WorkBudget, "cut" | "take"> | undefined;
  /** Share of the query's words that the best passages together must hold; otherwise none is returned. Default: 0. */
  minCoverage?: number;
}

/**
 * Returns the passages of a text that answer a query best, best first: with words of their own beside pictures and
 * links, and no text twice.
 */
export function findPassages(text: string, query: string, options: PassageOptions): Passage[] {
  return atOnce(pickPassages(text, query, options));
}

/** Returns what `findPassages` returns, and lets other requests run meanwhile. */
export async function findPassagesInTurns(text: string, query: string, options: PassageOptions): Promise<Passage[]> {
  return await inTurns(pickPassages(text, query, options));
}

function* pickPassages(
  text: string,
  query: string,
  { count, maxChars, budget, minCoverage = 0 }: PassageOptions,
): Turns<Passage[]> {
  const ranked = yield* rankPassages(text, query, { count: count * RANKED_PER_PASSAGE, maxChars, budget });
  const seen: string[] = [];
  const found: Passage[] = [];
  const floor = (ranked[0]?.score ?? 0) * MIN_SHARE;
  for (const passage of ranked) {
    if (found.length >= count || passage.score < floor) break;
    const words = foldText(plainText(passage.text))
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
    if (words.replaceAll(" ", "").length < MIN_LETTERS) continue;
    if (seen.some((other) => other.includes(words) || words.includes(other))) continue;
    seen.push(words);
    found.push(passage);
  }
  return minCoverage > 0 && coverageOf(found, query) < minCoverage ? [] : found;
}

function coverageOf(passages: readonly Passage[], query: string): number {
  const terms = [...new Set(withoutStopWords(wordsOf(query)))];
  const missing = missingWords(passages.map(({ text }) => text).join(" "), terms);
  return 1 - missing.length / Math.max(1, terms.length);
}

const IS = "(?:is|are|was|were|ist|sind|war|est|sont|es|son|e|sono)";
const MAX_DEFINED = 2_000;

/** Returns the first sentence that says what a thing is: `systemd is a suite of …`. */
export function findDefinition(text: string, words: readonly string[]): Passage | undefined {
  const name = words.map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, ".")).join("\\W+");
  if (name === "") return undefined;
  const pattern = new RegExp(
    `^\\W*(?:(?:the|a|an|der|die|das|le|la|el|il)\\s+)?${name}(?:\\s*\\([^)]{0,60}\\))?,?\\s+${IS}\\s`,
    "u",
  );
  for (const { start, end, isHeading } of splitSentences(text).slice(0, MAX_DEFINED)) {
    const sentence = text.slice(start, end);
    if (isHeading || sentence.length > 1_000) continue;
    if (pattern.test(foldText(plainText(sentence)))) return { text: sentence, score: 1, start, end };
  }
  return undefined;
}
