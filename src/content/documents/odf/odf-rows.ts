import type { WorkBudget } from "../../../core/work-budget.ts";
import type { XmlElement } from "../containers/xml-tree.ts";
import { childElements } from "../containers/xml-tree.ts";

interface OdfCell {
  element: XmlElement;
  span: { columns: number; rows: number };
}

const MAX_REPEATS = 100;
/** Cells of a row, and of a table, up to which repetitions are written out: a few bytes are any number of cells. */
const MAX_ROW_CELLS = 200;
const MAX_CELLS = 20_000;
const CUT = "repeated cells of a table";
const GROUPS = new Set(["table:table-rows", "table:table-row-group", "table:table-header-rows"]);

/**
 * Returns the rows of a table, groups opened and repetitions written out, ODF 1.3 part 3 § 9.1. Repetitions beyond the limits are
 * recorded in the budget, unless they are empty and nothing follows them.
 */
export function odfRows(
  table: XmlElement,
  budget: WorkBudget,
): {
  rows: OdfCell[][];
  headerRows: number;
} {
  const rows: OdfCell[][] = [];
  let headerRows = 0;
  let cells = 0;
  const visit = (parent: XmlElement, isHeader: boolean): void => {
    for (const element of childElements(parent)) {
      if (GROUPS.has(element.name)) visit(element, isHeader || element.name === "table:table-header-rows");
      if (element.name !== "table:table-row") continue;
      const row = cellsOf(element, MAX_CELLS - cells, budget);
      const isEmpty = row.every((cell) => cell.element.children.length === 0);
      const fitting = Math.max(1, Math.floor((MAX_CELLS - cells) / Math.max(1, row.length)));
      const wanted = countOf(element, "table:number-rows-repeated");
      const times = isEmpty ? 1 : Math.min(fitting, MAX_REPEATS, wanted);
      if (!isEmpty && times < wanted) budget.cut(CUT);
      cells += times * row.length;
      for (let at = 0; at < times; at++) rows.push(row);
      if (isHeader) headerRows += times;
    }
  };
  visit(table, false);
  return { rows, headerRows };
}

/**
 * Returns the cells of a row without those covered by a spanning cell, as in HTML. `left` is the number of cells up to which the
 * table has repetitions.
 */
function cellsOf(row: XmlElement, left: number, budget: WorkBudget): OdfCell[] {
  const cells: OdfCell[] = [];
  const most = Math.min(MAX_ROW_CELLS, left);
  let isShort = false;
  for (const element of childElements(row, "table:table-cell")) {
    const columns = countOf(element, "table:number-columns-spanned");
    const rows = countOf(element, "table:number-rows-spanned");
    const cell = { element, span: { columns, rows } };
    const fitting = Math.max(1, most - cells.length);
    const wanted = countOf(element, "table:number-columns-repeated");
    const times = Math.min(fitting, MAX_REPEATS, wanted);
    // Behind empty cells that are missing, others are in the wrong column.
    isShort ||= times < wanted;
    if (isShort && element.children.length > 0) budget.cut(CUT);
    for (let at = 0; at < times; at++) cells.push(cell);
  }
  return cells;
}

/** Returns a count of at least 1, which is also that of an attribute that is not there. */
function countOf(element: XmlElement, attribute: string): number {
  return Math.max(1, Math.trunc(Number(element.attributes[attribute] ?? "1")) || 1);
}
