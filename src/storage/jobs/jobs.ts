import type { JobKindName, JobRecord } from "../../core/jobs/job.ts";
import { MAX_JOB_LIFE_MS, SHORT_JOB_MS } from "../../core/jobs/job-life.ts";
import { cutOptions } from "../../core/jobs/cut-options.ts";
import { cutTarget } from "../../core/jobs/cut-target.ts";
import type { Frontiers } from "../../ports/crawl/frontier.ts";
import type { StepJobs } from "../../ports/step-jobs.ts";
import type { DatabaseRoom } from "../../ports/storage/database-room.ts";
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
  are_options_cut: number | null;
}

/** Maximum size of the options in a record; a prompt of 10,000 ASCII characters fits. */
const MAX_OPTIONS_BYTES = 16_384;
/** The same while the database is nearly full. */
const MAX_SPARSE_BYTES = 1_024;
const COLUMNS =
  "id, team_id, key_id, kind, api_version, status, target, options, created_at_ms, ended_at_ms, expires_at_ms, estimate, are_options_cut";
/** Records of older versions have longer options, which no list reads. */
const LISTED = listed(MAX_OPTIONS_BYTES);
/** Maximum size of the options of each of a thousand jobs in one list. */
const MAX_ACTIVE_BYTES = 4_096;

/** Records of a team that are kept, the newest: older ones of ended jobs are deleted before they expire. */
const MAX_JOBS_OF_TEAM = 100_000;
/** Records after which an isolate deletes surplus ones of the team that inserts, and the most that it deletes at a time. */
const RECORDS_A_TRIM = 50;
const DELETED_A_TRIM = 1_000;
/** Records that this isolate has inserted. */
let inserted = 0;

/** Jobs of a team that are looked through for a crawl of a URL. */
const NEWEST_JOBS = 5_000;

/** Objects of jobs, for options that a record lacks, and the room of the database. */
interface Around {
  frontiers: Pick<Frontiers, "recordedOptions">;
  stepJobs: Pick<StepJobs, "recordedOptions">;
  room: Pick<DatabaseRoom, "isNearlyFull">;
  /** Records of a team that are kept. */
  maxJobs: number;
  /** Retention of the results of jobs, in ms. */
  retentionMs: number;
}

const DAY_MS = 86_400_000;
/** Moment from which the results of an ended job are retained, as `retainedFromMs` returns it. */
const RETAINED_FROM = `iif(ended_at_ms - created_at_ms > ${SHORT_JOB_MS}, ended_at_ms, created_at_ms)`;
/** Condition that a running job expires later than its row says, which a version has written before whose running jobs expired. */
const RUNS_LONGER = `jobs.status = 'scraping' AND excluded.status = 'scraping'
  AND jobs.expires_at_ms > 0 AND jobs.expires_at_ms < excluded.expires_at_ms`;
/** `expires_at_ms` of a job that gets the status ?1 and the end ?2, with the retention ?5. That of a deleted thread stays. */
const NEW_EXPIRY = `CASE WHEN expires_at_ms = 0 THEN 0 WHEN ?1 = 'scraping' THEN expires_at_ms + ${MAX_JOB_LIFE_MS}
  ELSE ?5 + iif(?2 - created_at_ms > ${SHORT_JOB_MS}, ?2, created_at_ms) END`;

/** Difference between the clocks of two machines. */
const CLOCK_MS = 60_000;

/** Creates the store of job records in D1: one row per job, none per page. */
export function createJobStore(
  db: D1Database,
  { frontiers, stepJobs, room, maxJobs = MAX_JOBS_OF_TEAM, retentionMs = DAY_MS }: Partial<Around> = {},
): JobStore {
  /** Deletes the oldest records of ended jobs of a team beyond the newest ones. */
  async function trim(teamId: string): Promise<void> {
    await db
      .prepare(
        `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE team_id = ?1 AND status <> 'scraping' AND (created_at_ms, id) <=
             (SELECT created_at_ms, id FROM jobs WHERE team_id = ?1
                ORDER BY created_at_ms DESC, id DESC LIMIT 1 OFFSET ?2)
           ORDER BY created_at_ms, id LIMIT ?3)`,
      )
      .bind(teamId, maxJobs, DELETED_A_TRIM)
      .run();
  }

  return {
    async insert(job, request) {
      const options = cutOptions(job.optionsJson, room?.isNearlyFull === true ? MAX_SPARSE_BYTES : MAX_OPTIONS_BYTES);
      await db
        .prepare(`INSERT INTO jobs (${COLUMNS}, since_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
               (SELECT estimate FROM estimates WHERE team_id = ? AND fingerprint = ? AND expires_at_ms > ?), ?, ?)
             ON CONFLICT (id) DO UPDATE SET expires_at_ms = excluded.expires_at_ms WHERE ${RUNS_LONGER}`)
        .bind(
          job.id,
          job.teamId,
          job.keyId,
          job.kind,
          job.apiVersion,
          job.status,
          cutTarget(job.target),
          options.json,
          job.createdAtMs,
          job.endedAtMs ?? null,
          job.expiresAtMs,
          job.teamId,
          request?.fingerprint ?? "",
          job.createdAtMs,
          options.isCut ? 1 : null,
          job.sinceId ?? null,
        )
        .run();
      // The record is there in any case; a later one deletes what this one could not.
      if (++inserted % RECORDS_A_TRIM === 0) await trim(job.teamId).catch(() => undefined);
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

    async wholeOptions({ id, kind, optionsJson, areOptionsCut }) {
      if (areOptionsCut !== true) return optionsJson;
      return await (kind === "crawl" || kind === "batch_scrape" ? frontiers : stepJobs)?.recordedOptions(id);
    },

    async findByPrefix(prefix) {
      const { results } = await db
        .prepare(`SELECT ${LISTED} FROM jobs WHERE id >= ? AND id < ? LIMIT 10`)
        .bind(prefix, `${prefix}g`)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async setStatus(id, status, endedAtMs, pages) {
      const numbers = pages === undefined ? null : JSON.stringify(pages);
      await db
        .prepare(
          `UPDATE jobs SET status = ?1, ended_at_ms = ?2, pages = ?3, expires_at_ms = ${NEW_EXPIRY}
           WHERE id = ?4 AND (status <> ?1 OR (?3 IS NOT NULL AND pages IS NOT ?3))`,
        )
        .bind(status, endedAtMs ?? null, numbers, id, retentionMs)
        .run();
    },

    async listRunning(teamId, kind, nowMs) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${listed(MAX_ACTIVE_BYTES)} FROM jobs
           WHERE team_id = ? AND kind = ? AND status = 'scraping' AND expires_at_ms > ?
           ORDER BY created_at_ms DESC LIMIT 1000`,
        )
        .bind(teamId, kind, nowMs)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async runningIds(teamId, kind, { nowMs, limit }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT id FROM jobs WHERE team_id = ? AND kind = ? AND status = 'scraping' AND expires_at_ms > ?
           ORDER BY created_at_ms DESC LIMIT ?`,
        )
        .bind(teamId, kind, nowMs, limit)
        .run<Pick<JobRow, "id">>();
      return results.map(({ id }) => id);
    },

    async listRunningOfKey(teamId, keyId, { nowMs, limit }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${listed(MAX_ACTIVE_BYTES)} FROM jobs INDEXED BY running_jobs
           WHERE team_id = ? AND key_id = ? AND status = 'scraping' AND expires_at_ms > ?
           ORDER BY created_at_ms DESC LIMIT ?`,
        )
        .bind(teamId, keyId, nowMs, limit)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async runningJobs({ after, nowMs, limit }) {
      const { teamId = "", kind = "", createdAtMs = 0, id = "" } = after ?? {};
      const { results } = await db
        .prepare(
          `SELECT id, team_id, kind, created_at_ms FROM jobs
           WHERE status = 'scraping' AND (team_id, kind, created_at_ms, id) > (?, ?, ?, ?) AND expires_at_ms > ?
           ORDER BY team_id, kind, created_at_ms, id LIMIT ?`,
        )
        .bind(teamId, kind, createdAtMs, id, nowMs, limit)
        .run<Pick<JobRow, "id" | "team_id" | "kind" | "created_at_ms">>();
      return results.map((row) => {
        return { id: row.id, teamId: row.team_id, kind: row.kind, createdAtMs: row.created_at_ms };
      });
    },

    async listAgents(teamId, { beforeMs, nowMs, limit }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${LISTED} FROM jobs INDEXED BY agent_jobs
           WHERE team_id = ? AND kind = 'agent' AND created_at_ms < ? AND expires_at_ms > ?
           ORDER BY created_at_ms DESC LIMIT ?`,
        )
        .bind(teamId, beforeMs, nowMs, limit)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async listCompletedCrawls(teamId, { target, nowMs, limit }) {
      // The columns of the newest jobs are those in front of the options, so that long options are not read.
      const newest = `SELECT id, kind, status, target FROM jobs WHERE team_id = ? ORDER BY created_at_ms DESC, id DESC LIMIT ${NEWEST_JOBS}`;
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${LISTED} FROM jobs
           WHERE id IN (SELECT id FROM (${newest}) WHERE kind = 'crawl' AND status = 'completed' AND target IN (?, ?))
             AND expires_at_ms > ?
           ORDER BY created_at_ms DESC, id DESC LIMIT ?`,
        )
        .bind(teamId, target, cutTarget(target), nowMs, limit)
        .run<JobRow>();
      return results.map(toRecord);
    },

    async listThreads(teamId, { beforeMs, nowMs, limit }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${LISTED} FROM jobs INDEXED BY agent_jobs
           WHERE team_id = ? AND kind = 'agent' AND created_at_ms < ? AND expires_at_ms > ?
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

    async keptFolders({ fromMs, toMs, nowMs }) {
      const isKept = "created_at_ms >= ?1 AND created_at_ms < ?2 AND expires_at_ms > ?3";
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT id, since_id FROM jobs INDEXED BY running_jobs WHERE status = 'scraping' AND ${isKept}
           UNION ALL SELECT id, since_id FROM jobs
             WHERE ended_at_ms - created_at_ms > ${SHORT_JOB_MS} AND status <> 'scraping' AND ${isKept}
           UNION ALL SELECT since_id, NULL FROM jobs INDEXED BY running_jobs
             WHERE status = 'scraping' AND since_id IS NOT NULL AND expires_at_ms > ?3`,
        )
        .bind(fromMs, toMs, nowMs)
        .run<{ id: string; since_id: string | null }>();
      return new Set(results.flatMap((row) => (row.since_id === null ? [row.id] : [row.id, row.since_id])));
    },

    async purge({ nowMs, createdBeforeMs }, limit) {
      const remove = async (condition: string, ...values: number[]): Promise<number> => {
        const chosen = `SELECT id FROM jobs WHERE ${condition} LIMIT ?`;
        const { meta } = await db.prepare(`DELETE FROM jobs WHERE id IN (${chosen})`).bind(...values).run(); // prettier-ignore
        return meta.changes;
      };
      const expired = await remove("expires_at_ms < ?", nowMs, limit);
      // Jobs of a longer retention, which was shortened since: without any, the index is not read.
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          "SELECT expires_at_ms AS lastMs FROM jobs WHERE status <> 'scraping' ORDER BY expires_at_ms DESC LIMIT 1",
        )
        .bind()
        .run<{ lastMs: number }>();
      const hasLonger = (results[0]?.lastMs ?? 0) > nowMs + (nowMs - createdBeforeMs) + CLOCK_MS;
      if (expired === limit || !hasLonger) return expired;
      const isOver = `expires_at_ms >= ? AND ${RETAINED_FROM} < ? AND status <> 'scraping'`;
      return expired + (await remove(isOver, nowMs, createdBeforeMs, limit - expired));
    },
  };
}

/** Returns the columns of a record without options of more than `maxBytes`. */
function listed(maxBytes: number): string {
  const isShort = `octet_length(options) <= ${maxBytes}`;
  const options = `iif(${isShort}, options, '{}') AS options`;
  const areCut = `iif(${isShort}, are_options_cut, 1) AS are_options_cut`;
  return COLUMNS.replace(" options,", ` ${options},`).replace(/are_options_cut$/, areCut);
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
    ...(row.are_options_cut === 1 ? { areOptionsCut: true } : {}),
  };
}
