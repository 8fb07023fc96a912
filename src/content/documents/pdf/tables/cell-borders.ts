import type { WorkBudget } from "../../../../core/work-budget.ts";
import { isHorizontal, type RulingLine } from "../pages/ruling-lines.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import type { TextRun } from "../text-run.ts";

/** Upright lines at one place, and text beside them, may differ by so many points. */
const TOLERANCE = 1;
/** Lines of cells below each other are at most this far apart, in points. */
const MAX_SPACING = 5;
/** A border along two rows is at least this high, in multiples of the font size; a box around a word is lower. */
const MIN_HEIGHT = 2.5;

/** The upright drawn lines of a page that stand between cells. */
export class CellBorders {
  readonly #borders: RulingLine[];
  readonly #budget: WorkBudget;

  constructor(rules: readonly RulingLine[], budget: WorkBudget) {
    const upright = rules.filter((rule) => !isHorizontal(rule));
    const isSorted = budget.take((upright.length * Math.log2(upright.length + 1)) / COMPARISONS_PER_STEP);
    this.#borders = isSorted ? joined(upright) : [];
    this.#budget = budget;
  }

  /** Reports whether a border of several rows stands between two runs of one line. Without budget there is none. */
  parts(before: TextRun, after: TextRun): boolean {
    const middle = after.baseline - after.size * 0.3;
    const height = Math.max(before.size, after.size) * MIN_HEIGHT;
    for (let at = this.#firstFrom(before.right - TOLERANCE); at < this.#borders.length; at++) {
      const border = this.#borders[at];
      if (border === undefined || border.left > after.left + TOLERANCE) return false;
      if (!this.#budget.take(1 / COMPARISONS_PER_STEP)) return false;
      const isBeside = border.top < middle && border.bottom > middle && border.right < after.left + TOLERANCE;
      if (isBeside && border.bottom - border.top >= height) return true;
    }
    return false;
  }

  /** Returns the number of the first border at a place or to the right of it. */
  #firstFrom(left: number): number {
    let [low, high] = [0, this.#borders.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#borders[middle]?.left ?? 0) < left) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Joins upright lines that are drawn cell by cell. Returns them from left to right. */
function joined(upright: readonly RulingLine[]): RulingLine[] {
  const borders: RulingLine[] = [];
  const byPlace = Map.groupBy(upright, ({ left }) => Math.round(left));
  for (const rules of byPlace.values()) {
    let last: RulingLine | undefined;
    for (const rule of rules.toSorted((a, b) => a.top - b.top)) {
      if (last === undefined || rule.top > last.bottom + MAX_SPACING) borders.push((last = { ...rule }));
      else last.bottom = Math.max(last.bottom, rule.bottom);
    }
  }
  return borders.toSorted((a, b) => a.left - b.left);
}
