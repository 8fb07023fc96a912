import { resultsOf } from "../../core/monitors/listing-results.ts";
import { readReplaceable, readStored } from "../../core/stored-state.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import {
  MonitorConfig,
  MonitorPage,
  NO_PAGES,
  type Monitor,
  type MonitorSummary,
} from "../../core/monitors/monitor.ts";
import type { DueMonitor, MonitorStore } from "../../ports/monitors.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { DatabaseRoom } from "../../ports/storage/database-room.ts";
import { LISTED_COLUMNS, summaryOf, toCheck, toListedChecks, type CheckRow, type ListedRow } from "./check-rows.ts";
import { createMonitorDatabase, type Statement, type Value } from "./monitor-database.ts";
import { createMonitorOutbox, postEvent } from "./monitor-outbox.ts";
import { createMonitorRemoval } from "./monitor-removal.ts";
import {
  addUpChecks,
  CHECK_BYTES,
  createMonitorSizes,
  EXPIRED_CHECKS,
  ROW_BYTES,
  subtractExpired,
} from "./monitor-sizes.ts";
import { contentOf, createMonitorStates, dropState, isOfRevision, putState } from "./monitor-states.ts";
import { createStateObjects, releaseObjects, stateKey, UNUSED_MS } from "./state-objects.ts";

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

interface PageBody {
  id: string;
  body: string;
}

const DAY_MS = 86_400_000;

/** Creates the monitor store in D1; long states of pages are in R2. Related changes are written in one batch, which is a transaction. */
export function createMonitorStore(
  db: D1Database,
  blobs: Blobs,
  room?: Pick<DatabaseRoom, "isNearlyFull">,
): MonitorStore {
  const database = createMonitorDatabase(db);
  const { rows, write } = database;
  const objects = createStateObjects(database, blobs, room);
  return {
    ...createMonitorOutbox(database),
    ...createMonitorStates(database, objects),
    ...createMonitorRemoval(database),
    ...createMonitorSizes(database),
    async insert(monitor, most) {
      const { id, teamId } = monitor;
      const config = JSON.stringify(monitor.config);
      const isRoom = `(SELECT count(*) FROM monitors WHERE team_id = ?) < ?
        AND (SELECT coalesce(sum(octet_length(config)), 0) FROM monitors WHERE team_id = ?) + ? <= ?`;
      const [inserted] = await write(
        [`INSERT INTO monitors (id, team_id, key_id, name, status, config, next_run_at_ms, last_run_at_ms,
             current_check_id, last_summary, created_at_ms, updated_at_ms)
           SELECT ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, ?, ? WHERE ${isRoom} ON CONFLICT (id) DO NOTHING`,
          [id, teamId, monitor.keyId, monitor.name, monitor.status, config,
            monitor.nextRunAtMs ?? null, monitor.createdAtMs, monitor.updatedAtMs,
            teamId, most.count, teamId, utf8Length(config), most.configBytes]],
        // A removed monitor of the same ID would take the data of this one with it.
        ["DELETE FROM removed_monitors WHERE id = ? AND EXISTS (SELECT 1 FROM monitors WHERE id = ?)", [id, id]],
      ); // prettier-ignore
      return inserted === 1;
    },
    async find(id) {
      return (await rows<MonitorRow>("SELECT * FROM monitors WHERE id = ?", id)).map(toMonitor)[0];
    },
    async list(teamId, { limit, offset, maxBytes }) {
      const query = `SELECT monitors.*, listed FROM
          (SELECT id, sum(bytes) OVER (ORDER BY created_at_ms DESC, id DESC) - bytes AS bytes_before, count(*) OVER () AS listed
           FROM (SELECT id, created_at_ms, length(config) AS bytes FROM monitors WHERE team_id = ?
             ORDER BY created_at_ms DESC, id DESC LIMIT ? OFFSET ?)) AS page
        JOIN monitors ON monitors.id = page.id
        WHERE bytes_before < ? ORDER BY monitors.created_at_ms DESC, monitors.id DESC LIMIT ?`;
      const values = [teamId, limit + 1, offset, maxBytes, limit];
      const found = await rows<MonitorRow & { listed: number }>(query, ...values);
      return { monitors: found.map(toMonitor), hasMore: (found[0]?.listed ?? 0) > found.length };
    },
    async update(id, { name, status, config, room, keptTargets, nextRun, updatedAtMs }) {
      const assignments: Statement[] = [["updated_at_ms = ?", [updatedAtMs]]];
      if (name !== undefined) assignments.push(["name = ?", [name]]);
      if (status !== undefined) assignments.push(["status = ?", [status]]);
      if (nextRun !== undefined) {
        const atMs = nextRun.isReplaced ? "?" : "coalesce(next_run_at_ms, ?)";
        const assignment = `next_run_at_ms = CASE coalesce(?, status) WHEN 'active' THEN ${atMs} END`;
        assignments.push([assignment, [status ?? null, nextRun.atMs ?? null]]);
      }
      const fields = Object.entries(config).filter(([, value]) => value !== undefined);
      if (fields.length > 0) {
        const values = fields.flatMap(([field, value]) => [`$.${field}`, JSON.stringify(value)]);
        assignments.push([`config = json_set(config${", ?, json(?)".repeat(fields.length)})`, values]);
      }
      const sets = assignments.map(([assignment]) => assignment).join(", ");
      const [isRoom, bounds]: Statement = room === undefined ? ["id = ?", [id]] : [HAS_ROOM, [id, room.bytes, room.bytes, room.mostBytes]]; // prettier-ignore
      const statements: Statement[] = [];
      if (keptTargets !== undefined) {
        const others = `monitor_id = ? AND target_id NOT IN (SELECT value FROM json_each(?))
          AND EXISTS (SELECT 1 FROM monitors WHERE ${isRoom})`;
        const values = [id, JSON.stringify(keptTargets), ...bounds];
        statements.push(releaseObjects([others, values], updatedAtMs + UNUSED_MS));
        for (const table of ["monitor_states", "monitor_seen"])
          statements.push([`DELETE FROM ${table} WHERE ${others}`, values]);
      }
      // The last statement, since its condition depends on what it changes.
      statements.push([`UPDATE monitors SET ${sets} WHERE ${isRoom}`, [...assignments.flatMap(([, values]) => values), ...bounds]]); // prettier-ignore
      return (await write(...statements)).at(-1) === 1;
    },
    async due(nowMs, { after, limit }) {
      const query = `SELECT id, next_run_at_ms AS nextRunAtMs FROM monitors
        WHERE status = 'active' AND next_run_at_ms <= ? AND (next_run_at_ms, id) > (?, ?)
        ORDER BY next_run_at_ms, id LIMIT ?`;
      return await rows<DueMonitor>(query, nowMs, after?.nextRunAtMs ?? 0, after?.id ?? "", limit);
    },
    async dueAmong(ids, nowMs) {
      const query = `SELECT monitors.id FROM json_each(?) JOIN monitors ON monitors.id = value
        WHERE status = 'active' AND next_run_at_ms <= ?`;
      return (await rows<{ id: string }>(query, JSON.stringify(ids), nowMs)).map(({ id }) => id);
    },
    async findDue(id, nowMs) {
      const query = "SELECT * FROM monitors WHERE id = ? AND status = 'active' AND next_run_at_ms <= ?";
      const [row] = await rows<MonitorRow>(query, id, nowMs);
      if (row === undefined) return undefined;
      if (readReplaceable(MonitorConfig, row.config) !== undefined) return toMonitor(row);
      await write(["UPDATE monitors SET status = 'paused', next_run_at_ms = NULL WHERE id = ?", [id]]);
      return undefined;
    },
    async startCheck({ monitor, checkId, trigger, scheduledForMs, nextRunAtMs, skippedEvent, nowMs }) {
      const isManual = trigger === "manual";
      const condition = isManual
        ? "id = ? AND status = 'active' AND current_check_id IS NULL"
        : "id = ? AND status = 'active' AND next_run_at_ms = ?";
      const claim: Value[] = isManual ? [monitor.id] : [monitor.id, scheduledForMs ?? null];
      const expiresAtMs = nowMs + monitor.config.retentionDays * DAY_MS;
      const next: Statement = isManual ? ["", []] : [", next_run_at_ms = ?", [nextRunAtMs ?? null]];
      const statements: Statement[] = [
        [
          // `lease_until_ms` is unused: the step job of the check holds its lease.
          `INSERT INTO monitor_checks (id, monitor_id, status, started_by, scheduled_for_ms, finished_at_ms,
               lease_until_ms, actual_credits, created_at_ms, updated_at_ms, expires_at_ms, team_id, bytes)
             SELECT ?, id, CASE WHEN current_check_id IS NULL THEN 'queued' ELSE 'skipped_overlap' END, ?, ?,
               CASE WHEN current_check_id IS NULL THEN NULL ELSE ? END, 0, 0, ?, ?, ?, team_id,
               CASE WHEN current_check_id IS NULL THEN NULL ELSE ${ROW_BYTES} END
             FROM monitors WHERE ${condition}`,
          [checkId, trigger, scheduledForMs ?? null, nowMs, nowMs, nowMs, expiresAtMs, ...claim],
        ],
        [
          `UPDATE monitors SET last_run_at_ms = ?, current_check_id = coalesce(current_check_id, ?)${next[0]} WHERE ${condition}`,
          [nowMs, checkId, ...next[1], ...claim],
        ],
      ];
      if (skippedEvent !== undefined) {
        const isSkipped = "EXISTS (SELECT 1 FROM monitor_checks WHERE id = ? AND status = 'skipped_overlap')";
        const about = { event: skippedEvent, checkId, monitorId: monitor.id, nowMs };
        statements.push(postEvent(about, [isSkipped, [checkId]]));
      }
      await write(...statements);
      const query = "SELECT status FROM monitor_checks WHERE id = ?";
      return (await rows<Pick<CheckRow, "status">>(query, checkId))[0]?.status;
    },
    async findCheck(id) {
      return (await rows<CheckRow>("SELECT * FROM monitor_checks WHERE id = ?", id)).map(toCheck)[0];
    },
    async listChecks(monitorId, { limit, offset, status }) {
      const query = `SELECT ${LISTED_COLUMNS} FROM monitor_checks WHERE monitor_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at_ms DESC, id DESC LIMIT ? OFFSET ?`;
      const found = await rows<ListedRow>(query, monitorId, status ?? null, status ?? null, limit, offset);
      return await toListedChecks(database, found);
    },
    async beginCheck(id, nowMs) {
      await write([
        `UPDATE monitor_checks SET status = 'running', started_at_ms = coalesce(started_at_ms, ?), updated_at_ms = ?
           WHERE id = ? AND status IN ('queued', 'running')`,
        [nowMs, nowMs, id],
      ]);
    },
    async staleChecks(untouchedSinceMs) {
      const query = `SELECT id, monitor_id AS monitorId FROM monitor_checks
        WHERE status IN ('queued', 'running') AND updated_at_ms <= ? LIMIT 100`;
      return await rows<{ id: string; monitorId: string }>(query, untouchedSinceMs);
    },
    async keepPlan(checkId, plan, credits) {
      // A check that has ended needs no plan.
      const kept = "iif(status IN ('queued', 'running'), ?, plan)";
      const query = `UPDATE monitor_checks SET plan = ${kept}, target_results = ?, actual_credits = actual_credits + ? WHERE id = ?`;
      await write([query, [JSON.stringify(plan), JSON.stringify(resultsOf(plan)), credits, checkId]]);
    },
    async keepPage(check, page, { credits, state, revision, event, nowMs }) {
      const { id, targetId, url, status } = page;
      const isWritten =
        "EXISTS (SELECT 1 FROM monitor_pages WHERE check_id = ? AND target_id = ? AND url = ? AND id = ?)";
      const written = [check.id, targetId, url, id];
      const isOfThisRun: Statement = [isWritten, written];
      const statements: Statement[] = [
        [
          `INSERT OR IGNORE INTO monitor_pages (check_id, target_id, url, id, monitor_id, status, body, expires_at_ms)
             SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM monitor_checks WHERE id = ?)`,
          [check.id, targetId, url, id, check.monitorId, status, JSON.stringify(page), check.expiresAtMs, check.id],
        ],
        [
          `UPDATE monitor_checks SET actual_credits = actual_credits + CASE WHEN ${isWritten} THEN ? ELSE 0 END,
             updated_at_ms = ? WHERE id = ?`,
          [...written, credits, nowMs, check.id],
        ],
      ];
      const { monitorId } = check;
      if (state !== undefined) {
        const content = await objects.place(contentOf(state), stateKey(monitorId, id), nowMs);
        const [isCurrent, current] = isOfRevision(monitorId, { targetId, revision });
        const isStored: Statement = [`${isWritten} AND ${isCurrent}`, [...written, ...current]];
        statements.push(...putState({ monitorId, state, content, nowMs }, isStored));
      }
      if (status === "removed") statements.push(...dropState({ monitorId, targetId, url, nowMs }, isOfThisRun));
      if (event !== undefined) {
        statements.push(postEvent({ event, checkId: check.id, monitorId, nowMs }, isOfThisRun));
      }
      const [, isThere] = await write(...statements);
      return isThere === 1;
    },
    async pages(checkId, { limit, skip, status }) {
      // Only the keys are sorted in the database: a body has up to 250 kB.
      const query = `SELECT page.id, body FROM
          (SELECT check_id, target_id, url FROM monitor_pages WHERE check_id = ? AND (? IS NULL OR status = ?)
           ORDER BY id LIMIT ? OFFSET ?) AS chosen
        CROSS JOIN monitor_pages AS page USING (check_id, target_id, url)`;
      const found = await rows<PageBody>(query, checkId, status ?? null, status ?? null, limit, skip);
      return found.toSorted(byId).map(({ body }) => readStored(MonitorPage, body, "page of a check"));
    },
    async seen(checkId) {
      const query = "SELECT target_id, url FROM monitor_pages WHERE check_id = ?";
      const found = await rows<{ target_id: string; url: string }>(query, checkId);
      return new Set(found.map(({ target_id: targetId, url }) => `${targetId} ${url}`));
    },
    async newPages(checkId) {
      const judgment = "json_extract(body, '$.judgment')";
      const query = `SELECT target_id AS targetId, sum(${judgment} IS NOT NULL) AS judged,
          sum(${judgment} IS NULL OR json_extract(body, '$.judgment.meaningful') = 1) AS matches
        FROM monitor_pages WHERE check_id = ? AND status = 'new' GROUP BY target_id`;
      return await rows<{ targetId: string; matches: number; judged: number }>(query, checkId);
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
    async finishCheck({ id, monitorId }, { status, summary, error, event, nowMs }) {
      const isOpen = "EXISTS (SELECT 1 FROM monitor_checks WHERE id = ? AND status IN ('queued', 'running'))";
      await write(
        ...(event === undefined ? [] : [postEvent({ event, checkId: id, monitorId, nowMs }, [isOpen, [id]])]),
        [
          `UPDATE monitors SET current_check_id = NULL, last_summary = ?
             WHERE id = ? AND current_check_id = ? AND ${isOpen}`,
          [JSON.stringify(summary), monitorId, id, id],
        ],
        [
          `UPDATE monitor_checks SET status = ?, summary = ?, error = ?, finished_at_ms = ?, updated_at_ms = ?,
               plan = iif(target_results IS NULL, plan, NULL), bytes = ${CHECK_BYTES}
             WHERE id = ? AND status IN ('queued', 'running')`,
          [status, JSON.stringify(summary), error ?? null, nowMs, nowMs, id],
        ],
        addUpChecks("id = ?", monitorId),
      );
    },
    async failCheck(id, error, nowMs) {
      await write(
        [
          `UPDATE monitors SET current_check_id = NULL
             WHERE id = (SELECT monitor_id FROM monitor_checks WHERE id = ?) AND current_check_id = ?`,
          [id, id],
        ],
        [
          `UPDATE monitor_checks SET status = 'failed', plan = NULL, target_results = NULL, error = ?, finished_at_ms = ?, updated_at_ms = ?,
               bytes = ${CHECK_BYTES}
             WHERE id = ? AND status IN ('queued', 'running')`,
          [error, nowMs, nowMs, id],
        ],
        addUpChecks("id = (SELECT monitor_id FROM monitor_checks WHERE id = ?)", id),
      );
    },
    async purge(nowMs, limit) {
      // Open checks are retained: their monitor waits for them.
      const old = `SELECT id ${EXPIRED_CHECKS}`;
      const [, , pages, checks] = await write(
        subtractExpired(nowMs, limit),
        [`DELETE FROM monitor_events WHERE check_id IN (${old})`, [nowMs, limit]],
        [
          `DELETE FROM monitor_pages WHERE (check_id, target_id, url) IN
             (SELECT check_id, target_id, url FROM monitor_pages WHERE expires_at_ms < ? LIMIT ?)`,
          [nowMs, limit],
        ],
        [`DELETE FROM monitor_checks WHERE id IN (${old})`, [nowMs, limit]],
      );
      return Math.max(pages ?? 0, checks ?? 0);
    },
  };
}

/** Condition of an update: its configuration is not longer than before, or the team's others leave room for it. */
const HAS_ROOM = `id = ? AND (octet_length(config) >= ? OR ? + (SELECT coalesce(sum(octet_length(other.config)), 0)
  FROM monitors AS other WHERE other.team_id = monitors.team_id AND other.id <> monitors.id) <= ?)`;

/** Compares by code units, as SQLite compares ids. */
function byId(one: PageBody, other: PageBody): number {
  return one.id < other.id ? -1 : 1;
}

/** @throws AppError STORED_STATE_UNREADABLE, as `toCheck` does. */
function toMonitor(row: MonitorRow): Monitor {
  return {
    id: row.id,
    teamId: row.team_id,
    keyId: row.key_id,
    name: row.name,
    status: row.status,
    config: readStored(MonitorConfig, row.config, "monitor"),
    nextRunAtMs: row.next_run_at_ms ?? undefined,
    lastRunAtMs: row.last_run_at_ms ?? undefined,
    currentCheckId: row.current_check_id ?? undefined,
    lastSummary: summaryOf(row.last_summary),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
