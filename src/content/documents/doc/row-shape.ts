import type { WorkBudget } from "../../../core/work-budget.ts";
import type { CellShape, Merge, RowShape } from "../html/cell-spans.ts";

/** Codes of properties of rows, [MS-DOC] § 2.6.3. */
const ROW = { cells: 0xd608, mergeAcross: 0x5624, mergeDown: 0xd62b } as const;
const CELL_BYTES = 20;
/** Cells that are read or changed in one step. */
const CELLS_PER_STEP = 8;
const DOWN: Readonly<Record<number, Merge>> = { 1: "continued", 3: "start" };

/** Collects what the properties of a row say of the places of its cells. */
export class RowShapeReader {
  readonly #budget: WorkBudget;
  #left = 0;
  #cells: CellShape[] | undefined;

  constructor(budget: WorkBudget) {
    this.#budget = budget;
  }

  /** Takes a property from its operand in a page; others than those of rows are ignored. */
  take(code: number, page: DataView, start: number, end: number): void {
    if (code === ROW.cells) this.#readCells(page, start + 2, end);
    else if (code === ROW.mergeAcross && start + 2 <= end) {
      const [first, last] = [page.getUint8(start), page.getUint8(start + 1)];
      const behind = Math.min(last, this.#cells?.length ?? 0);
      // Any number of properties may name the same cells.
      if (!this.#budget.take(Math.max(0, behind - first) / CELLS_PER_STEP)) return;
      for (let at = first; at < behind; at++) this.#change(at, { across: at === first ? "start" : "continued" });
    } else if (code === ROW.mergeDown && start + 3 <= end)
      this.#change(page.getUint8(start + 1), { down: DOWN[page.getUint8(start + 2)] ?? "none" });
  }

  get shape(): RowShape | undefined {
    return this.#cells === undefined ? undefined : { left: this.#left, cells: this.#cells };
  }

  /** Reads the count of cells, their edges, and what each says of its merging, [MS-DOC] § 2.9.317. */
  #readCells(page: DataView, start: number, end: number): void {
    if (start >= end) return;
    const count = page.getUint8(start);
    const edges = start + 1;
    const cells = edges + (count + 1) * 2;
    if (cells > end || !this.#budget.take(count / CELLS_PER_STEP)) return;
    this.#left = page.getInt16(edges, true);
    this.#cells = Array.from({ length: count }, (_, at): CellShape => {
      const cell = cells + at * CELL_BYTES;
      const flags = cell + 2 <= end ? page.getUint16(cell, true) : 0;
      const across = flags & 3;
      return {
        right: page.getInt16(edges + (at + 1) * 2, true),
        across: across === 0 ? "none" : across === 1 ? "continued" : "start",
        down: DOWN[(flags >> 5) & 3] ?? "none",
      };
    });
  }

  #change(at: number, change: Partial<CellShape>): void {
    const cell = this.#cells?.[at];
    if (cell !== undefined) Object.assign(cell, change);
  }
}
