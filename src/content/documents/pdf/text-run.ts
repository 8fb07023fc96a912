import type { PagePicture } from "./pages/page-pictures.ts";
import type { RulingLine } from "./pages/ruling-lines.ts";

/** A stretch of text in one font on one baseline, in points from the upper left corner of the turned page. */
export interface TextRun {
  text: string;
  left: number;
  right: number;
  baseline: number;
  size: number;
  isBold: boolean;
  isItalic: boolean;
  isMonospaced: boolean;
  isRightToLeft: boolean;
  /** Set for text from top to bottom while a page is put in reading order. */
  isVertical?: boolean;
  /** Set for text in a font of formulas. */
  isMath?: boolean;
  /** Set for text in a font of small capitals. */
  isSmallCaps?: boolean;
  href: string | undefined;
}

/** Runs on one baseline without a gap wide enough to part columns or cells. */
export interface Segment {
  runs: TextRun[];
  left: number;
  right: number;
  top: number;
  bottom: number;
  baseline: number;
  size: number;
  /** Set in a cell of a table for text that begins a line which is not wrapped. */
  startsLine?: boolean;
}

/** One line of a column: its segments from left to right. More than one segment hints at a table. */
export interface Line extends Omit<Segment, "runs"> {
  segments: Segment[];
  isBold: boolean;
  isItalic: boolean;
  isMonospaced: boolean;
  isSmallCaps: boolean;
  text: string;
}

/** Text across the reading direction, with the place where it starts as shares of the page's width and height. */
export interface Aside {
  text: string;
  x: number;
  y: number;
}

/** A page's text: lines in reading order, parted into the regions (columns, bands) that hold them. */
export interface PageText {
  pageNumber: number;
  width: number;
  height: number;
  regions: Line[][];
  /** Text across the page's reading direction, such as a stamp in the margin. */
  asides: Aside[];
  /** Lines that the page draws. */
  rules: RulingLine[];
  pictures?: PagePicture[];
  /** Clockwise turn in degrees that makes the text upright. */
  turn?: 0 | 90 | 180 | 270;
  /** Markdown that a vision model wrote, which replaces that of the regions. */
  written?: string;
}

/** Letters and signs of East Asia, which are as wide as high. */
export const WIDE_LETTERS = /[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFF60]/g;

const LETTERS_ABOVE_BASELINE = 0.78;
const LETTERS_BELOW_BASELINE = 0.22;

/** A wider gap than this, in multiples of the font size, ends a segment. */
const SEGMENT_GAP = 0.9;
/** Text is at least so large in comparison with a heading; smaller runs are raised or lowered signs. */
const MIN_HEADING_SHARE = 0.6;
/** A narrower gap than this is no space between words. */
const WORD_GAP = 0.15;

export function toSegment(runs: TextRun[]): Segment {
  const size = dominantSize(runs);
  const baseline = runs.find((run) => run.size === size)?.baseline ?? 0;
  return {
    runs,
    left: Math.min(...runs.map((run) => run.left)),
    right: Math.max(...runs.map((run) => run.right)),
    ...heightsOf({ baseline, size }),
    baseline,
    size,
  };
}

/** Returns how far letters reach above and below a baseline. */
export function heightsOf({ baseline, size }: Pick<TextRun, "baseline" | "size">): Pick<Segment, "top" | "bottom"> {
  return { top: baseline - size * LETTERS_ABOVE_BASELINE, bottom: baseline + size * LETTERS_BELOW_BASELINE };
}

/**
 * Splits runs of one line, sorted from left to right, where the gaps are wide.
 * @param isParted reports whether something else than a gap parts two runs that follow each other
 */
export function splitAtGaps(
  runs: TextRun[],
  isParted: (before: TextRun, after: TextRun) => boolean = () => false,
): Segment[] {
  const groups: TextRun[][] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const run of runs) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    // A heading in the next column is larger than the text that ends at the gap.
    const size = Math.min(run.size, Math.max(last?.size ?? run.size, run.size * MIN_HEADING_SHARE));
    const isApart = run.left - right > size * SEGMENT_GAP || (last !== undefined && isParted(last, run));
    if (group === undefined || isApart) groups.push([run]);
    else group.push(run);
    right = Math.max(right, run.right);
  }
  return groups.map(toSegment);
}

/** Returns the text of runs, with a space where the gap between two of them is one. */
export function textOfRuns(runs: readonly TextRun[]): string {
  let text = "";
  let previous: TextRun | undefined;
  for (const run of runs) {
    if (previous !== undefined && needsSpace(previous, run)) text += " ";
    text += run.text;
    previous = run;
  }
  return text.replace(/\s+/g, " ").trim();
}

/** Reports whether words end between these two runs; CJK text has no spaces between words. */
export function needsSpace(before: TextRun, after: TextRun): boolean {
  if (/\s$/.test(before.text) || /^\s/.test(after.text)) return false;
  const gap = Math.max(before.left - after.right, after.left - before.right);
  return gap > Math.min(before.size, after.size) * WORD_GAP;
}

/** Returns the size of most characters. */
function dominantSize(runs: readonly TextRun[]): number {
  const characters = new Map<number, number>();
  for (const run of runs) characters.set(run.size, (characters.get(run.size) ?? 0) + run.text.trim().length);
  let best = runs[0]?.size ?? 0;
  let most = 0;
  for (const [size, count] of characters) {
    if (count > most) [best, most] = [size, count];
  }
  return best;
}
