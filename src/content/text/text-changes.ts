import { structuredPatch, type StructuredPatchHunk } from "diff";
import type { LineChange, TextDiff } from "../../core/scrape/change-tracking.ts";
import { WorkBudget } from "../../core/work-budget.ts";

const FROM = "previous.md";
const TO = "current.md";
const CONTEXT_LINES = 3;
/** Texts that differ in more lines are reported as wholly replaced: Myers' algorithm takes the square of the edits. */
const MAX_EDITS = 2000;
/** Comparisons of two lines: distinct lines take half the square of the edits, a few lines that repeat take more. */
const MAX_COMPARISONS = (MAX_EDITS * MAX_EDITS) / 2;
/** Comparisons that are counted at once. */
const COUNTED_AT_ONCE = 1_000;

/** Lines of a diff, unchanged ones included. A line takes up to 100 bytes of the response beside its text. */
const MAX_DIFF_LINES = 20_000;

/** Result of a comparison. */
export interface ComparedTexts {
  isSame: boolean;
  /** Undefined when it was not wanted, and for equal texts. */
  diff: TextDiff | undefined;
  /** The diff ends after its first lines. */
  isCut: boolean;
}

/** Compares two texts. */
export function compareTexts(
  { previous, current, withDiff }: { previous: string; current: string; withDiff: boolean },
  budget = new WorkBudget(),
): ComparedTexts {
  const isSame = isSameText(previous, current);
  if (isSame || !withDiff) return { isSame, diff: undefined, isCut: false };
  return { isSame, ...diffTexts(previous, current, budget) };
}

/**
 * Returns a number of comparisons of lines that a diff of two texts takes at most: of the lines between their equal
 * ends, and of those with the lines of the equal end, into which each edit may lead.
 */
export function mostComparisons(previous: string, current: string): number {
  const shorter = Math.min(previous.length, current.length);
  let start = 0;
  while (start < shorter && previous.charCodeAt(start) === current.charCodeAt(start)) start++;
  let end = 0;
  while (end < shorter - start && previous.at(-1 - end) === current.at(-1 - end)) end++;
  const lines = (text: string): number => text.split("\n").length;
  const [before, after] = [
    lines(previous.slice(start, previous.length - end)),
    lines(current.slice(start, current.length - end)),
  ];
  const behind = lines(current.slice(current.length - end));
  return Math.min(MAX_COMPARISONS, before * after + (before + after) * behind);
}

/** Reports whether two texts hold the same characters, regardless of order and white space. */
export function isSameText(previous: string, current: string): boolean {
  if (previous === current) return true;
  const counts = new Map<string, number>();
  for (const char of previous.replaceAll(/\s+/g, "")) counts.set(char, (counts.get(char) ?? 0) + 1);
  for (const char of current.replaceAll(/\s+/g, "")) {
    const left = (counts.get(char) ?? 0) - 1;
    if (left < 0) return false;
    if (left === 0) counts.delete(char);
    else counts.set(char, left);
  }
  return counts.size === 0;
}

/**
 * Returns the lines that differ, each with three lines around: a unified patch, and the same as data. The counts are
 * those of the whole diff, also when it is cut. Texts of too many edits, and of more work than the budget has, are
 * reported as wholly replaced.
 */
export function diffTexts(
  previous: string,
  current: string,
  budget = new WorkBudget(),
): { diff: TextDiff; isCut: boolean } {
  const [before, after] = [withLineEnd(previous), withLineEnd(current)];
  const all = findHunks(before, after, budget)?.map(countedFromZero) ?? [replacement(before, after)];
  const hunks = firstLines(all, MAX_DIFF_LINES);
  const chunks = hunks.map(toChunk);
  const count = (sign: string) => all.reduce((sum, { lines }) => sum + countOf(lines, sign), 0);
  const body = hunks.flatMap((hunk) => [headOf(hunk), ...hunk.lines]);
  const diff = {
    text: [`--- ${FROM}`, `+++ ${TO}`, ...body, ""].join("\n"),
    json: { files: [{ from: FROM, to: TO, chunks, additions: count("+"), deletions: count("-") }] },
  };
  return { diff, isCut: hunks.length < all.length || hunks.at(-1) !== all.at(-1) };
}

/** @returns undefined for texts of too many edits or comparisons */
function findHunks(before: string, after: string, budget: WorkBudget): StructuredPatchHunk[] | undefined {
  let count = 0;
  const comparator = (one: string, other: string): boolean => {
    const isCounted = count++ % COUNTED_AT_ONCE === 0;
    if (isCounted && (count > MAX_COMPARISONS || !budget.take(COUNTED_AT_ONCE))) throw new TooManyComparisons();
    return one === other;
  };
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS, comparator };
  try {
    return structuredPatch(FROM, TO, before, after, "", "", options)?.hunks;
  } catch (error) {
    if (error instanceof TooManyComparisons) return undefined;
    throw error;
  }
}

/** Ends a comparison: the package has no other way. */
class TooManyComparisons extends Error {}

/** Returns the first lines of a diff; the last hunk is shortened, and its lengths with it. */
function firstLines(hunks: readonly StructuredPatchHunk[], limit: number): StructuredPatchHunk[] {
  const kept: StructuredPatchHunk[] = [];
  let left = limit;
  for (const hunk of hunks) {
    if (left === 0) break;
    const lines = hunk.lines.slice(0, left);
    left -= lines.length;
    const isWhole = lines.length === hunk.lines.length;
    const [oldLines, newLines] = [lines.length - countOf(lines, "+"), lines.length - countOf(lines, "-")];
    kept.push(isWhole ? hunk : { ...hunk, lines, oldLines, newLines });
  }
  return kept;
}

function countOf(lines: readonly string[], sign: string): number {
  return lines.reduce((sum, line) => sum + (line.startsWith(sign) ? 1 : 0), 0);
}

/** Adds the line end: the end of markdown is not a separate line, and "no newline at end of file" is no change. */
function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function replacement(before: string, after: string): StructuredPatchHunk {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  return {
    oldStart: oldLines.length === 0 ? 0 : 1,
    oldLines: oldLines.length,
    newStart: newLines.length === 0 ? 0 : 1,
    newLines: newLines.length,
    lines: [...oldLines.map((line) => `-${line}`), ...newLines.map((line) => `+${line}`)],
  };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.slice(0, -1).split("\n");
}

/** An empty range begins at the line before it; the package applies this only where it prints. */
function countedFromZero(hunk: StructuredPatchHunk): StructuredPatchHunk {
  const { oldStart, oldLines, newStart, newLines } = hunk;
  return {
    ...hunk,
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    newStart: newLines === 0 ? newStart - 1 : newStart,
  };
}

/** Returns the head of a hunk as `diff -u` writes it: a range of one line has no length. */
function headOf({ oldStart, oldLines, newStart, newLines }: StructuredPatchHunk): string {
  const range = (start: number, lines: number) => (lines === 1 ? `${start}` : `${start},${lines}`);
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

function toChunk(hunk: StructuredPatchHunk): TextDiff["json"]["files"][number]["chunks"][number] {
  const { oldStart, oldLines, newStart, newLines } = hunk;
  let [ln1, ln2] = [oldStart, newStart];
  const changes = hunk.lines.map((content): LineChange => {
    if (content.startsWith("+")) return { type: "add", add: true, ln: ln2++, content };
    if (content.startsWith("-")) return { type: "del", del: true, ln: ln1++, content };
    return { type: "normal", normal: true, ln1: ln1++, ln2: ln2++, content };
  });
  return { content: headOf(hunk), changes, oldStart, oldLines, newStart, newLines };
}
