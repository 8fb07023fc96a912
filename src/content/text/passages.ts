import { atOnce, inTurns, type Turns } from "../../core/in-turns.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { PassageTerms } from "./passage-terms.ts";

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
  /** Count of each term that it holds, by the number of the term. */
  held: ReadonlyMap<number, number>;
  length: number;
  /** Sentences of different blocks do not belong together. */
  block: number;
  isHeading: boolean;
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
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
/**
 * Terms by which passages are ranked: of a longer query the rarest in the text, which weigh most. All of them are
 * counted.
 */
const MAX_TERMS = 32;
/** A long sentence is searched for the first of so many terms. */
const MAX_FIRST_TERMS = 32;
/** Characters of sentences whose terms are counted, and comparisons of runs, in one turn: some 10 ms. */
const CHARS_A_TURN = 100_000;
const RUN_STEPS_A_TURN = 100_000;
/** A passage with every term ranks above one with the same term many times. */
const COVERAGE_GAIN = 0.5;
/** Stops in the scripts that put no space after them end a sentence alone; others need the space. */
const SENTENCE_END = /[。！？｡．]+[」』）”’]*|(?<![.!?…؟।])[.!?…؟।]+["'”’»)\]]*(?=\s)/gu;
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|[Ss]t|[Vv]s|[Nn]o|[Ff]ig|[Ee]tc|[Ee]\.g|[Ii]\.e|[Cc]a|[Ii]nc|[Ll]td|[Zz]\.\s?[Bb]|[Uu]sw|[Bb]zw|[Nn]r)\.$/u;

export interface BestPassagesOptions {
  count: number;
  /** UTF-16 units. */
  maxChars: number;
  /** Counts a step for each word and each comparison, and is notified when part of the text is not ranked. */
  budget?: Pick<WorkBudget, "cut" | "take"> | undefined;
}

/**
 * Returns the passages of a text that answer a query best, best first, none overlapping: runs of whole sentences of one
 * block, at most `maxChars` long, ranked by BM25 (Robertson, Zaragoza 2009) over the text's sentences, with a gain for
 * holding more of the terms and for an early position. Returns fewer than `count` when fewer hold any of the terms.
 * Of a query with more than 32 terms in the text, the 32 rarest count.
 */
export function bestPassages(text: string, query: string, options: BestPassagesOptions): Passage[] {
  return atOnce(rankPassages(text, query, options));
}

/** Returns what `bestPassages` returns, and lets other requests run meanwhile. */
export async function bestPassagesInTurns(
  text: string,
  query: string,
  options: BestPassagesOptions,
): Promise<Passage[]> {
  return await inTurns(rankPassages(text, query, options));
}

/** Does the work of `bestPassages`. */
export function* rankPassages(
  text: string,
  query: string,
  { count, maxChars, budget }: BestPassagesOptions,
): Turns<Passage[]> {
  const terms = new PassageTerms(query);
  if (terms.terms.length === 0 || text === "" || count < 1 || maxChars < 1) return [];
  const sentences = yield* countSentences(text, terms, { maxChars, budget });
  const candidates = yield* scoreRuns(sentences, {
    termCount: terms.terms.length,
    maxChars,
    textLength: text.length,
    budget,
    // One passage overlaps with no other.
    keepsBestOnly: count === 1 || sentences.length > MAX_SENTENCES_WITH_ALL_RUNS,
  });
  return pickApart(candidates, count).map(({ start, end, score }) => ({
    text: text.slice(start, end),
    score,
    start,
    end,
  }));
}

function* countSentences(
  text: string,
  terms: PassageTerms,
  { maxChars, budget }: Pick<BestPassagesOptions, "maxChars" | "budget">,
): Turns<Sentence[]> {
  const sentences: Sentence[] = [];
  const firstTerms = terms.terms.slice(0, MAX_FIRST_TERMS);
  let chars = 0;
  for (const spans of linesOfSentences(text)) {
    for (const span of spans.flatMap((each) => fitted(text, each, { maxChars, terms: firstTerms }))) {
      if (sentences.length >= MAX_SENTENCES) {
        budget?.cut(`passages after the first ${MAX_SENTENCES} sentences`);
        return sentences;
      }
      const { held, length, steps } = terms.countIn(text.slice(span.start, span.end));
      sentences.push({ ...span, held, length });
      if (budget?.take(steps) === false) {
        budget.cut(`passages after the first ${sentences.length} sentences`);
        return sentences;
      }
      chars += span.end - span.start;
      if (chars < CHARS_A_TURN) continue;
      chars = 0;
      yield;
    }
  }
  return sentences;
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
  return [...linesOfSentences(text)].flat();
}

/** Returns the sentences line by line; none for an empty line. */
function* linesOfSentences(text: string): Generator<Span[]> {
  let block = 0;
  let offset = 0;
  for (const line of text.split("\n")) {
    const isEmpty = line.trim() === "";
    if (isEmpty || /^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||>)/.test(line)) block++;
    const isHeading = HEADING.test(line);
    if (!isEmpty) {
      const [from, own] = [offset, block];
      yield sentencesOf(line).map(({ start, end }) => ({
        start: from + start,
        end: from + end,
        block: own,
        isHeading,
      }));
    }
    if (isHeading) block++;
    offset += line.length + 1;
  }
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
function fitted(text: string, span: Span, { maxChars, terms }: { maxChars: number; terms: readonly string[] }): Span[] {
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
  { maxChars, terms }: { maxChars: number; terms: readonly string[] },
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

type Run = Omit<Passage, "text">;

interface RunLimits extends Pick<BestPassagesOptions, "maxChars" | "budget"> {
  termCount: number;
  textLength: number;
  /** True when only the best run from each sentence is a candidate. */
  keepsBestOnly: boolean;
}

/** Scores the runs of sentences that fit, from each sentence with a term and from the one before it. */
function* scoreRuns(
  counted: readonly Sentence[],
  { termCount, maxChars, textLength, budget, keepsBestOnly }: RunLimits,
): Turns<Run[]> {
  const meanLength = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const holders = holdersOf(counted);
  const sentences = withRarest(counted, holders);
  const rarity = new Map(
    [...holders].map(([term, held]) => [term, Math.log(1 + (counted.length - held + 0.5) / (held + 0.5))]),
  );
  const weights = { rarity, meanLength, termCount: Math.min(termCount, MAX_TERMS) };
  const runs: Run[] = [];
  let steps = 0;
  for (const [first, sentence] of sentences.entries()) {
    if (sentence.held.size === 0 && (sentences[first + 1]?.held.size ?? 0) === 0) continue;
    const counts = new Map<number, number>();
    let length = 0;
    let best: Run | undefined;
    let taken = 1;
    const beyond = Math.min(sentences.length, first + MAX_SENTENCES_IN_RUN);
    for (let last = first; last < beyond; last++) {
      const next = sentences[last];
      if (next === undefined || next.block !== sentence.block || next.end - sentence.start > maxChars) break;
      length += next.length;
      for (const [term, held] of next.held) counts.set(term, (counts.get(term) ?? 0) + held);
      taken += 1 + counts.size;
      const score = scoreOf(counts, length, weights);
      if (score > 0) {
        const early = 1 - sentence.start / Math.max(1, textLength);
        const share = last === first && sentence.isHeading ? HEADING_SHARE : 1;
        const run = { start: sentence.start, end: next.end, score: score * share * (1 + POSITION_GAIN * early) };
        if (!keepsBestOnly) runs.push(run);
        else if (best === undefined || run.score > best.score) best = run;
      }
    }
    if (best !== undefined) runs.push(best);
    if (budget?.take(taken) === false) {
      budget.cut(`passages after the first ${first + 1} sentences`);
      break;
    }
    steps += taken;
    if (steps < RUN_STEPS_A_TURN) continue;
    steps = 0;
    yield;
  }
  return runs;
}

/** Returns the number of sentences that hold each term. */
function holdersOf(sentences: readonly Sentence[]): Map<number, number> {
  const holders = new Map<number, number>();
  for (const { held } of sentences) {
    for (const term of held.keys()) holders.set(term, (holders.get(term) ?? 0) + 1);
  }
  return holders;
}

/** Leaves out the terms that most sentences hold, when there are too many; of equals, the later ones of the query. */
function withRarest(sentences: readonly Sentence[], holders: ReadonlyMap<number, number>): readonly Sentence[] {
  if (holders.size <= MAX_TERMS) return sentences;
  const ordered = [...holders].toSorted(([left, one], [right, other]) => one - other || left - right);
  const kept = new Set(ordered.slice(0, MAX_TERMS).map(([term]) => term));
  return sentences.map((sentence) =>
    sentence.held.size === 0
      ? sentence
      : { ...sentence, held: new Map([...sentence.held].filter(([term]) => kept.has(term))) },
  );
}

function scoreOf(
  counts: ReadonlyMap<number, number>,
  length: number,
  weights: { rarity: ReadonlyMap<number, number>; meanLength: number; termCount: number },
): number {
  if (counts.size === 0) return 0;
  const { rarity, meanLength, termCount } = weights;
  const slack = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, meanLength));
  let sum = 0;
  for (const [term, held] of counts) sum += ((rarity.get(term) ?? 0) * held) / (held + slack);
  return sum * (1 + (COVERAGE_GAIN * counts.size) / Math.max(1, termCount));
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
