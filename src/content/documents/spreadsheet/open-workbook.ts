import { limitWork, parse_xlscfb, read } from "#xlsx";
import type { WorkBook } from "#xlsx";
import { AppError, isAppError } from "../../../core/errors.ts";
import { WorkBudget } from "../../../core/work-budget.ts";
import { MAX_TABLE_ROWS } from "../html/markdown-table.ts";
import { openWorkbookStreams } from "./workbook-streams.ts";

/** Iterations of SheetJS' loops that count as one step. */
const ITERATIONS_PER_STEP = 8;
/**
 * Bytes of all cells and columns that are copied, 400,000 short ones or some long ones: in flat XML they are repeated as often as the
 * file says, which fills the memory before the steps of a file of megabytes are spent.
 */
const MAX_COPIED_BYTES = 64_000_000;
const READING = {
  dense: true,
  cellFormula: false,
  cellHTML: false,
  cellStyles: false,
  dateNF: "yyyy-mm-dd",
  sheetRows: MAX_TABLE_ROWS + 1,
} as const;

/**
 * Reads a workbook with SheetJS: values as displayed, rows up to one more than is shown.
 * @param sheet position of the only sheet that is read; all of them without it
 * @throws AppError for a damaged workbook, for a password, and `SCRAPE_WORK_LIMIT` when the budget is spent or cells are repeated too often
 */
export function openWorkbook(bytes: Uint8Array, budget: WorkBudget, sheet?: number): WorkBook {
  const outer = current;
  current = { budget, copies: new WorkBudget({ bytes: MAX_COPIED_BYTES }) };
  try {
    return isCompoundFile(bytes)
      ? parse_xlscfb(openWorkbookStreams(bytes), READING)
      : read(bytes, { ...READING, ...(sheet === undefined ? {} : { sheets: sheet }), type: "array" });
  } catch (error) {
    if (isAppError(error)) throw error;
    if (error instanceof Error && /password|encrypt/i.test(error.message)) {
      throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "The workbook is protected by a password", { cause: error });
    }
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The workbook is damaged", { cause: error });
  } finally {
    current = outer;
  }
}

function isCompoundFile(bytes: Uint8Array): boolean {
  return bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0;
}

/** The limits of the workbook that is being read; SheetJS reads one from start to end. */
let current: { budget: WorkBudget; copies: WorkBudget } | undefined;
limitWork({
  takeSteps: (iterations) => current?.budget.spend(iterations / ITERATIONS_PER_STEP),
  takeBytes: (bytes) => {
    if (current?.copies.takeBytes(bytes) === false) throw new AppError("SCRAPE_WORK_LIMIT");
  },
});
