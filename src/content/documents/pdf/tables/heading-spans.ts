import type { RulingLine } from "../pages/ruling-lines.ts";
import type { Line, Segment } from "../text-run.ts";
import { type Column, columnsUnder } from "./table-columns.ts";
import { joinedRules, MAX_JOINT } from "./table-frames.ts";
import { covers } from "./table-grid.ts";

/** Text may be so many points beyond the drawn line below it. */
const TOLERANCE = 2;
/** A heading above the middle one of its columns is beyond each end of the name of this column by so many points. */
const MIN_OVERHANG = 1;
/** Rows below a heading that are measured for the widest cells. */
export const MAX_MEASURED_ROWS = 100;
/** Rows of a head whose headings are placed; a longer head is no head of headings over columns. */
export const MAX_PLACED_ROWS = 10;

/** Wider tables are not tried: the work grows with the square of the columns. */
const MAX_COLUMNS = 60;

/** The surroundings of a line in the head of a table. */
export interface HeadContext {
  columns: readonly Column[];
  /** Lines of the next row. */
  next: readonly Line[];
  /** Lines of the table below the row. */
  below: readonly Line[];
  rules: readonly RulingLine[];
}

/**
 * Returns the columns, at least two, of the headings in a line of the head whose place says which they are: a line is drawn
 * below the heading, along them, or the headings stand above the middles of groups with the same number of columns.
 */
export function placedSpans(line: Line, context: HeadContext): Map<Segment, Column[]> {
  const { columns, next, rules } = context;
  const bottom = Math.min(...next.map(({ baseline, size }) => baseline - size * 0.3));
  const drawn = joinedRules(
    rules.filter(({ top }) => top >= line.baseline - TOLERANCE && top < bottom),
    MAX_JOINT,
  );
  const spans = new Map<Segment, Column[]>();
  for (const segment of drawn.length === 0 ? [] : line.segments) {
    const span = drawnSpan(segment, line, { columns, rules: drawn });
    if (span !== undefined) spans.set(segment, span);
  }
  return spans.size > 0 ? spans : evenSpans(line, context);
}

/** Returns the columns above which a line is drawn that begins and ends with them, below this heading alone. */
function drawnSpan(
  segment: Segment,
  line: Line,
  { columns, rules }: Pick<HeadContext, "columns" | "rules">,
): Column[] | undefined {
  const others = line.segments.filter((other) => other !== segment);
  const rule = rules.find(({ left, right }) => {
    const isAlong = left <= segment.left + TOLERANCE && right >= segment.right - TOLERANCE;
    return isAlong && others.every((other) => other.right <= left || other.left >= right);
  });
  if (rule === undefined) return undefined;
  const span = columns.filter((column) => covers(rule, column));
  return span.length > 1 && span.length < columns.length ? span : undefined;
}

/** Returns the columns of headings that part all columns below them into groups of one number, and stand in the middle of these. */
function evenSpans({ segments }: Line, context: HeadContext): Map<Segment, Column[]> {
  const headings = segments.toSorted((a, b) => a.left - b.left);
  const count = context.columns.length;
  if (headings.length < 2 || count < 4 || count > MAX_COLUMNS) return new Map();
  const columns = measured(context);
  const isNamed = columns.map((column) =>
    context.next.some((line) => line.segments.some((segment) => columnsUnder(segment, [column]).length > 0)),
  );
  let best = new Map<Segment, Column[]>();
  let least = Number.POSITIVE_INFINITY;
  // A heading at either end may be that of a single column.
  for (const [from, to] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const) {
    const own = headings.slice(from, headings.length - to);
    if (own.length < 2) continue;
    for (let size = 2; size * own.length <= count; size++) {
      for (let first = 0; first + size * own.length <= count; first++) {
        const end = first + size * own.length;
        const before = headings.slice(0, from).every(({ right }) => right < (columns[first]?.left ?? 0));
        const after = headings.slice(headings.length - to).every(({ left }) => left > (columns[end - 1]?.right ?? 0));
        if (!before || !after || !isNamed.slice(first, end).every(Boolean)) continue;
        const distances = own.map((heading, at) => {
          return distanceFrom(heading, columns.slice(first + at * size, first + (at + 1) * size), context.next);
        });
        const distance = Math.max(...distances);
        if (distance >= least) continue;
        least = distance;
        best = new Map(
          own.map((heading, at) => [heading, context.columns.slice(first + at * size, first + (at + 1) * size)]),
        );
      }
    }
  }
  return best;
}

/**
 * Returns how far the middle of a heading is from that of a group of columns; infinity where it is further than a letter, where
 * it may be the heading of one of the columns, or is wider than the group.
 */
function distanceFrom(heading: Segment, group: readonly Column[], next: readonly Line[]): number {
  const whole = { left: group[0]?.left ?? 0, right: group.at(-1)?.right ?? 0 };
  const distance = Math.abs(middleOf(heading) - middleOf(whole));
  const isOfGroup = group.every((column, at) =>
    at * 2 === group.length - 1
      ? isWiderThanName(heading, column, next)
      : Math.abs(middleOf(heading) - middleOf(column)) > distance,
  );
  const isWithin = heading.left > whole.left - heading.size && heading.right < whole.right + heading.size;
  return distance <= heading.size && isOfGroup && isWithin ? distance : Number.POSITIVE_INFINITY;
}

/** Reports whether a heading above the middle one of its columns is beyond both ends of the name of this column. */
function isWiderThanName(heading: Segment, column: Column, next: readonly Line[]): boolean {
  const names = next.flatMap((line) => line.segments.filter((segment) => columnsUnder(segment, [column]).length > 0));
  return names.every(({ left, right }) => heading.left < left - MIN_OVERHANG && heading.right > right + MIN_OVERHANG);
}

/** Returns the columns by their cells below the head, as a heading between two columns is part of neither. */
function measured({ columns, below }: HeadContext): Column[] {
  const found = columns.map((): Column => ({ left: Number.POSITIVE_INFINITY, right: Number.NEGATIVE_INFINITY }));
  for (const segment of below.flatMap((line) => line.segments)) {
    const [own, other] = columnsUnder(segment, columns);
    const column = own === undefined || other !== undefined ? undefined : found[columns.indexOf(own)];
    if (column === undefined) continue;
    [column.left, column.right] = [Math.min(column.left, segment.left), Math.max(column.right, segment.right)];
  }
  return found.map((column, at) => (column.left < column.right ? column : (columns[at] ?? column)));
}

function middleOf({ left, right }: Column): number {
  return (left + right) / 2;
}
