import type { EndReason } from "../../core/sessions/browser-session.ts";
import type { BrowserSessionStore, SessionRow } from "../../ports/sessions/browser-session.ts";

interface Row {
  id: string;
  team_id: string;
  key_id: string;
  status: SessionRow["status"];
  scrape_id: string | null;
  stream_web_view: number;
  created_at_ms: number;
  last_activity_ms: number;
  expires_at_ms: number;
  ended_at_ms: number | null;
  end_reason: EndReason | null;
  credits_billed: number | null;
  name: string | null;
  profile: string | null;
  is_recorded: number | null;
}

const COLUMNS =
  "id, team_id, key_id, status, scrape_id, stream_web_view, created_at_ms, last_activity_ms, expires_at_ms, " +
  "ended_at_ms, end_reason, credits_billed, name, profile, is_recorded";
const MAX_LISTED = 500;
/** Time after its expiry at which a session is shown as ended, even if its object did not record the end. */
const LATE_END_MS = 600_000;

/** Creates the index of browser sessions in D1: one row per session, written when it begins and when it ends. */
export function createBrowserSessionStore(db: D1Database): BrowserSessionStore {
  return {
    async insert(row) {
      const { meta } = await db
        .prepare(
          `INSERT INTO browser_sessions (${COLUMNS}) VALUES (?, ?, ?, 'active', ?, ?, ?, ?, ?, NULL, NULL, NULL, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
        )
        .bind(
          row.id,
          row.teamId,
          row.keyId,
          row.scrapeId ?? null,
          row.streamWebView ? 1 : 0,
          row.createdAtMs,
          row.lastActivityMs,
          row.expiresAtMs,
          row.name ?? null,
          row.profile?.name ?? null,
          row.recordSession === true ? 1 : 0,
        )
        .run();
      if (meta.changes > 0 || row.scrapeId === undefined) return undefined;
      const holder = await newestOfScrape(db, row.teamId, row.scrapeId);
      return holder?.id === row.id ? undefined : holder?.id;
    },

    async end(id, { atMs, reason, credits }, lastActivityMs) {
      await db
        .prepare(
          `UPDATE browser_sessions SET status = 'destroyed', ended_at_ms = ?, end_reason = ?, credits_billed = ?,
             last_activity_ms = ? WHERE id = ? AND status = 'active'`,
        )
        .bind(atMs, reason, credits, lastActivityMs, id)
        .run();
    },

    async list(teamId, { status, nowMs }) {
      const isActive = "(status = 'active' AND expires_at_ms >= ?)";
      const wanted = status === undefined ? "" : `AND ${status === "active" ? isActive : `NOT ${isActive}`}`;
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${COLUMNS} FROM browser_sessions WHERE team_id = ? ${wanted} ORDER BY created_at_ms DESC, id DESC LIMIT ?`,
        )
        .bind(teamId, ...(status === undefined ? [] : [nowMs - LATE_END_MS]), MAX_LISTED)
        .run<Row>();
      return results.map((row) => toSession(row, nowMs));
    },

    async activeOfKey({ teamId, keyId }, { after, limit, nowMs }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT id FROM browser_sessions
             WHERE team_id = ? AND key_id = ? AND status = 'active' AND id > ? AND expires_at_ms >= ?
             ORDER BY id LIMIT ?`,
        )
        .bind(teamId, keyId, after, nowMs - LATE_END_MS, limit)
        .run<{ id: string }>();
      return results.map(({ id }) => id);
    },

    async findByScrape(teamId, scrapeId) {
      const row = await newestOfScrape(db, teamId, scrapeId);
      return row === undefined ? undefined : toSession(row, row.created_at_ms);
    },

    async purge(endedBeforeMs, limit) {
      const { meta } = await db
        .prepare(
          "DELETE FROM browser_sessions WHERE id IN (SELECT id FROM browser_sessions WHERE expires_at_ms < ? LIMIT ?)",
        )
        .bind(endedBeforeMs, limit)
        .run();
      return meta.changes;
    },
  };
}

async function newestOfScrape(db: D1Database, teamId: string, scrapeId: string): Promise<Row | undefined> {
  const { results } = await db
    .withSession("first-primary")
    .prepare(
      `SELECT ${COLUMNS} FROM browser_sessions WHERE team_id = ? AND scrape_id = ?
       ORDER BY status = 'active' DESC, created_at_ms DESC LIMIT 1`,
    )
    .bind(teamId, scrapeId)
    .run<Row>();
  return results[0];
}

function toSession(row: Row, nowMs: number): SessionRow {
  const isLost = row.status === "active" && row.expires_at_ms + LATE_END_MS < nowMs;
  const { ended_at_ms: atMs, end_reason: reason, credits_billed: credits } = row;
  return {
    id: row.id,
    teamId: row.team_id,
    keyId: row.key_id,
    status: isLost ? "destroyed" : row.status,
    scrapeId: row.scrape_id ?? undefined,
    streamWebView: row.stream_web_view === 1,
    createdAtMs: row.created_at_ms,
    lastActivityMs: row.last_activity_ms,
    expiresAtMs: row.expires_at_ms,
    name: row.name ?? undefined,
    profile: row.profile === null ? undefined : { name: row.profile },
    recordSession: row.is_recorded === 1,
    end: atMs === null || reason === null ? undefined : { atMs, reason, credits: credits ?? 0 },
  };
}
