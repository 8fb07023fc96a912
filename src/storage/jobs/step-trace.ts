import type { StepEnd, StepNote, TracedStep } from "../../core/jobs/step-trace.ts";
import type { Sql } from "../../ports/storage/sql.ts";

/** A table of its own beside the steps, so that jobs which were begun before there were traces go on. */
export const TRACE_TABLE = `CREATE TABLE IF NOT EXISTS trace (
  key TEXT PRIMARY KEY, number INTEGER NOT NULL, tool TEXT NOT NULL, input TEXT NOT NULL, credits INTEGER NOT NULL,
  begun_at_ms INTEGER NOT NULL, ended_at_ms INTEGER, end TEXT
) WITHOUT ROWID`;

interface TraceRow {
  number: number;
  tool: string;
  input: string;
  credits: number;
  begun_at_ms: number;
  ended_at_ms: number | null;
  end: string | null;
}

/** A step that is begun anew, after it was refused or its turn was lost, keeps its place. */
export function traceBegin(
  sql: Sql,
  { key, credits, note }: { key: string; credits: number; note: StepNote },
  nowMs: number,
): void {
  sql.rows(
    `INSERT INTO trace (key, number, tool, input, credits, begun_at_ms)
     SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ?, ? FROM trace WHERE true
     ON CONFLICT DO UPDATE SET credits = excluded.credits, ended_at_ms = NULL, end = NULL`,
    key,
    note.tool,
    JSON.stringify(note.input),
    credits,
    nowMs,
  );
}

/** Does nothing for a step that left no trace when it began. */
export function traceEnd(
  sql: Sql,
  { key, credits, end }: { key: string; credits: number; end: StepEnd },
  nowMs: number,
): void {
  sql.rows(
    "UPDATE trace SET credits = ?, ended_at_ms = ?, end = ? WHERE key = ?",
    credits,
    nowMs,
    JSON.stringify(end),
    key,
  );
}

export function forgetTrace(sql: Sql, key: string): void {
  sql.rows("DELETE FROM trace WHERE key = ?", key);
}

/** In the order in which the steps were begun. */
export function readTrace(sql: Sql): TracedStep[] {
  const rows = sql.rows<TraceRow>(
    "SELECT number, tool, input, credits, begun_at_ms, ended_at_ms, end FROM trace ORDER BY number",
  );
  return rows.map((row) => ({
    number: row.number,
    tool: row.tool,
    // Written by the functions above alone, in these shapes.
    input: JSON.parse(row.input) as StepNote["input"],
    credits: row.credits,
    begunAtMs: row.begun_at_ms,
    endedAtMs: row.ended_at_ms ?? undefined,
    end: row.end === null ? undefined : (JSON.parse(row.end) as StepEnd),
  }));
}
