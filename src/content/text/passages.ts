import { withoutStopWords } from "../../core/search/stop-words.ts";
import { foldText, wordsOf } from "../../core/search/words.ts";
import type { WorkBudget } from "../../core/work-budget.ts";

/** A stretch of a text: `text` is exactly the characters between `start` and `end` (UTF-16 units). */
export interface Passage {
  text: string;
  score: number;
  start: number;
  end: number;
}

interface Sentence {
  start: number;
  end: number;
  /** Count of each term, in the order of the terms. */
  counts: number[];
  length: number;
  /** Sentences of different blocks do not belong together. */
  block: number;
  isHeading: boolean;
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
/** Weight of a word that merely begins like the term. */
const INFLECTED = 0.6;
/** Gain of the very first passage over the last: texts say first what they are about. */
const POSITION_GAIN = 0.15;
/** A heading names its subject and answers nothing. */
const HEADING_SHARE = 0.15;
/** Sentences beyond are not considered; a page of 5 MB of prose has some 50,000. */
const MAX_SENTENCES = 100_000;
/** Longer runs are not considered: sentences of a few characters are no prose. */
const MAX_SENTENCES_IN_RUN = 50;
/** In texts of more sentences, only the best run from each sentence is a candidate, to bound memory. */
const MAX_SENTENCES_WITH_ALL_RUNS = 5_000;
/** A passage with every term ranks above one with the same term many times. */
const COVERAGE_GAIN = 0.5;
/** Stops in the scripts that put no space after them end a sentence alone; others need the space. */
const SENTENCE_END = /[。！？｡．]+[」』）”’]*|(?<![.!?…؟।])[.!?…؟।]+["'”’»)\]]*(?=\s)/gu;
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|[Ss]t|[Vv]s|[Nn]o|[Ff]ig|[Ee]tc|[Ee]\.g|[Ii]\.e|[Cc]a|[Ii]nc|[Ll]td|[Zz]\.\s?[Bb]|[Uu]sw|[Bb]zw|[Nn]r)\.$/u;

/**
 * Returns the passages of a text that answer a query best, best first, none overlapping: runs of whole sentences of one
 * block, at most `maxChars` long, ranked by BM25 (Robertson, Zaragoza 2009) over the text's sentences, with a gain for
 * holding more of the terms and for an early position. Returns fewer than `count` when fewer hold any of the terms.
 * @param budget is notified when the text has more sentences than are ranked.
 */
export function bestPassages(
  text: string,
  query: string,
  { count, maxChars, budget }: { count: number; maxChars: number; budget?: Pick<WorkBudget, "cut"> | undefined },
): Passage[] {
  const terms = [...new Set(withoutStopWords(wordsOf(query)))];
  if (terms.length === 0 || text === "" || count < 1 || maxChars < 1) return [];
  const all = splitSentences(text).flatMap((span) => fitted(text, span, { maxChars, terms }));
  if (all.length > MAX_SENTENCES) budget?.cut(`passages after the first ${MAX_SENTENCES} sentences`);
  const sentences = all.slice(0, MAX_SENTENCES);
  const counted = sentences.map((span): Sentence => ({
    ...span,
    ...countTerms(text.slice(span.start, span.end), terms),
  }));
  const candidates = scoreRuns(counted, { terms, maxChars, textLength: text.length });
  return pickApart(candidates, count).map(({ start, end, score }) => ({
    text: text.slice(start, end),
    score,
    start,
    end,
  }));
}

interface Span {
  start: number;
  end: number;
  block: number;
  isHeading: boolean;
}

const HEADING = /^\s*#{1,6}\s/;

/** Returns sentences by position: lines after an empty line, a heading or a list mark begin a new block. */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = [];
  let block = 0;
  let offset = 0;
  for (const line of text.split("\n")) {
    const isEmpty = line.trim() === "";
    if (isEmpty || /^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||>)/.test(line)) block++;
    const isHeading = HEADING.test(line);
    if (!isEmpty) {
      for (const span of sentencesOf(line)) {
        spans.push({ start: offset + span.start, end: offset + span.end, block, isHeading });
      }
    }
    if (isHeading) block++;
    offset += line.length + 1;
  }
  return spans;
}

function sentencesOf(line: string): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  let start = 0;
  for (const match of line.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    if (match[0] === "." && ABBREVIATION.test(line.slice(Math.max(start, end - 8), end))) continue;
    pushTrimmed(spans, line, { start, end });
    start = end;
  }
  pushTrimmed(spans, line, { start, end: line.length });
  return spans;
}

function pushTrimmed(
  spans: { start: number; end: number }[],
  line: string,
  { start, end }: { start: number; end: number },
): void {
  const piece = line.slice(start, end);
  const from = start + piece.length - piece.trimStart().length;
  const to = end - (piece.length - piece.trimEnd().length);
  if (from < to) spans.push({ start: from, end: to });
}

/** Cuts a sentence that is too long for a passage into pieces, at spaces where there are any. */
function fitted(text: string, span: Span, { maxChars, terms }: { maxChars: number; terms: string[] }): Span[] {
  if (span.end - span.start <= maxChars) return [span];
  const pieces: Span[] = [];
  let start = firstTermAt(text, span, { maxChars, terms });
  while (start < span.end) {
    const limit = Math.min(span.end, start + maxChars);
    // A piece ends at a space of its second half. The search does not look further back.
    const half = start + Math.floor(maxChars / 2) + 1;
    const space = limit < span.end ? text.slice(half, limit + 1).lastIndexOf(" ") : -1;
    const end = space >= 0 ? half + space : wholeCharacter(text, limit);
    pieces.push({ start, end: Math.max(end, start + 1), block: span.block, isHeading: span.isHeading });
    start = Math.max(end, start + 1);
    while (start < span.end && text[start] === " ") start++;
  }
  return pieces;
}

/**
 * Returns the start of the pieces of a long sentence: a little before its first term, so that its lead-in is not cut
 * off.
 */
function firstTermAt(
  text: string,
  { start, end }: Span,
  { maxChars, terms }: { maxChars: number; terms: string[] },
): number {
  const sentence = text.slice(start, end).toLowerCase();
  const places = terms.map((term) => sentence.indexOf(term)).filter((place) => place >= 0);
  const first = Math.min(...places);
  if (!Number.isFinite(first) || first < maxChars) return start;
  const wanted = start + first - Math.floor(maxChars / 3);
  const space = text.slice(wanted, start + first).indexOf(" ");
  return space >= 0 ? wanted + space + 1 : wholeCharacter(text, wanted);
}

/** Returns an index that is not between the two halves of a surrogate pair. */
function wholeCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

function countTerms(sentence: string, terms: readonly string[]): { counts: number[]; length: number } {
  const folded = foldText(sentence);
  const counts = terms.map(() => 0);
  // Most sentences hold no term at all, and searching for a term is much faster than splitting words.
  if (!terms.some((term) => folded.includes(stemOf(term)))) return { counts, length: Math.ceil(sentence.length / 6) };
  const words = wordsOf(sentence);
  for (const word of words) {
    for (const [index, term] of terms.entries()) counts[index] = (counts[index] ?? 0) + likeness(word, term);
  }
  return { counts, length: words.length };
}

function likeness(word: string, term: string): number {
  if (word === term) return 1;
  const stem = stemOf(term);
  return stem.length >= 4 && word.startsWith(stem) && word.length <= stem.length + 5 ? INFLECTED : 0;
}

/** Returns a term without the endings of an English plural or verb: enough to match `ferries` and `ferry`. */
function stemOf(term: string): string {
  if (term.length < 5 || !/^[a-z]+$/.test(term)) return term;
  return term.replace(/(?:ies|ing|es|ed|s|y)$/, "");
}

type Run = Omit<Passage, "text">;

/** Scores the runs of sentences that fit, from each sentence with a term and from the one before it. */
function scoreRuns(
  sentences: readonly Sentence[],
  { terms, maxChars, textLength }: { terms: readonly string[]; maxChars: number; textLength: number },
): Run[] {
  const meanLength = sentences.reduce((sum, { length }) => sum + length, 0) / Math.max(1, sentences.length);
  const rarity = terms.map((_, term) => {
    const holders = sentences.filter(({ counts }) => (counts[term] ?? 0) > 0).length;
    return Math.log(1 + (sentences.length - holders + 0.5) / (holders + 0.5));
  });
  const runs: Run[] = [];
  const keepsBestOnly = sentences.length > MAX_SENTENCES_WITH_ALL_RUNS;
  for (const [first, sentence] of sentences.entries()) {
    const isHeld = sentence.counts.some((held) => held > 0);
    const leadsOn = (sentences[first + 1]?.counts ?? []).some((held) => held > 0);
    if (!isHeld && !leadsOn) continue;
    const counts = terms.map(() => 0);
    let length = 0;
    let best: Run | undefined;
    const beyond = Math.min(sentences.length, first + MAX_SENTENCES_IN_RUN);
    for (let last = first; last < beyond; last++) {
      const next = sentences[last];
      if (next === undefined || next.block !== sentence.block || next.end - sentence.start > maxChars) break;
      length += next.length;
      for (const [term, held] of next.counts.entries()) counts[term] = (counts[term] ?? 0) + held;
      const score = scoreOf(counts, { rarity, length, meanLength });
      if (score > 0) {
        const early = 1 - sentence.start / Math.max(1, textLength);
        const share = last === first && sentence.isHeading ? HEADING_SHARE : 1;
        const run = { start: sentence.start, end: next.end, score: score * share * (1 + POSITION_GAIN * early) };
        if (!keepsBestOnly) runs.push(run);
        else if (best === undefined || run.score > best.score) best = run;
      }
    }
    if (best !== undefined) runs.push(best);
  }
  return runs;
}

function scoreOf(
  counts: readonly number[],
  { rarity, length, meanLength }: { rarity: readonly number[]; length: number; meanLength: number },
): number {
  const slack = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, meanLength));
  const sum = counts.reduce((total, held, term) => total + ((rarity[term] ?? 0) * held) / (held + slack), 0);
  const covered = counts.filter((held) => held > 0).length / Math.max(1, counts.length);
  return sum * (1 + COVERAGE_GAIN * covered);
}

/** Returns the best runs that do not overlap; of equals the earlier, and of those the shorter. */
function pickApart(runs: readonly Run[], count: number): Run[] {
  const ordered = [...runs].sort(
    (left, right) => right.score - left.score || left.start - right.start || left.end - right.end,
  );
  const picked: Run[] = [];
  for (const run of ordered) {
    if (picked.length >= count) break;
    if (picked.every((other) => run.end <= other.start || run.start >= other.end)) picked.push(run);
  }
  return picked;
}
