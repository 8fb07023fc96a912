import { mirrored, RIGHT_TO_LEFT } from "../direction/line-direction.ts";
import type { TextRun } from "../text-run.ts";

/** Text that a PDF gives in place of the glyphs that it shows (`ActualText`, ISO 32000 § 14.9.4). */
export interface ActualText {
  text: string;
}

/** A run with the text that stands for it and perhaps for runs beside it. */
export interface MarkedRun {
  run: TextRun;
  actual: ActualText | undefined;
}

/** Runs that are nearer than this, in multiples of the font size, are of one word. */
const TOUCHING = 0.1;
/** Signs above or below a letter begin at most so far before the end of the last one. */
const MAX_OVERLAP = 0.6;

/**
 * Replaces glyphs by the text that they stand for: letters of Arabic and Indian scripts are often drawn in parts, whose own
 * characters say little. Runs on several lines keep their own text. The pieces of a word become one run.
 */
export function withActualTexts(marked: readonly MarkedRun[]): TextRun[] {
  const runs: { run: TextRun; isPart: boolean }[] = [];
  for (let at = 0; at < marked.length;) {
    const { actual } = marked[at] ?? {};
    let end = at + 1;
    if (actual !== undefined) while (marked[end]?.actual === actual) end++;
    const own = marked.slice(at, end).map(({ run }) => run);
    at = end;
    const whole = actual === undefined ? undefined : inPlaceOf(own, actual.text);
    if (whole?.text === "") continue;
    for (const run of whole === undefined ? own : [whole]) {
      const last = runs.at(-1);
      const isPart = whole !== undefined;
      const joined = last !== undefined && (isPart || last.isPart) ? join(last.run, run) : undefined;
      if (joined === undefined) runs.push({ run, isPart });
      else runs.splice(-1, 1, { run: joined, isPart: true });
    }
  }
  return runs.map(({ run }) => run);
}

/** Returns one run with a text in place of runs on one line; undefined when they are on several lines. */
function inPlaceOf(runs: readonly TextRun[], text: string): TextRun | undefined {
  const main = runs.reduce((widest, run) => (run.right - run.left >= widest.right - widest.left ? run : widest));
  if (runs.some((run) => Math.abs(run.baseline - main.baseline) > main.size)) return undefined;
  const [only] = runs;
  // A bracket in text from right to left is drawn as its counterpart, and is turned with those of other files.
  const isTurned = runs.length === 1 && only !== undefined && only.text !== text && mirrored(only.text) === text;
  return {
    ...main,
    text: isTurned ? only.text : text.trim(),
    left: Math.min(...runs.map((run) => run.left)),
    right: Math.max(...runs.map((run) => run.right)),
    isRightToLeft: RIGHT_TO_LEFT.test(text),
  };
}

/** Returns two runs that touch as one, in the order of their direction; undefined when they are apart or differ. */
function join(one: TextRun, other: TextRun): TextRun | undefined {
  const isAlike =
    Math.abs(one.baseline - other.baseline) < one.size * 0.05 &&
    one.size === other.size &&
    one.isBold === other.isBold &&
    one.isItalic === other.isItalic &&
    one.isMonospaced === other.isMonospaced &&
    one.isMath === other.isMath &&
    one.isRightToLeft === other.isRightToLeft;
  if (!isAlike) return undefined;
  const [left, right] = one.left <= other.left ? [one, other] : [other, one];
  const gap = right.left - left.right;
  if (gap > one.size * TOUCHING || gap < -one.size * MAX_OVERLAP) return undefined;
  const text = one.isRightToLeft ? right.text + left.text : left.text + right.text;
  return { ...one, text, left: left.left, right: Math.max(left.right, right.right) };
}
