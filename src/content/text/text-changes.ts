import { structuredPatch, type StructuredPatchHunk } from "diff";
import type { LineChange, TextDiff } from "../../core/scrape/change-tracking.ts";

const FROM = "previous.md";
const TO = "current.md";
const CONTEXT_LINES = 3;
/** Texts that differ in more lines are reported as wholly replaced: Myers' algorithm takes the square of the edits. */
const MAX_EDITS = 2000;

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

/** Returns the lines that differ, each with three lines around: a unified patch, and the same as data. */
export function diffTexts(previous: string, current: string): TextDiff {
  const [before, after] = [withLineEnd(previous), withLineEnd(current)];
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const found = structuredPatch(FROM, TO, before, after, "", "", options)?.hunks.map(countedFromZero);
  const hunks = found ?? [replacement(before, after)];
  const chunks = hunks.map(toChunk);
  const changes = chunks.flatMap((chunk) => chunk.changes);
  const count = (type: LineChange["type"]) => changes.filter((change) => change.type === type).length;
  const body = hunks.flatMap((hunk) => [headOf(hunk), ...hunk.lines]);
  return {
    text: [`--- ${FROM}`, `+++ ${TO}`, ...body, ""].join("\n"),
    json: { files: [{ from: FROM, to: TO, chunks, additions: count("add"), deletions: count("del") }] },
  };
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
