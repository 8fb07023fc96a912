import { fieldName, type Evidence } from "../../../core/scrape/evidence.ts";
import { atOnce, type Turns } from "../../../core/in-turns.ts";
import { foldText } from "../../../core/search/words.ts";
import { WorkBudget } from "../../../core/work-budget.ts";
import { MAX_COMPARED_PLACES, type QuotedText, type Stretch } from "./locate-quote.ts";
import { readDurationSeconds, readNumbers } from "../schema/values.ts";

/** A quote that a model or a rule gives as evidence for a value. */
export interface Claim {
  path: readonly (string | number)[];
  quote: string;
  /** The source of the claim, such as `model`. */
  from: string;
}

/** The texts of one page in which quotes are located, with their hashes. */
export interface QuotedPage {
  url: string;
  markdown: QuotedText;
  markdownHash: string;
  /** The page's source, for values that it states without showing them; the same object as `markdown` without one. */
  source: QuotedText;
  sourceHash: string;
}

const MAX_FIELDS = 5_000;
/** Characters of a text that a quote is searched for in during a step. */
const CHARS_PER_STEP = 256;
/** Characters of a quote that are compared in the time of a step. */
const COMPARED_PER_STEP = 4_096;
/** Steps for the quotes of one result. */
const MAX_STEPS = 10_000_000;
/** Steps in one turn: some 10 ms. */
const STEPS_PER_TURN = 10_000;
/** Share of a value's words that a supporting quote must hold; a model may rephrase a value. */
const WORDS_SHARE = 0.6;

type Path = (string | number)[];
type Scalar = string | number | boolean;

/**
 * Returns the evidence of every value of a result. A claimed quote counts when it is on the page and holds the value;
 * without one, the value itself is located. A value that is on none of the pages is `unverified`, and has no quote. So
 * are values that are left when the budget is spent, which is named there as `evidence`.
 */
export function checkProvenance(...checked: Parameters<typeof checkProvenanceInTurns>): Evidence[] {
  return atOnce(checkProvenanceInTurns(...checked));
}

/** As `checkProvenance`, for the texts of several pages. */
export function* checkProvenanceInTurns(
  value: unknown,
  claims: readonly Claim[],
  pages: readonly QuotedPage[],
  budget = new WorkBudget(),
): Turns<Evidence[]> {
  const search: Search = { pages, budget: budget.within({ steps: MAX_STEPS }), turnSteps: 0 };
  const byField = new Map<string, Claim[]>();
  for (const claim of claims) {
    const field = fieldName(claim.path);
    byField.set(field, [...(byField.get(field) ?? []), claim]);
  }
  const evidence: Evidence[] = [];
  for (const { path, value: leaf } of leavesOf(value).slice(0, MAX_FIELDS)) {
    const field = fieldName(path);
    evidence.push(yield* evidenceOf({ field, leaf }, byField.get(field) ?? [], search));
  }
  return evidence;
}

interface Search {
  pages: readonly QuotedPage[];
  budget: WorkBudget;
  /** Steps of this turn. */
  turnSteps: number;
}

function* evidenceOf(
  { field, leaf }: { field: string; leaf: Scalar },
  claims: readonly Claim[],
  search: Search,
): Turns<Evidence> {
  let doubtful: Evidence | undefined;
  for (const { quote, from } of claims) {
    const found = yield* locate(quote, search);
    if (found === undefined) continue;
    if (bearsOut(quote, leaf)) return { field, ...found, from };
    // A model's quote that does not match is shown as unverified; a rule's reading of another value is no evidence for
    // this one.
    if (from === "model") doubtful ??= { field, ...found, from, unverified: true };
  }
  const itself = isTelling(leaf) ? yield* locate(String(leaf), search) : undefined;
  const from = claims[0]?.from ?? "model";
  if (itself !== undefined) return { field, ...itself, from };
  return doubtful ?? { field, url: search.pages[0]?.url ?? "", from, unverified: true };
}

const TELLING_DIGITS = 4;

/** Reports whether a value can be located: a lone digit occurs on every page, and proves nothing there. */
function isTelling(leaf: Scalar): boolean {
  if (typeof leaf === "boolean") return false;
  return typeof leaf === "string" ? !/^\d{1,3}$/.test(leaf) : String(leaf).length >= TELLING_DIGITS;
}

function* locate(quote: string, search: Search): Turns<Omit<Evidence, "field" | "from"> | undefined> {
  for (const { url, markdown, markdownHash, source, sourceHash } of search.pages) {
    const hasSource = source !== markdown;
    const steps = stepsToFind(quote, markdown.text.length + (hasSource ? source.text.length : 0));
    if (!search.budget.take(steps)) {
      search.budget.cut("evidence");
      return undefined;
    }
    if ((search.turnSteps += steps) >= STEPS_PER_TURN) {
      search.turnSteps = 0;
      yield;
    }
    const shown = yield* markdown.findInTurns(quote);
    if (shown !== undefined) return { url, ...cut(markdown, shown, "markdown"), textHash: markdownHash };
    const hidden = hasSource ? yield* source.findInTurns(quote) : undefined;
    if (hidden !== undefined) return { url, ...cut(source, hidden, "source"), textHash: sourceHash };
  }
  return undefined;
}

function cut({ text }: QuotedText, stretch: Stretch, where: "markdown" | "source"): Pick<Evidence, "quote" | "place"> {
  return { quote: text.slice(stretch.start, stretch.end), place: { in: where, ...stretch } };
}

/**
 * Reports whether a quote supports a field's value: the number, or most words of the text. Any quote supports yes or
 * no.
 */
function bearsOut(quote: string, leaf: Scalar): boolean {
  if (typeof leaf === "boolean") return true;
  if (typeof leaf === "number") {
    const numbers = [...readNumbers(quote, { language: "en" }), ...readNumbers(quote, { language: "de" })];
    return numbers.includes(leaf) || numbers.includes(Math.abs(leaf)) || isDuration(leaf, quote);
  }
  const words = foldText(leaf).match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return true;
  const said = foldText(quote);
  const held = words.filter((word) => said.includes(word)).length;
  return held / words.length >= WORDS_SHARE || isSameDay(leaf, quote) || isCode(leaf);
}

const SECONDS_OF_UNITS = [1, 60, 3_600, 86_400];

/**
 * Reports whether a quote is a duration that equals the value: `1 h 20 min` and `PT80M` support 80, in minutes, and any
 * other count of a usual unit.
 */
function isDuration(leaf: number, quote: string): boolean {
  const iso = /\bP(?:\d+D)?(?:T[\d.HMS]+)?/i.exec(quote)?.[0];
  const lengths = [quote, iso ?? ""].flatMap((text) => readDurationSeconds(text, { language: "en" }) ?? []);
  return lengths.some((seconds) => SECONDS_OF_UNITS.some((unit) => Math.abs(seconds / unit - leaf) < 0.05));
}

/** Reports whether a quote names the same day: `2026-05-01` is supported by every notation of its year and day. */
function isSameDay(leaf: string, quote: string): boolean {
  const iso = /^(\d{4})-(\d{2})-(\d{2})/.exec(leaf);
  return iso !== null && quote.includes(iso[1] ?? "") && new RegExp(`(?<!\\d)0?${Number(iso[3])}(?!\\d)`).test(quote);
}

/** Codes such as `EUR` represent signs. */
function isCode(leaf: string): boolean {
  return /^[A-Z]{3}$/.test(leaf);
}

/** Returns every text, number and truth value of an answer, with its path. */
export function leavesOf(value: unknown, path: Path = []): { path: Path; value: Scalar }[] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value === "" ? [] : [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

function stepsToFind(quote: string, chars: number): number {
  return (
    1 + Math.ceil((chars + quote.length) / CHARS_PER_STEP + (quote.length * MAX_COMPARED_PLACES) / COMPARED_PER_STEP)
  );
}
