import type { RecognisedPage, VisionReading } from "../../../core/ocr/recognised-page.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";

/** The result of comparing what a vision model wrote with the words that OCR or the text layer has. */
export interface CheckedReading {
  /** False for a reading that has too little in common with the words of its page. */
  isUsable: boolean;
  /** False where neither OCR nor the text layer has words that confirm the reading, or the budget did not suffice. */
  isChecked: boolean;
  /** Numbers and names that neither has, each once. */
  unconfirmed: string[];
}

/** Words of OCR that are hardly ever wrong. */
const SURE = 0.85;
const MIN_SURE_WORDS = 10;
/** Share of the sure words that a usable reading has. */
const MIN_SHARED = 0.5;
/** Words that the text layer and OCR have at least together, where OCR alone has too few sure ones to tell. */
const MIN_KNOWN_WORDS = 6;
/** Share of the words of a reading that OCR and the text layer have where they confirm it. */
const MIN_CONFIRMED = 0.1;
/** A reading with fewer words may have none that OCR read without a fault. */
const MIN_TELLING_WORDS = 3;
const MAX_UNCONFIRMED = 100;
const COMPARISONS_PER_STEP = 4;
/** Signs within numbers: points, commas, spaces, apostrophes, dashes, slashes and colons. */
const NUMBER = /\d(?:[\d.,'’:/\u00a0\u202f -]*\d)?/g;
const NAME = /\p{Lu}[\p{L}\p{M}'’-]{2,}/gu;
/** Words of three letters and more, and pairs of letters of scripts without spaces between words. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const UNIT = new RegExp(`[${UNSPACED}](?=([${UNSPACED}]))|(?:(?![${UNSPACED}])[\\p{L}\\p{M}]){3,}`, "gu");
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
/** Letters that OCR reads in place of digits. */
const LIKE_DIGITS: Record<string, string> = { o: "0", O: "0", l: "1", I: "1", "|": "1", S: "5", B: "8", Z: "2" };

/**
 * Compares the markdown of a vision model with the words of the page. A number is confirmed by the same digits, also where OCR
 * has a letter like one; a name of five letters and more by a word with one letter in five different.
 */
export function checkReading(
  { markdown }: Pick<VisionReading, "markdown">,
  known: { ocr: Pick<RecognisedPage, "lines">; textLayer: readonly string[] },
  budget: WorkBudget,
): CheckedReading {
  const ocrLines = known.ocr.lines.map(({ words }) => words.map(({ text }) => text).join(" "));
  const lines = [...ocrLines, ...known.textLayer];
  const words = wordsOf(lines);
  const written = markdown.replace(/[*_#|`$\\]|<[^>]{0,100}>/g, " ");
  const own = new Set((written.match(WORD) ?? []).map((word) => word.toLowerCase()));
  const units = unitsOf([written]);
  const unconfirmed = [...unconfirmedNumbers(written, lines, budget), ...unconfirmedNames(written, words, budget)];
  const confirmed = units.intersection(unitsOf(lines)).size;
  const least = units.size < MIN_TELLING_WORDS ? 0 : Math.max(1, units.size * MIN_CONFIRMED);
  const isConfirmed = words.size > 0 && confirmed >= least;
  return {
    isUsable: isTextOfPage(own, units, known),
    isChecked: (isConfirmed || own.size === 0) && !budget.isSpent,
    unconfirmed: unconfirmed.slice(0, MAX_UNCONFIRMED),
  };
}

/** Reports whether a reading has half of the words that are sure: those of OCR, or else those of the text layer as well. */
function isTextOfPage(
  own: ReadonlySet<string>,
  units: ReadonlySet<string>,
  { ocr, textLayer }: { ocr: Pick<RecognisedPage, "lines">; textLayer: readonly string[] },
): boolean {
  const sure = ocr.lines
    .flatMap((line) => line.words)
    .filter(({ text, confidence }) => confidence >= SURE && /^\p{L}{4,}$/u.test(text));
  const shared = sure.filter(({ text }) => own.has(text.toLowerCase())).length;
  if (sure.length >= MIN_SURE_WORDS) return shared >= sure.length * MIN_SHARED;
  const ofLayer = unitsOf(textLayer);
  const known = ofLayer.union(unitsOf(sure.map(({ text }) => text)));
  if (ofLayer.size === 0 || known.size < MIN_KNOWN_WORDS) return true;
  return known.intersection(units).size >= known.size * MIN_SHARED;
}

function unitsOf(texts: readonly string[]): Set<string> {
  return new Set(
    texts.flatMap((text) => Array.from(text.toLowerCase().matchAll(UNIT), ([unit, next = ""]) => unit + next)),
  );
}

/** Returns the words of lines in lower case, and those that the ends of lines part. */
function wordsOf(lines: readonly string[]): Set<string> {
  const words = new Set<string>();
  for (const [at, line] of lines.entries()) {
    const found = line.match(WORD) ?? [];
    for (const word of found) words.add(word.toLowerCase());
    const next = lines[at + 1]?.match(WORD)?.[0];
    if (/[-\u00ad]\s*$/.test(line) && next !== undefined) words.add(`${found.at(-1) ?? ""}${next}`.toLowerCase());
  }
  return words;
}

function unconfirmedNumbers(written: string, lines: readonly string[], budget: WorkBudget): string[] {
  const exact = new Set<string>();
  const digitsOfLines = lines.map((line) => {
    const digits = line.replace(/\S*\d\S*/g, (word) =>
      word.replace(/[oOlI|SBZ]/g, (letter) => LIKE_DIGITS[letter] ?? letter),
    );
    for (const [number] of digits.matchAll(NUMBER)) {
      exact.add(digitsOf(number));
      for (const part of number.match(/\d+/g) ?? []) exact.add(part);
    }
    return digitsOf(digits);
  });
  const numbers = new Map<string, string>();
  for (const [number] of written.matchAll(NUMBER))
    for (const part of partsOf(number)) numbers.set(digitsOf(part), part);
  return [...numbers].flatMap(([digits, number]) => {
    if (digits.length < 2 || exact.has(digits)) return [];
    if (!budget.take(digitsOfLines.length / COMPARISONS_PER_STEP)) return [];
    // The digits of a long number may be parted by spaces that OCR saw.
    return digits.length >= 4 && digitsOfLines.some((line) => line.includes(digits)) ? [] : [number];
  });
}

/** Returns the numbers of a stretch: spaces part them, except groups of three digits. */
function partsOf(number: string): string[] {
  const grouped = /^\d{1,3}(?:[\u00a0\u202f ]\d{3})+(?:[.,]\d+)?$/.test(number);
  return grouped ? [number] : number.split(/[\u00a0\u202f ]+/);
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

function unconfirmedNames(written: string, words: ReadonlySet<string>, budget: WorkBudget): string[] {
  const byLength = Map.groupBy(words, (word) => word.length);
  const names = new Set(
    (written.match(NAME) ?? []).flatMap((name) => name.split(/['’-]/)).filter((part) => part.length > 2),
  );
  return [...names].filter((name) => {
    const lower = name.toLowerCase();
    if (!/\p{Lu}/u.test(name) || words.has(lower)) return false;
    const most = Math.floor(lower.length / 5);
    if (most === 0) return true;
    for (let length = lower.length - most; length <= lower.length + most; length++) {
      const some = byLength.get(length) ?? [];
      if (!budget.take((some.length * lower.length) / COMPARISONS_PER_STEP)) return false;
      if (some.some((word) => isWithin(lower, word, most))) return false;
    }
    return true;
  });
}

/** Reports whether two words differ by at most so many letters: inserted, left out or replaced. */
function isWithin(one: string, other: string, most: number): boolean {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to++) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    if (Math.min(...next) > most) return false;
    row = next;
  }
  return (row.at(-1) ?? 0) <= most;
}
