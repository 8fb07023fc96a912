import type { WorkBudget } from "../../../../core/work-budget.ts";
import { isHorizontal, type RulingLine } from "../pages/ruling-lines.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import type { Line, Segment } from "../text-run.ts";
import { cellsOf, type Column } from "./table-columns.ts";
import { type Frame, isBetween, joinedRules, TOLERANCE } from "./table-frames.ts";

/** A box that drawn lines enclose: bands and columns from one to another, both included. */
export interface Box {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** A column of a grid. */
export interface GridColumn extends Column {
  /** Set when a line is drawn at its right end, or the table ends there. */
  isBordered: boolean;
}

/** Bands between drawn horizontal lines, crossed by columns, with the boxes that lines leave open between them. */
export interface Grid {
  columns: readonly GridColumn[];
  /** Heights of the lines that part bands, with those of the table's ends. */
  heights: readonly number[];
  /** Set for the heights at which a line crosses the whole table. */
  isCrossed: readonly boolean[];
  /** Boxes of more than one band or column. */
  boxes: readonly Box[];
}

const MAX_BANDS = 2_000;

/** Returns the grid of a frame. A box that holds text in several of its bands or columns is none. Without budget there is no grid. */
export function gridOf(
  { left, right, heights: whole }: Frame,
  columns: readonly GridColumn[],
  { lines, rules }: { lines: readonly Line[]; rules: readonly RulingLine[] },
  budget: WorkBudget,
): Grid | undefined {
  const [top = 0, bottom = 0] = [whole[0], whole.at(-1)];
  const crossing = joinedRules(rules).filter(
    (rule) =>
      rule.top >= top - 1 &&
      rule.top <= bottom + 1 &&
      rule.left >= left - TOLERANCE &&
      rule.right <= right + TOLERANCE &&
      columns.some((column) => covers(rule, column)),
  );
  const heights: number[] = [];
  for (const { top: y } of crossing) if (heights.length === 0 || y - (heights.at(-1) ?? y) > 2) heights.push(y);
  if (heights.length < 2 || heights.length > MAX_BANDS) return undefined;
  if (!budget.take(((lines.length + rules.length) * columns.length * heights.length) / COMPARISONS_PER_STEP))
    return undefined;
  const closed = heights.map((height) => {
    const here = crossing.filter((rule) => Math.abs(rule.top - height) <= 2);
    return columns.map((column) => here.some((rule) => covers(rule, column)));
  });
  const borders = verticalRules(rules);
  const parted = heights.slice(1).map((end, band) => {
    const middle = ((heights[band] ?? end) + end) / 2;
    return columns.map(
      (column) =>
        !column.isBordered ||
        borders.some(
          (rule) => Math.abs(rule.left - column.right) <= TOLERANCE && rule.top <= middle && rule.bottom >= middle,
        ),
    );
  });
  const isCrossed = closed.map((columnsClosed) => columnsClosed.every(Boolean));
  const grid = { columns, heights, isCrossed };
  return { ...grid, boxes: boxesOf(grid, closed, parted).filter((box) => isOneCell(box, grid, lines)) };
}

/** Reports whether a drawn line crosses the middle of a column. */
export function covers(rule: Pick<RulingLine, "left" | "right">, { left, right }: Column): boolean {
  const middle = (left + right) / 2;
  return rule.left <= middle && rule.right >= middle;
}

function verticalRules(rules: readonly RulingLine[]): RulingLine[] {
  return rules.filter((rule) => !isHorizontal(rule));
}

/** Joins cells without a line between them: to the right first, and then stretches of the same columns downwards. */
function boxesOf(
  { columns, heights }: Pick<Grid, "columns" | "heights">,
  closed: readonly (readonly boolean[])[],
  parted: readonly (readonly boolean[])[],
): Box[] {
  const boxes: Box[] = [];
  let open: Box[] = [];
  for (let band = 0; band < heights.length - 1; band++) {
    const here: Box[] = [];
    for (let left = 0, right = 0; left < columns.length; left = ++right) {
      while (right < columns.length - 1 && parted[band]?.[right] === false) right++;
      const above = open.find((box) => box.left === left && box.right === right);
      const isOpen = columns.slice(left, right + 1).every((_, at) => closed[band]?.[left + at] === false);
      if (above !== undefined && isOpen) {
        above.bottom = band;
        here.push(above);
      } else here.push({ top: band, bottom: band, left, right });
    }
    boxes.push(...here.filter((box) => box.top === band));
    open = here;
  }
  return boxes.filter((box) => box.bottom > box.top || box.right > box.left);
}

/** Reports whether the text in a box is that of one cell: in each line one piece, and lines close to each other. */
function isOneCell(box: Box, grid: Pick<Grid, "columns" | "heights" | "isCrossed">, lines: readonly Line[]): boolean {
  const [top, bottom] = [grid.heights[box.top] ?? 0, grid.heights[box.bottom + 1] ?? 0];
  const own = lines
    .filter((line) => isBetween(line, top, bottom))
    .map((line) => segmentsIn(line, box, grid.columns))
    .filter((segments) => segments.length > 0);
  if (box.right > box.left && own.some((segments) => segments.length > 1)) return false;
  if (box.bottom === box.top) return true;
  const bands = new Set(own.flat().map((segment) => bandOf(segment, grid.heights)));
  if (bands.size <= 1) return true;
  // Below the head, names of several groups may be in one column without lines between them.
  const isHead = box.top === 0 && grid.isCrossed.indexOf(true, 1) === box.bottom + 1;
  const isClosed = [box.left - 1, box.right].every((at) => at < 0 || grid.columns[at]?.isBordered === true);
  const segments = own.flat();
  const isClose = segments
    .slice(1)
    .every((segment, at) => segment.baseline - (segments[at]?.baseline ?? 0) < segment.size * 1.6);
  return (isHead || isClosed) && isClose;
}

/** Returns the pieces of a line in the columns of a box. */
export function segmentsIn(
  line: Line,
  { left, right }: Pick<Box, "left" | "right">,
  columns: readonly Column[],
): Segment[] {
  return columns.slice(left, right + 1).flatMap((_, at) => cellsOf(line, columns, left + at));
}

/** Returns the number of the band in which the middle of a text is. */
export function bandOf(text: Pick<Line, "baseline" | "size">, heights: readonly number[]): number {
  const middle = text.baseline - text.size * 0.3;
  const next = heights.findIndex((height) => height > middle);
  return Math.max(0, (next === -1 ? heights.length - 1 : next) - 1);
}
