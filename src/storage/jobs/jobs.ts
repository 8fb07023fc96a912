import type { JobKindName, JobRecord } from "../../core/jobs/job.ts";
import type { JobStore } from "../../ports/storage/stores.ts";

interface JobRow {
  id: string;
  team_id: string;
  key_id: string;
  kind: JobKindName;
  api_version: "v1" | "v2";
  status: JobRecord["status"];
  target: string;
  options: string;
  created_at_ms: number;
  ended_at_ms: number | null;
  expires_at_ms: number;
  estimate: string | null;
}

const COLUMNS =
  "id, team_id, key_id, kind, api_version, status, target, options, created_at_ms, ended_at_ms, expires_at_ms, estimate";
/** Maximum length of stored options: D1 limits rows to 2 MB, and longer options are of no use in a list. */
const MAX_OPTIONS_CHARS = 200_000;

/** Jobs of a team that are looked through for a crawl of a URL. */
const NEWEST_JOBS = 5_000;

/** Creates the store of job records in D1: one row per job, none per page. */
export function createJobStore(db: D1Database): JobStore {
  return {
    async insert(job, request) {
      const options = job.optionsJson.length > MAX_OPTIONS_CHARS ? "{}" : job.optionsJson;
      await db
        .prepare(`INSERT INTO jobs (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
               (SELECT estimate FROM estimates WHERE team_id = ? AND fingerprint = ? AND expires_at_ms > ?))
             ON CONFLICT (id) DO NOTHING`)
        .bind(
          job.id,
          job.teamId,
          job.keyId,
          job.kind,
          job.apiVersion,
          job.status,
          job.target,
          options,
          job.createdAtMs,
          job.endedAtMs ?? null,
          job.expiresAtMs,
          job.teamId,
          request?.fingerprint ?? "",
          job.createdAtMs,
        )
        .run();
    },

    async find(id) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`)
        .bind(id)
        .run<JobRow>();
      const row = results[0];
      return row === undefined ? undefined : toRecord(row);
    },

    async findByPrefix(prefix) {
      const { results } = await db
        .prepare(`SELECT ${COLUMNS} FROM jobs WHERE id >= ? AND id < ? LIMIT 10`)
        .bind(prefix, `${prefix}g`)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async setStatus(id, status, endedAtMs, pages) {
      const numbers = pages === undefined ? null : JSON.stringify(pages);
      await db
        .prepare(
          `UPDATE jobs SET status = ?1, ended_at_ms = ?2, pages = ?3
           WHERE id = ?4 AND (status <> ?1 OR (?3 IS NOT NULL AND pages IS NOT ?3))`,
        )
        .bind(status, endedAtMs ?? null, numbers, id)
        .run();
    },

    async listRunning(teamId, kind, nowMs) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${COLUMNS} FROM jobs WHERE team_id = ? AND kind = ? AND status = 'scraping' AND expires_at_ms > ?
           ORDER BY created_at_ms DESC LIMIT 1000`,
        )
        .bind(teamId, kind, nowMs)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async listRunningOfKey(teamId, keyId, { nowMs, limit }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${COLUMNS} FROM jobs WHERE team_id = ? AND key_id = ? AND status = 'scraping' AND expires_at_ms > ?
           ORDER BY created_at_ms DESC LIMIT ?`,
        )
        .bind(teamId, keyId, nowMs, limit)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async runningJobs({ after, limit }) {
      const { teamId = "", kind = "", createdAtMs = 0, id = "" } = after ?? {};
      const { results } = await db
        .prepare(
          `SELECT id, team_id, kind, created_at_ms FROM jobs
           WHERE status = 'scraping' AND (team_id, kind, created_at_ms, id) > (?, ?, ?, ?)
           ORDER BY team_id, kind, created_at_ms, id LIMIT ?`,
        )
        .bind(teamId, kind, createdAtMs, id, limit)
        .run<Pick<JobRow, "id" | "team_id" | "kind" | "created_at_ms">>();
      return results.map((row) => {
        return { id: row.id, teamId: row.team_id, kind: row.kind, createdAtMs: row.created_at_ms };
      });
    },

    async listAgents(teamId, { beforeMs, nowMs, limit }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${COLUMNS} FROM jobs WHERE team_id = ? AND kind = 'agent' AND created_at_ms < ? AND expires_at_ms > ?
           ORDER BY created_at_ms DESC LIMIT ?`,
        )
        .bind(teamId, beforeMs, nowMs, limit)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async listCompletedCrawls(teamId, { target, nowMs, limit }) {
      const newest = `SELECT ${COLUMNS} FROM jobs WHERE team_id = ? ORDER BY created_at_ms DESC, id DESC LIMIT ${NEWEST_JOBS}`;
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${COLUMNS} FROM (${newest})
           WHERE kind = 'crawl' AND status = 'completed' AND target = ? AND expires_at_ms > ?
           ORDER BY created_at_ms DESC, id DESC LIMIT ?`,
        )
        .bind(teamId, target, nowMs, limit)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async listThreads(teamId, { beforeMs, nowMs, limit }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${COLUMNS} FROM jobs WHERE team_id = ? AND kind = 'agent' AND created_at_ms < ? AND expires_at_ms > ?
             AND NOT EXISTS (SELECT 1 FROM agent_turns WHERE agent_turns.run_id = jobs.id)
           ORDER BY created_at_ms DESC LIMIT ?`,
        )
        .bind(teamId, beforeMs, nowMs, limit)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async expire(id, nowMs) {
      await db.prepare("UPDATE jobs SET expires_at_ms = ? WHERE id = ?").bind(nowMs, id).run();
    },

    async purge(nowMs, limit) {
      const { meta } = await db
        .prepare("DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE expires_at_ms < ? LIMIT ?)")
        .bind(nowMs, limit)
        .run();
      return meta.changes;
    },
  };
}

function toRecord(row: JobRow): JobRecord {
  return {
    id: row.id,
    teamId: row.team_id,
    keyId: row.key_id,
    kind: row.kind,
    apiVersion: row.api_version,
    status: row.status,
    target: row.target,
    optionsJson: row.options,
    createdAtMs: row.created_at_ms,
    endedAtMs: row.ended_at_ms ?? undefined,
    expiresAtMs: row.expires_at_ms,
    estimateJson: row.estimate ?? undefined,
  };
}
