import type { WorkBudget } from "../../../../core/work-budget.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import { type Line, type Segment, textOfRuns } from "../text-run.ts";
import { cellsOf, type Column } from "./table-columns.ts";

/** Lines of one cell are at most this far apart, in multiples of the font size. */
const MAX_LEADING = 1.5;
/** Rows are further apart than the lines of a cell by at least this factor, where the distance tells them apart. */
const MIN_ROW_GAP = 1.12;
/** Distances beyond this, in multiples of the font size, say nothing about rows. */
const MAX_DISTANCE = 4;
/** Share of close cells that may contradict that they are one. */
const MAX_DOUBT = 0.25;
/** Distances are multiples of another within this share of themselves; where most are, rows are as close as lines. */
const MULTIPLE_TOLERANCE = 0.04;
const MAX_MULTIPLES = 0.6;
/** A first line that leaves more of its column free has not been wrapped, as the names of rows are short. */
const MIN_WRAPPED_WIDTH = 0.75;

/** A line with its cells by column. */
interface Cells {
  line: Line;
  cells: Segment[][];
}

/** Groups of lines that are rows. */
export class TableRows {
  readonly #cells: Map<Line, Cells>;
  readonly #widths: number[];
  /** Lines of a cell that are closer than this, in points, are one; undefined where distances do not tell. */
  readonly #leading: number | undefined;

  /** Measures the lines of a whole table. Without budget there are no rows. */
  constructor(lines: readonly Line[], columns: readonly Column[], budget: WorkBudget) {
    const isMeasured = budget.take((lines.length * (columns.length + 4)) / COMPARISONS_PER_STEP);
    const measured = isMeasured ? lines : [];
    const all = measured.map((line) => ({ line, cells: columns.map((_, at) => cellsOf(line, columns, at)) }));
    this.#cells = new Map(all.map((each) => [each.line, each]));
    this.#widths = columns.map((column, at) => widthOf(all, at, column));
    this.#leading = isMeasured ? this.#findLeading(all) : undefined;
  }

  /** Groups lines that follow each other without a drawn line between them. */
  group(lines: readonly Line[]): Line[][] {
    const rows = this.#overlapping(lines).flatMap((row) => this.#atNumbers(row));
    return this.#withLabels(this.#leading === undefined ? this.#withContinued(rows) : rows);
  }

  /** Returns the numbers of the columns in which lines have text. */
  filledBy(lines: readonly Line[]): Set<number> {
    const filled = new Set<number>();
    for (const line of lines)
      for (const [at, cell] of this.#of(line).cells.entries()) if (cell.length > 0) filled.add(at);
    return filled;
  }

  #of(line: Line): Cells {
    return this.#cells.get(line) ?? { line, cells: [] };
  }

  /**
   * Finds the distance of baselines that parts rows: lines of a cell are closer than rows are. Where many close cells are
   * numbers below numbers, or would fit on one line, close lines are rows, and the distance tells nothing.
   */
  #findLeading(all: readonly Cells[]): number | undefined {
    const pairs: { distance: number; size: number; isWrapped: boolean }[] = [];
    for (const at of this.#widths.keys()) {
      let last: Cells | undefined;
      for (const next of all) {
        const [above, below] = [last?.cells[at]?.at(-1), next.cells[at]?.[0]];
        if (below === undefined) continue;
        if (above !== undefined && last !== undefined) {
          const distance = below.baseline - above.baseline;
          if (distance > 0 && distance < below.size * MAX_DISTANCE)
            pairs.push({ distance, size: below.size, isWrapped: this.#isOneText(last, next, at) });
        }
        last = next;
      }
    }
    pairs.sort((a, b) => a.distance - b.distance);
    let [most, leading, count] = [MIN_ROW_GAP, 0, 0];
    for (const [at, { distance, size }] of pairs.entries()) {
      const next = pairs[at + 1]?.distance;
      if (next === undefined || distance > size * MAX_LEADING || next / distance < most) continue;
      [most, leading, count] = [next / distance, (distance + next) / 2, at + 1];
    }
    const doubtful = pairs.slice(0, count).filter(({ isWrapped }) => !isWrapped).length;
    if (count === 0 || doubtful > count * MAX_DOUBT) return undefined;
    // Rows without padding are as far apart as the lines of the cells between them are together.
    const usual = pairs[count >> 1]?.distance ?? leading;
    const further = pairs.slice(count).map(({ distance }) => distance / usual);
    const multiples = further.filter((ratio) => Math.abs(ratio - Math.round(ratio)) < MULTIPLE_TOLERANCE * ratio);
    return multiples.length > further.length * MAX_MULTIPLES ? undefined : leading;
  }

  /** Reports whether the text of a cell may go on below: it was wrapped, or one of the lines has few other cells. */
  #isOneText(above: Cells, below: Cells, at: number): boolean {
    const [one, other] = [above.cells[at]?.at(-1), below.cells[at]?.[0]];
    if (one === undefined || other === undefined) return false;
    if (isNumber(textOfRuns(one.runs)) && isNumber(textOfRuns(other.runs))) return false;
    const isSparse = [above, below].some(
      ({ cells }) => cells.filter((cell) => cell.length > 0).length * 2 <= cells.length,
    );
    return isSparse || this.#isWrapped(one, other, at);
  }

  /** Reports whether a line may go on in the next: the first word there did not fit, and neither is a number. */
  #isWrapped(above: Segment, below: Segment, at: number): boolean {
    const [before, after] = [textOfRuns(above.runs), textOfRuns(below.runs)];
    if (isNumber(before) && isNumber(after)) return false;
    const word = /^\S+/u.exec(after)?.[0] ?? "";
    const wordWidth = ((below.right - below.left) * word.length) / Math.max(1, after.length);
    return above.right - above.left + wordWidth + below.size * 0.25 > (this.#widths[at] ?? 0) - 1;
  }

  /** Groups lines whose cells are beside one another, where the lines of each cell are put together first. */
  #overlapping(lines: readonly Line[]): Line[][] {
    const blocks: { top: number; bottom: number; lines: Line[] }[] = [];
    for (const at of this.#widths.keys()) {
      let last: { line: Line; block: (typeof blocks)[number] } | undefined;
      for (const line of lines) {
        const segments = this.#of(line).cells[at] ?? [];
        const [segment] = segments;
        if (segment === undefined) continue;
        const bottom = Math.max(...segments.map((each) => each.bottom));
        if (last !== undefined && this.#isOneCell(last.line, line, at)) {
          last.block.bottom = bottom;
          last.block.lines.push(line);
          last = { line, block: last.block };
        } else {
          const block = { top: segment.top, bottom, lines: [line] };
          blocks.push(block);
          last = { line, block };
        }
      }
    }
    blocks.sort((a, b) => a.top - b.top);
    const rows: { bottom: number; lines: Set<Line> }[] = [];
    for (const { top, bottom, lines: own } of blocks) {
      const row = rows.at(-1);
      const isBeside =
        row !== undefined &&
        (own.some((line) => row.lines.has(line)) || row.bottom - top > Math.min(bottom - top, own[0]?.size ?? 0) * 0.5);
      if (row !== undefined && isBeside) {
        row.bottom = Math.max(row.bottom, bottom);
        for (const line of own) row.lines.add(line);
      } else rows.push({ bottom, lines: new Set(own) });
    }
    const rowOf = new Map<Line, number>();
    for (const [at, row] of rows.entries()) for (const line of row.lines) if (!rowOf.has(line)) rowOf.set(line, at);
    const grouped: Line[][] = rows.map(() => []);
    for (const line of lines) grouped[rowOf.get(line) ?? 0]?.push(line);
    return grouped.filter((row) => row.length > 0);
  }

  /**
   * Parts a row with numbers below numbers, which are no cell: each line is of the number above it, or of the nearest one
   * where the numbers are in the middle of their rows.
   */
  #atNumbers(row: readonly Line[]): Line[][] {
    const numbers = new Map<number, Line[]>();
    for (const line of row)
      for (const [at, cell] of this.#of(line).cells.entries()) {
        if (!cell.some(({ runs }) => isNumber(textOfRuns(runs)))) continue;
        const same = numbers.get(at);
        if (same === undefined) numbers.set(at, [line]);
        else same.push(line);
      }
    const anchors = [...numbers.values()].reduce((most, lines) => (lines.length > most.length ? lines : most), []);
    if (anchors.length < 2) return [[...row]];
    const isAtTop = row[0] === anchors[0];
    const parts: Line[][] = anchors.map(() => []);
    let at = 0;
    for (const line of row) {
      const isNext = (next: Line | undefined): boolean =>
        next !== undefined &&
        (isAtTop
          ? next.baseline <= line.baseline
          : next.baseline - line.baseline < line.baseline - (anchors[at]?.baseline ?? 0));
      while (isNext(anchors[at + 1])) at++;
      parts[at]?.push(line);
    }
    return parts;
  }

  #isOneCell(above: Line, below: Line, at: number): boolean {
    const [one, other] = [this.#of(above), this.#of(below)];
    const distance = (other.cells[at]?.[0]?.baseline ?? 0) - (one.cells[at]?.at(-1)?.baseline ?? 0);
    return this.#leading !== undefined && distance < this.#leading && this.#isOneText(one, other, at);
  }

  /** Adds lines to the row above that hold the rest of some of its cells, where rows are as close as lines are. */
  #withContinued(rows: readonly Line[][]): Line[][] {
    const joined: Line[][] = [];
    for (const row of rows) {
      const above = joined.at(-1);
      if (above !== undefined && this.#continues(above, row)) above.push(...row);
      else joined.push([...row]);
    }
    return joined;
  }

  #continues(above: readonly Line[], row: readonly Line[]): boolean {
    const [last, first] = [above.at(-1), row[0]];
    if (last === undefined || first === undefined || row.length > 1) return false;
    const [own, others] = [this.filledBy(row), this.filledBy(above)];
    if (own.size >= others.size || first.baseline - last.baseline > first.size * MAX_LEADING) return false;
    return [...own].every((at) => {
      const before = above.flatMap((line) => this.#of(line).cells[at] ?? []).at(-1);
      const after = this.#of(first).cells[at]?.[0];
      if (before === undefined || after === undefined || !this.#isWrapped(before, after, at)) return false;
      const text = textOfRuns(after.runs);
      if (isNumber(text)) return false;
      const isFilled = before.right - before.left > (this.#widths[at] ?? 0) * MIN_WRAPPED_WIDTH;
      return at > 0 || /^\p{Ll}/u.test(text) || (isFilled && first.isBold === last.isBold);
    });
  }

  /**
   * Adds a line to the row above that is set between two rows and has cells where neither has: a name for both. When the
   * two are one cell over two lines, all three are one row.
   */
  #withLabels(rows: readonly Line[][]): Line[][] {
    const joined: Line[][] = [];
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] ?? [];
      const [above, below] = [joined.at(-1), rows[at + 1]];
      if (above === undefined || below === undefined || !this.#isBetween(row, above, below)) {
        joined.push([...row]);
        continue;
      }
      above.push(...row);
      if (this.#isOneName(above, row, below)) {
        above.push(...below);
        at++;
      }
    }
    return joined;
  }

  #isBetween(row: readonly Line[], above: readonly Line[], below: readonly Line[]): boolean {
    const [own, over, under] = [row, above, below].map((lines) => this.filledBy(lines));
    if (own === undefined || [...own].some((at) => over?.has(at) === true || under?.has(at) === true)) return false;
    const [top, bottom] = [row[0]?.top ?? 0, row.at(-1)?.bottom ?? 0];
    const margin = (row[0]?.size ?? 0) * 0.1;
    return (above.at(-1)?.bottom ?? 0) > top + margin && (below[0]?.top ?? 0) < bottom - margin;
  }

  #isOneName(above: readonly Line[], row: readonly Line[], below: readonly Line[]): boolean {
    const [over, under] = [this.filledBy(above.filter((line) => !row.includes(line))), this.filledBy(below)];
    if (over.size > this.filledBy(row).size || [...under].some((at) => !over.has(at))) return false;
    return [...under].every((at) => {
      const before = above.flatMap((line) => this.#of(line).cells[at] ?? []).at(-1);
      const after = below.flatMap((line) => this.#of(line).cells[at] ?? [])[0];
      return before !== undefined && after !== undefined && this.#isWrapped(before, after, at);
    });
  }
}

function widthOf(all: readonly Cells[], at: number, { left, right }: Column): number {
  let width = 0;
  for (const { cells } of all)
    for (const segment of cells[at] ?? []) {
      // A heading over several columns is in the first of them.
      if (segment.right <= right + 1) width = Math.max(width, segment.right - segment.left);
    }
  return Math.min(width, right - left);
}

/** Reports whether a cell is a number, perhaps with a unit, or a sign that stands for none. */
export function isNumber(text: string): boolean {
  return !/\p{L}/u.test(text) || (/\p{N}/u.test(text) && (text.match(/\p{L}/gu)?.length ?? 0) <= 3);
}
