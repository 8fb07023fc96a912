import type { WorkBudget } from "../../../../core/work-budget.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import type { Segment } from "../text-run.ts";
import { type Frame, heightOf, isBetween } from "./table-frames.ts";

/** Tables beside one another share at least this share of the height of the lower one. */
const MIN_SHARED_HEIGHT = 0.5;
const MIN_SEGMENTS = 2;
const MAX_PARTS = 20;

/** Reports whether a piece of text is within the drawn lines of a table. */
export function isInFrame(segment: Segment, { left, right, heights }: Frame): boolean {
  const [top = 0, bottom = 0] = [heights[0], heights.at(-1)];
  return isBetween(segment, top, bottom) && segment.left >= left - 4 && segment.right <= right + 4;
}

/**
 * Parts a region that holds ruled tables beside one another: the text above them, each table from left to right, and the text
 * below. Without budget the region stays whole.
 */
export function partSideFrames(region: Segment[], frames: readonly Frame[], budget: WorkBudget): Segment[][] {
  const parts: Segment[][] = [];
  let rest = region;
  for (let count = 0; count < MAX_PARTS && frames.length > 1; count++) {
    if (!budget.take((rest.length * frames.length + frames.length ** 2) / COMPARISONS_PER_STEP)) break;
    const own = frames.filter((frame) => rest.filter((each) => isInFrame(each, frame)).length >= MIN_SEGMENTS);
    const beside = framesBeside(own);
    if (beside.length < 2) break;
    const tables = beside.map((frame) => rest.filter((segment) => isInFrame(segment, frame)));
    const bottom = Math.max(...beside.map(({ heights }) => heights.at(-1) ?? 0));
    const taken = new Set(tables.flat());
    const others = rest.filter((segment) => !taken.has(segment));
    parts.push(
      others.filter((segment) => segment.baseline <= bottom),
      ...tables,
    );
    rest = others.filter((segment) => segment.baseline > bottom);
  }
  return [...parts, rest].filter((part) => part.length > 0);
}

/** Returns the uppermost frame that has others beside it, with those, from left to right; empty when there is none. */
function framesBeside(frames: readonly Frame[]): Frame[] {
  for (const frame of frames.toSorted((a, b) => (a.heights[0] ?? 0) - (b.heights[0] ?? 0))) {
    const beside = [frame];
    for (const other of frames) if (beside.every((each) => areBeside(each, other))) beside.push(other);
    if (beside.length > 1) return beside.toSorted((a, b) => a.left - b.left);
  }
  return [];
}

function areBeside(one: Frame, other: Frame): boolean {
  if (one.left < other.right && other.left < one.right) return false;
  const top = Math.max(one.heights[0] ?? 0, other.heights[0] ?? 0);
  const bottom = Math.min(one.heights.at(-1) ?? 0, other.heights.at(-1) ?? 0);
  return bottom - top >= Math.min(heightOf(one), heightOf(other)) * MIN_SHARED_HEIGHT;
}
