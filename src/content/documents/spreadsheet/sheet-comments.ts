import { utils } from "#xlsx";
import type { CellObject, WorkSheet } from "#xlsx";
import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS, type TableRoom } from "../html/markdown-table.ts";

/** Excel writes this above each comment of a thread, for versions that know no threads. */
const THREAD_HEAD = /^\[Threaded comment\][^]*?\bComment:\s*/;

/** Returns the comments of the cells of a sheet as a markdown list, in their order; empty without any. */
export function sheetComments(sheet: WorkSheet | undefined, room: TableRoom): string {
  const rows: readonly ((CellObject | undefined)[] | undefined)[] = sheet?.["!data"] ?? [];
  const lines: string[] = [];
  for (let r = 0; r < Math.min(rows.length, MAX_TABLE_ROWS); r++) {
    const row = rows[r] ?? [];
    for (let c = 0; c < Math.min(row.length, MAX_TABLE_COLUMNS); c++) {
      for (const { t } of row[c]?.c ?? []) {
        const text = (t ?? "").replace(THREAD_HEAD, "").replace(/\s+/g, " ").trim();
        if (text !== "" && room.take(text)) lines.push(`- Comment on ${utils.encode_cell({ r, c })}: ${escaped(text)}`);
      }
    }
  }
  return lines.join("\n");
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<]/g, "\\$&");
}
