import { resultsOf } from "../../core/monitors/listing-results.ts";
import {
  CheckPlan,
  ListingResults,
  MonitorSummary,
  type CheckStatus,
  type ListedCheck,
  type ListingResult,
  type MonitorCheck,
} from "../../core/monitors/monitor.ts";
import { readReplaceable, readStored } from "../../core/stored-state.ts";
import type { MonitorDatabase } from "./monitor-database.ts";

export interface ListedRow {
  id: string;
  monitor_id: string;
  status: CheckStatus;
  started_by: MonitorCheck["trigger"];
  scheduled_for_ms: number | null;
  started_at_ms: number | null;
  finished_at_ms: number | null;
  actual_credits: number;
  summary: string | null;
  error: string | null;
  created_at_ms: number;
  updated_at_ms: number;
  expires_at_ms: number;
  target_results: string | null;
}

export interface CheckRow extends ListedRow {
  /** Null for a check that has ended: `target_results` is what remains of it. */
  plan: string | null;
}

/** The columns of a check without its plan, which has up to 1.5 MB. */
export const LISTED_COLUMNS = `id, monitor_id, status, started_by, scheduled_for_ms, started_at_ms, finished_at_ms, actual_credits,
  summary, error, created_at_ms, updated_at_ms, expires_at_ms, target_results`;

/** @throws AppError STORED_STATE_UNREADABLE */
export function toCheck(row: CheckRow): MonitorCheck {
  const plan = row.plan === null ? undefined : readStored(CheckPlan, row.plan, "check");
  const results = plan === undefined ? (storedResults(row) ?? []) : resultsOf(plan);
  return { ...toListedCheck(row, results), plan };
}

function storedResults({ target_results: text }: ListedRow): ListingResult[] | undefined {
  return text === null ? undefined : readReplaceable(ListingResults, text);
}

/** @throws AppError STORED_STATE_UNREADABLE */
export function summaryOf(text: string | null): MonitorSummary | undefined {
  return text === null ? undefined : readStored(MonitorSummary, text, "summary of a check");
}

/**
 * Reads checks without their plans. The results of checks that an earlier version has ended are counted from their plans, one
 * plan at a time, and stored.
 */
export async function toListedChecks(
  { rows, write }: MonitorDatabase,
  found: readonly ListedRow[],
): Promise<ListedCheck[]> {
  const checks: ListedCheck[] = [];
  for (const row of found) {
    checks.push(toListedCheck(row, storedResults(row) ?? (await countResults(row.id))));
  }
  return checks;

  async function countResults(id: string): Promise<ListingResult[]> {
    const query = "SELECT plan FROM monitor_checks WHERE id = ? AND plan IS NOT NULL";
    const [row] = await rows<{ plan: string }>(query, id);
    const plan = row && readReplaceable(CheckPlan, row.plan);
    const results = plan === undefined ? [] : resultsOf(plan);
    const isOver = "id = ? AND status NOT IN ('queued', 'running')";
    await write([`UPDATE monitor_checks SET target_results = ? WHERE ${isOver}`, [JSON.stringify(results), id]]);
    return results;
  }
}

function toListedCheck(row: ListedRow, results: readonly ListingResult[]): ListedCheck {
  return {
    id: row.id,
    monitorId: row.monitor_id,
    status: row.status,
    trigger: row.started_by,
    scheduledForMs: row.scheduled_for_ms ?? undefined,
    startedAtMs: row.started_at_ms ?? undefined,
    finishedAtMs: row.finished_at_ms ?? undefined,
    results,
    actualCredits: row.actual_credits,
    summary: summaryOf(row.summary),
    error: row.error ?? undefined,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
