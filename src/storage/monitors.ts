import type {
  CheckPlan,
  CheckStatus,
  Monitor,
  MonitorCheck,
  MonitorConfig,
  MonitorPage,
  MonitorSummary,
} from "../core/monitor.ts";
import { NO_PAGES } from "../core/monitor.ts";
import type { Meter } from "../core/meter.ts";
import { webhookRetryDelayMs } from "../core/webhook-retries.ts";
import type { MonitorEvent, MonitorStore } from "../ports/monitors.ts";

interface MonitorRow {
  id: string;
  team_id: string;
  key_id: string;
  name: string;
  status: Monitor["status"];
  config: string;
  next_run_at_ms: number | null;
  last_run_at_ms: number | null;
  current_check_id: string | null;
  last_summary: string | null;
  created_at_ms: number;
  updated_at_ms: number;
}

interface CheckRow {
  id: string;
  monitor_id: string;
  status: CheckStatus;
  started_by: MonitorCheck["trigger"];
  scheduled_for_ms: number | null;
  started_at_ms: number | null;
  finished_at_ms: number | null;
  plan: string | null;
  actual_credits: number;
  summary: string | null;
  error: string | null;
  created_at_ms: number;
  updated_at_ms: number;
  expires_at_ms: number;
}

interface EventRow {
  id: number;
  webhook_id: string;
  event: MonitorEvent["event"];
  content: string;
  attempts: number;
}

type Value = string | number | null;
const DAY_MS = 86_400_000;

/** Monitors in D1. What belongs together is written in one batch, which is a transaction. */
export function createMonitorStore(db: D1Database, meter: Meter): MonitorStore {
  const bound = (query: string, values: readonly Value[]) => db.prepare(query).bind(...values);
  const rows = async <Row>(query: string, ...values: Value[]): Promise<Row[]> => {
    const { results, meta } = await db
      .withSession("first-primary")
      .prepare(query)
      .bind(...values)
      .run<Row>();
    meter.add("d1RowsRead", meta.rows_read);
    return results;
  };
  const write = async (...statements: [string, readonly Value[]][]): Promise<number[]> => {
    const results = await db.batch(statements.map(([query, values]) => bound(query, values)));
    for (const { meta } of results) meter.add("d1RowsWritten", meta.rows_written);
    return results.map(({ meta }) => meta.changes);
  };
  /** Only if something holds of the check, so that a repeat adds nothing. */
  const eventOf = (check: MonitorCheck, event: MonitorEvent, nowMs: number): [string, Value[]] => [
    `INSERT INTO monitor_events (check_id, monitor_id, webhook_id, event, content, attempts, due_at_ms)
       VALUES (?, ?, ?, ?, ?, 0, ?)`,
    [check.id, check.monitorId, event.webhookId, event.event, JSON.stringify({ data: event.data }), nowMs],
  ];
  return {
    async insert(monitor) {
      await write([
        "INSERT INTO monitors VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, ?, ?)",
        [monitor.id, monitor.teamId, monitor.keyId, monitor.name, monitor.status, JSON.stringify(monitor.config),
          monitor.nextRunAtMs ?? null, monitor.createdAtMs, monitor.updatedAtMs],
      ]); // prettier-ignore
    },
    async find(id) {
      return (await rows<MonitorRow>("SELECT * FROM monitors WHERE id = ?", id)).map(toMonitor)[0];
    },
    async list(teamId, { limit, offset }) {
      const query = "SELECT * FROM monitors WHERE team_id = ? ORDER BY created_at_ms DESC, id DESC LIMIT ? OFFSET ?";
      return (await rows<MonitorRow>(query, teamId, limit, offset)).map(toMonitor);
    },
    async update({ id, name, status, config, nextRunAtMs, updatedAtMs }) {
      await write([
        "UPDATE monitors SET name = ?, status = ?, config = ?, next_run_at_ms = ?, updated_at_ms = ? WHERE id = ?",
        [name, status, JSON.stringify(config), nextRunAtMs ?? null, updatedAtMs, id],
      ]);
    },
    async remove(id) {
      const tables = ["monitor_events", "monitor_pages", "monitor_states", "monitor_checks"];
      await write(...tables.map((table): [string, Value[]] => [`DELETE FROM ${table} WHERE monitor_id = ?`, [id]]), [
        "DELETE FROM monitors WHERE id = ?",
        [id],
      ]);
    },
    async due(nowMs, limit) {
      const query = `SELECT * FROM monitors WHERE status = 'active' AND next_run_at_ms <= ? ORDER BY next_run_at_ms LIMIT ?`;
      return (await rows<MonitorRow>(query, nowMs, limit)).map(toMonitor);
    },
    async startCheck({ monitor, checkId, trigger, scheduledForMs, nextRunAtMs, nowMs }) {
      const isManual = trigger === "manual";
      const condition = isManual
        ? "id = ? AND status = 'active' AND current_check_id IS NULL"
        : "id = ? AND status = 'active' AND next_run_at_ms = ?";
      const claim: Value[] = isManual ? [monitor.id] : [monitor.id, scheduledForMs ?? null];
      const expiresAtMs = nowMs + monitor.config.retentionDays * DAY_MS;
      const next: [string, Value[]] = isManual ? ["", []] : [", next_run_at_ms = ?", [nextRunAtMs ?? null]];
      await write(
        [
          `INSERT INTO monitor_checks
             SELECT ?, id, CASE WHEN current_check_id IS NULL THEN 'queued' ELSE 'skipped_overlap' END, ?, ?, NULL,
               CASE WHEN current_check_id IS NULL THEN NULL ELSE ? END, 0, NULL, 0, NULL, NULL, ?, ?, ?
             FROM monitors WHERE ${condition}`,
          [checkId, trigger, scheduledForMs ?? null, nowMs, nowMs, nowMs, expiresAtMs, ...claim],
        ],
        [
          `UPDATE monitors SET last_run_at_ms = ?, current_check_id = coalesce(current_check_id, ?)${next[0]} WHERE ${condition}`,
          [nowMs, checkId, ...next[1], ...claim],
        ],
      );
      return (await rows<CheckRow>("SELECT * FROM monitor_checks WHERE id = ?", checkId))[0]?.status;
    },
    async findCheck(id) {
      return (await rows<CheckRow>("SELECT * FROM monitor_checks WHERE id = ?", id)).map(toCheck)[0];
    },
    async listChecks(monitorId, { limit, offset, status }) {
      const query = `SELECT * FROM monitor_checks WHERE monitor_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at_ms DESC, id DESC LIMIT ? OFFSET ?`;
      return (await rows<CheckRow>(query, monitorId, status ?? null, status ?? null, limit, offset)).map(toCheck);
    },
    async leaseCheck(id, nowMs, untilMs) {
      const [changes] = await write([
        `UPDATE monitor_checks SET status = 'running', started_at_ms = coalesce(started_at_ms, ?), lease_until_ms = ?,
           updated_at_ms = ? WHERE id = ? AND status IN ('queued', 'running') AND lease_until_ms <= ?`,
        [nowMs, untilMs, nowMs, id, nowMs],
      ]);
      return (changes ?? 0) > 0;
    },
    async staleChecks(nowMs, untouchedSinceMs) {
      const query = `SELECT id FROM monitor_checks WHERE status IN ('queued', 'running') AND lease_until_ms <= ?
        AND updated_at_ms <= ? LIMIT 100`;
      return (await rows<{ id: string }>(query, nowMs, untouchedSinceMs)).map(({ id }) => id);
    },
    async keepPlan(checkId, plan, credits) {
      const query =
        "UPDATE monitor_checks SET plan = ?, actual_credits = actual_credits + ? WHERE id = ? AND plan IS NULL";
      await write([query, [JSON.stringify(plan), credits, checkId]]);
    },
    async releaseCheck(id, nowMs) {
      await write(["UPDATE monitor_checks SET lease_until_ms = ?, updated_at_ms = ? WHERE id = ?", [nowMs, nowMs, id]]);
    },
    async keepPage(check, page, { credits, state, event, nowMs }) {
      const { id, targetId, url, status } = page;
      const statements: [string, Value[]][] = [
        [
          "INSERT INTO monitor_pages VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          [check.id, targetId, url, id, check.monitorId, status, JSON.stringify(page), check.expiresAtMs],
        ],
        [
          "UPDATE monitor_checks SET actual_credits = actual_credits + ?, updated_at_ms = ? WHERE id = ?",
          [credits, nowMs, check.id],
        ],
      ];
      if (state !== undefined) {
        statements.push([
          "INSERT OR REPLACE INTO monitor_states VALUES (?, ?, ?, ?, ?, ?)",
          [check.monitorId, targetId, url, state.scrapeId, state.textHash, state.text],
        ]);
      }
      if (status === "removed") {
        const forget = "DELETE FROM monitor_states WHERE monitor_id = ? AND target_id = ? AND url = ?";
        statements.push([forget, [check.monitorId, targetId, url]]);
      }
      if (event !== undefined) statements.push(eventOf(check, event, nowMs));
      await write(...statements);
    },
    async pages(checkId, { limit, skip, status }) {
      const query = `SELECT body FROM monitor_pages WHERE check_id = ? AND (? IS NULL OR status = ?) ORDER BY id LIMIT ? OFFSET ?`;
      const found = await rows<{ body: string }>(query, checkId, status ?? null, status ?? null, limit, skip);
      return found.map(({ body }) => JSON.parse(body) as MonitorPage);
    },
    async seen(checkId) {
      const query = "SELECT target_id, url FROM monitor_pages WHERE check_id = ?";
      const found = await rows<{ target_id: string; url: string }>(query, checkId);
      return new Set(found.map(({ target_id: targetId, url }) => `${targetId} ${url}`));
    },
    async summary(checkId) {
      const query = "SELECT status, count(*) AS pages FROM monitor_pages WHERE check_id = ? GROUP BY status";
      const counts = await rows<{ status: keyof MonitorSummary; pages: number }>(query, checkId);
      const summary = { ...NO_PAGES };
      for (const { status, pages } of counts) {
        summary[status] = pages;
        summary.totalPages += pages;
      }
      return summary;
    },
    async state(monitorId, targetId, url) {
      const query = "SELECT * FROM monitor_states WHERE monitor_id = ? AND target_id = ? AND url = ?";
      const [row] = await rows<{ scrape_id: string | null; text_hash: string; text: string }>(
        query,
        monitorId,
        targetId,
        url,
      );
      return row && { targetId, url, scrapeId: row.scrape_id, textHash: row.text_hash, text: row.text };
    },
    async stateUrls(monitorId, targetId) {
      const query = "SELECT url, scrape_id FROM monitor_states WHERE monitor_id = ? AND target_id = ?";
      const found = await rows<{ url: string; scrape_id: string | null }>(query, monitorId, targetId);
      return found.map(({ url, scrape_id: scrapeId }) => ({ url, scrapeId }));
    },
    async finishCheck(check, { status, summary, error, event, nowMs }) {
      await write(
        ...(event === undefined ? [] : [eventOf(check, event, nowMs)]),
        [
          `UPDATE monitor_checks SET status = ?, summary = ?, error = ?, finished_at_ms = ?, updated_at_ms = ?
             WHERE id = ?`,
          [status, JSON.stringify(summary), error ?? null, nowMs, nowMs, check.id],
        ],
        [
          "UPDATE monitors SET current_check_id = NULL, last_summary = ? WHERE id = ? AND current_check_id = ?",
          [JSON.stringify(summary), check.monitorId, check.id],
        ],
      );
    },
    async takeEvents(checkId, nowMs, limit) {
      const query = "SELECT * FROM monitor_events WHERE check_id = ? AND due_at_ms <= ? ORDER BY id LIMIT ?";
      return (await rows<EventRow>(query, checkId, nowMs, limit)).map((row) => ({
        entryId: row.id,
        webhookId: row.webhook_id,
        event: row.event,
        // Written above, in this shape: hence the cast.
        content: JSON.parse(row.content) as { data: unknown },
        attempts: row.attempts,
      }));
    },
    async noteSent(_checkId, notes, nowMs) {
      for (const { entryId, kind } of notes) {
        const [row] = await rows<EventRow>("SELECT * FROM monitor_events WHERE id = ?", entryId);
        const delay = kind === "delivered" || row === undefined ? undefined : webhookRetryDelayMs(kind, row.attempts);
        await write(
          delay === undefined
            ? ["DELETE FROM monitor_events WHERE id = ?", [entryId]]
            : [
                "UPDATE monitor_events SET attempts = attempts + 1, due_at_ms = ? WHERE id = ?",
                [nowMs + delay, entryId],
              ],
        );
      }
    },
    async checksWithEvents(nowMs, limit) {
      const query = "SELECT DISTINCT check_id FROM monitor_events WHERE due_at_ms <= ? LIMIT ?";
      return (await rows<{ check_id: string }>(query, nowMs, limit)).map(({ check_id: id }) => id);
    },
    async purge(nowMs, limit) {
      const [pages, checks] = await write(
        [
          `DELETE FROM monitor_pages WHERE (check_id, target_id, url) IN
             (SELECT check_id, target_id, url FROM monitor_pages WHERE expires_at_ms < ? LIMIT ?)`,
          [nowMs, limit],
        ],
        [
          "DELETE FROM monitor_checks WHERE id IN (SELECT id FROM monitor_checks WHERE expires_at_ms < ? LIMIT ?)",
          [nowMs, limit],
        ],
      );
      return Math.max(pages ?? 0, checks ?? 0);
    },
  };
}

/** The casts: these texts are written by this store alone. */
function toMonitor(row: MonitorRow): Monitor {
  return {
    id: row.id,
    teamId: row.team_id,
    keyId: row.key_id,
    name: row.name,
    status: row.status,
    config: JSON.parse(row.config) as MonitorConfig,
    nextRunAtMs: row.next_run_at_ms ?? undefined,
    lastRunAtMs: row.last_run_at_ms ?? undefined,
    currentCheckId: row.current_check_id ?? undefined,
    lastSummary: row.last_summary === null ? undefined : (JSON.parse(row.last_summary) as MonitorSummary),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

function toCheck(row: CheckRow): MonitorCheck {
  return {
    id: row.id,
    monitorId: row.monitor_id,
    status: row.status,
    trigger: row.started_by,
    scheduledForMs: row.scheduled_for_ms ?? undefined,
    startedAtMs: row.started_at_ms ?? undefined,
    finishedAtMs: row.finished_at_ms ?? undefined,
    plan: row.plan === null ? undefined : (JSON.parse(row.plan) as CheckPlan),
    actualCredits: row.actual_credits,
    summary: row.summary === null ? undefined : (JSON.parse(row.summary) as MonitorSummary),
    error: row.error ?? undefined,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
