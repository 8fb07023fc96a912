import type { WorkBudget } from "../../../../core/work-budget.ts";
import { isHorizontal, type RulingLine } from "../pages/ruling-lines.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import type { Line } from "../text-run.ts";

/** Ends of lines that belong together are at most this many points apart. */
export const TOLERANCE = 3;
/** A table is at least this wide, in points. */
const MIN_WIDTH = 60;
/** White space between the first or last line of a table and its border, in points. */
const MAX_PADDING = 60;

/** Lines that are drawn cell by cell have pieces at least this long, at most this far apart, in points. */
const MIN_CELL_WIDTH = 12;
export const MAX_JOINT = 1;

/** Horizontal lines of one width above one another, around and between the rows of a table. */
export interface Frame {
  left: number;
  right: number;
  /** Heights of the lines, from top to bottom. */
  heights: number[];
}

export function heightOf({ heights }: Frame): number {
  return (heights.at(-1) ?? 0) - (heights[0] ?? 0);
}

/** Returns the drawn lines at the heights of a region and next to it, each once. */
export function rulesAround(lines: readonly Line[], rules: readonly RulingLine[]): RulingLine[] {
  let [top, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const line of lines) [top, bottom] = [Math.min(top, line.top), Math.max(bottom, line.bottom)];
  const unique = new Map<string, RulingLine>();
  for (const rule of rules) {
    if (rule.bottom < top - MAX_PADDING || rule.top > bottom + MAX_PADDING) continue;
    unique.set([rule.left, rule.right, rule.top, rule.bottom].map(Math.round).join(), rule);
  }
  return [...unique.values()];
}

/** Reports whether the middle of a line's letters is between two heights. */
export function isBetween(line: Pick<Line, "baseline" | "size">, top: number, bottom: number): boolean {
  const middle = line.baseline - line.size * 0.3;
  return middle > top && middle < bottom;
}

/** Returns frames, parted where running text stands between two lines. */
export function framesOf(rules: readonly RulingLine[], lines: readonly Line[], budget: WorkBudget): Frame[] {
  const frames: Frame[] = [];
  for (const rule of joinedRules(rules).toSorted((a, b) => a.top - b.top)) {
    if (rule.right - rule.left < MIN_WIDTH) continue;
    if (!budget.take((frames.length + lines.length) / COMPARISONS_PER_STEP)) return [];
    const frame = frames.findLast(
      (each) => Math.abs(each.left - rule.left) <= TOLERANCE && Math.abs(each.right - rule.right) <= TOLERANCE,
    );
    if (frame === undefined || hasProse(lines, frame, rule.top))
      frames.push({ left: rule.left, right: rule.right, heights: [rule.top] });
    else frame.heights.push(rule.top);
  }
  return withoutPages(
    frames.filter(({ heights }) => heights.length > 1),
    budget,
  );
}

/** Leaves out pairs of lines around tables, as the line of a running head and that above the notes of a page are. */
function withoutPages(frames: readonly Frame[], budget: WorkBudget): Frame[] {
  const tables = frames.filter(({ heights }) => heights.length > 2);
  if (!budget.take(((frames.length - tables.length) * tables.length) / COMPARISONS_PER_STEP)) return [...frames];
  return frames.filter((frame) => frame.heights.length > 2 || !tables.some((table) => isAround(frame, table)));
}

function isAround(outer: Frame, inner: Frame): boolean {
  return (
    outer.left <= inner.left + TOLERANCE &&
    outer.right >= inner.right - TOLERANCE &&
    (outer.heights[0] ?? 0) < (inner.heights[0] ?? 0) &&
    (outer.heights.at(-1) ?? 0) > (inner.heights.at(-1) ?? 0)
  );
}

/** Joins horizontal lines that are drawn cell by cell. */
export function joinedRules(rules: readonly RulingLine[], gap = TOLERANCE): RulingLine[] {
  const joined: RulingLine[] = [];
  for (const rule of rules.filter(isHorizontal).toSorted((a, b) => a.top - b.top || a.left - b.left)) {
    const last = joined
      .slice(-4)
      .findLast((each) => Math.abs(each.top - rule.top) <= 1 && rule.left <= each.right + gap);
    if (last === undefined || rule.right < last.left - gap) joined.push({ ...rule });
    else {
      last.left = Math.min(last.left, rule.left);
      last.right = Math.max(last.right, rule.right);
    }
  }
  return joined;
}

function hasProse(lines: readonly Line[], frame: Frame, bottom: number): boolean {
  const top = frame.heights.at(-1) ?? bottom;
  const between = lines.filter((line) => isBetween(line, top, bottom));
  const wide = between.filter(
    (line) => line.segments.length === 1 && line.right - line.left > (frame.right - frame.left) * 0.7,
  );
  return wide.length * 2 > between.length;
}

/** Returns the places of vertical lines within a frame that are at least half as high. */
export function bordersOf({ left, right, heights }: Frame, rules: readonly RulingLine[]): number[] {
  const [top = 0, bottom = 0] = [heights[0], heights.at(-1)];
  const lengths: { x: number; length: number }[] = [];
  for (const rule of rules) {
    const length = Math.min(rule.bottom, bottom) - Math.max(rule.top, top);
    if (isHorizontal(rule) || length <= 0 || rule.left < left + TOLERANCE || rule.right > right - TOLERANCE) continue;
    const same = lengths.find(({ x }) => Math.abs(x - rule.left) <= TOLERANCE);
    if (same === undefined) lengths.push({ x: rule.left, length });
    else same.length += length;
  }
  return lengths
    .filter(({ length }) => length >= (bottom - top) * 0.5)
    .map(({ x }) => x)
    .toSorted((a, b) => a - b);
}

/** Returns the places where most lines of a frame end and begin again, as where they are drawn cell by cell. */
export function jointsOf({ left, right, heights }: Frame, rules: readonly RulingLine[]): number[] {
  const [top = 0, bottom = 0] = [heights[0], heights.at(-1)];
  const own = rules.filter((rule) => {
    const isWithin = rule.left >= left - TOLERANCE && rule.right <= right + TOLERANCE;
    const isPiece = isHorizontal(rule) && rule.right - rule.left >= MIN_CELL_WIDTH;
    return isPiece && isWithin && rule.top >= top - 1 && rule.top <= bottom + 1;
  });
  const joints = new Map<number, number>();
  const level = ({ top: height }: RulingLine): number => Math.round(height);
  const pieces = own.toSorted((a, b) => level(a) - level(b) || a.left - b.left);
  for (const [at, piece] of pieces.entries()) {
    const next = pieces[at + 1];
    if (next === undefined || level(next) !== level(piece) || Math.abs(next.left - piece.right) > MAX_JOINT) continue;
    const x = Math.round(next.left);
    joints.set(x, (joints.get(x) ?? 0) + 1);
  }
  const least = Math.max(2, heights.length * 0.6);
  const places = [...joints].flatMap(([x, count]) => (count >= least ? [x] : []));
  return places.toSorted((a, b) => a - b);
}
