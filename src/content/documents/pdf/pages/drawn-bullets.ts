import type { TextRun } from "../text-run.ts";
import type { Dot } from "./small-shapes.ts";

/** Size of a bullet, its distance from its line, and its height above the baseline, in multiples of the size of the letters. */
const OF_LETTERS = { least: 0.15, most: 0.65 };
const DISTANCE = { least: 0.15, most: 2.2 };
const MIDDLE = { least: 0.1, most: 0.65 };
/** Text at this distance before a bullet, in multiples of the size of the letters, makes it a part of a line. */
const CLEAR = 3;

/**
 * Returns the runs of a page with the bullets that are drawn before lines, as browsers print those of lists. A shape is a bullet
 * when it stands alone before the first text of a line, at the height of its small letters.
 */
export function withDrawnBullets(runs: readonly TextRun[], dots: readonly Dot[]): TextRun[] {
  const bullets = new Map<TextRun, TextRun>();
  for (const dot of dots) {
    const middle = (dot.top + dot.bottom) / 2;
    const beside = runs.filter(({ baseline, size }) => isBetween((baseline - middle) / size, MIDDLE));
    const first = beside.find((run) => isBefore(dot, run));
    if (first === undefined || bullets.has(first)) continue;
    const isClear = beside.every((run) => run === first || !isNear(dot, run, first));
    if (!isClear || !isBetween((dot.bottom - dot.top) / first.size, OF_LETTERS)) continue;
    const { isRightToLeft, size, baseline } = first;
    const plain = { isBold: false, isItalic: false, isMonospaced: false, href: undefined };
    bullets.set(first, { ...plain, text: "•", left: dot.left, right: dot.right, baseline, size, isRightToLeft });
  }
  // A single one is more often a point of a figure beside its label.
  if (bullets.size === 1) return [...runs];
  // Points of a chart beside their labels have places of their own; bullets stand below each other.
  const edges = new Set([...bullets.values()].map(({ left }) => Math.round(left)));
  if (edges.size * 2 > bullets.size + 1) return [...runs];
  return runs.flatMap((run) => {
    const bullet = bullets.get(run);
    return bullet === undefined ? [run] : [bullet, run];
  });
}

function isBefore(dot: Dot, { isRightToLeft, left, right, size }: TextRun): boolean {
  return isBetween((isRightToLeft ? dot.left - right : left - dot.right) / size, DISTANCE);
}

/** Reports whether other text of the line is between a shape and the text behind it, or close before the shape. */
function isNear(dot: Dot, other: TextRun, { isRightToLeft, left, right, size }: TextRun): boolean {
  const [from, to] = isRightToLeft ? [right, dot.right + CLEAR * size] : [dot.left - CLEAR * size, left];
  return other.right > from + size * 0.1 && other.left < to - size * 0.1;
}

function isBetween(value: number, { least, most }: { least: number; most: number }): boolean {
  return value >= least && value <= most;
}
