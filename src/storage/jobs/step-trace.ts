import { readStored } from "../../core/stored-state.ts";
import { StepEnd, StepNote, type TracedStep } from "../../core/jobs/step-trace.ts";
import type { Sql } from "../../ports/storage/sql.ts";

/** Table of traces, separate from the steps, so that jobs older than traces continue to work. */
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

/** Records the start of a step. A step that begins again, after a refusal or a lost run, retains its position. */
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

/** Records the end of a step. Does nothing for a step without a trace. */
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

/** Returns the traced steps in the order in which they began. */
export function readTrace(sql: Sql): TracedStep[] {
  const rows = sql.rows<TraceRow>(
    "SELECT number, tool, input, credits, begun_at_ms, ended_at_ms, end FROM trace ORDER BY number",
  );
  return rows.map((row) => ({
    number: row.number,
    tool: row.tool,
    input: readStored(StepNote.shape.input, row.input, "trace of a step"),
    credits: row.credits,
    begunAtMs: row.begun_at_ms,
    endedAtMs: row.ended_at_ms ?? undefined,
    end: row.end === null ? undefined : readStored(StepEnd, row.end, "trace of a step"),
  }));
}
