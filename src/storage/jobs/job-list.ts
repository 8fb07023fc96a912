import type { JobStatus } from "../../core/crawl/frontier.ts";
import { JOB_KIND_NAMES } from "../../core/jobs/job.ts";
import { MAX_JOB_LIFE_MS, SHORT_JOB_MS } from "../../core/jobs/job-life.ts";
import { comparePlaces, ListedPages, listedStatus, storedStatuses } from "../../core/jobs/listed-job.ts";
import type { JobPlace, ListedJob, ListedKind } from "../../core/jobs/listed-job.ts";
import { ZERO_RETENTION_RECORD } from "../../core/jobs/zero-retention.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import type { CheckStatus } from "../../core/monitors/monitor.ts";
import type { JobList, JobListPage, JobListQuery, StoredJobs } from "../../ports/storage/job-list.ts";

/** Newest rows of a table that are counted. */
const COUNTED_ROWS = 50_000;
/** Rows of a table that one page reads at most, however few of them match its filters. */
export const ROWS_A_PAGE = 5_000;

/** Expiry of a row as `runningExpiryMs` states it for a running job. The time is ?2. */
const SHOWN_EXPIRY = `iif(status = 'scraping', max(expires_at_ms - ${MAX_JOB_LIFE_MS}, ?2 + ${SHORT_JOB_MS}), expires_at_ms)`;

interface ListedRow {
  id: string;
  kind: ListedKind;
  status: JobStatus | CheckStatus;
  target: string;
  api_version: "v1" | "v2";
  key_id: string;
  monitor_id: string | null;
  /** JSON. */
  pages: string | null;
  created_at_ms: number;
  ended_at_ms: number | null;
  expires_at_ms: number;
  has_zero_retention: number;
}

interface Source {
  table: string;
  /** Kinds of work that the table has. */
  kinds: readonly ListedKind[];
  columns: string;
  joined: string;
  kind: string;
  /** Condition that a row matches a search: the forms of its text are ?13, as JSON, the team ?2. */
  matches: string;
}

const JOBS: Source = {
  table: "jobs",
  kinds: JOB_KIND_NAMES,
  columns: `work.id, kind, work.status, target, api_version, work.key_id, NULL AS monitor_id, work.pages, ended_at_ms,
    options = '${ZERO_RETENTION_RECORD.optionsJson}' AS has_zero_retention`,
  joined: "jobs AS work",
  kind: "kind",
  matches: holdsText("target"),
};

/** URLs and queries of a target of a monitor. */
const TARGET_TEXT = `(${["url", "urls", "queries"].map((name) => `coalesce(target.value ->> '$.${name}', '')`).join(" || ' ' || ")})`;

const CHECKS: Source = {
  table: "monitor_checks",
  kinds: ["monitor_check"],
  columns: `work.id, 'monitor_check' AS kind, work.status, monitors.name AS target, 'v2' AS api_version, monitors.key_id,
    work.monitor_id, NULL AS pages, work.finished_at_ms AS ended_at_ms, 0 AS has_zero_retention`,
  joined: "monitor_checks AS work JOIN monitors ON monitors.id = work.monitor_id",
  kind: "'monitor_check'",
  // SQLite reads the monitors once for all of their checks.
  matches: `work.monitor_id IN (SELECT id FROM monitors WHERE monitors.team_id = ?2 AND (${holdsText("monitors.name")}
    OR EXISTS (SELECT 1 FROM json_each(monitors.config, '$.targets') AS target WHERE ${holdsText(TARGET_TEXT)})))`,
};

/** Returns the condition that a text holds a form of the searched one. */
function holdsText(sql: string): string {
  return `EXISTS (SELECT 1 FROM json_each(?13) AS form WHERE instr(lower(${sql}), form.value) > 0)`;
}

/**
 * Returns the forms of a text that a search looks for: as written, in lower and in upper case, and with one or all words in initial
 * capitals. The letters of ASCII are in lower case in all of them, since SQLite's `lower` knows no others.
 */
function searchForms(text: string): string[] {
  const lower = text.toLowerCase();
  const capital = (letter: string): string => letter.toUpperCase();
  const initial = [lower.replace(/\p{L}/u, capital), lower.replace(/(?<!\p{L})\p{L}/gu, capital)];
  const forms = [text, lower, text.toUpperCase(), ...initial];
  return [...new Set(forms.map((form) => form.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())))];
}

/** Creates the list of jobs in D1, over the tables of jobs and of checks. */
export function createJobList(db: D1Database): JobList {
  return {
    async list(teamId, query) {
      const sources = [
        ...(query.kinds.some((kind) => kind !== "monitor_check") ? [JOBS] : []),
        ...(query.kinds.includes("monitor_check") ? [CHECKS] : []),
      ];
      const pages = await Promise.all(sources.map((source) => pageOf(db, source, { teamId, query })));
      return mergePages(pages, query.limit);
    },
    async stored(teamId, nowMs) {
      const counts = await Promise.all(
        [JOBS, CHECKS].map(async ({ table, kind }) => {
          const { results } = await db
            .prepare(
              `SELECT ${kind} AS kind, count(*) AS count, min(${SHOWN_EXPIRY}) AS firstExpiryMs, max(${SHOWN_EXPIRY}) AS lastExpiryMs
               FROM (SELECT * FROM ${table} WHERE team_id = ?1 ORDER BY created_at_ms DESC, id DESC LIMIT ${COUNTED_ROWS})
               WHERE expires_at_ms > ?2 GROUP BY 1`,
            )
            .bind(teamId, nowMs)
            .run<StoredJobs>();
          return results.map(({ kind: of, count, firstExpiryMs, lastExpiryMs }) => ({
            kind: of,
            count,
            firstExpiryMs,
            lastExpiryMs,
          }));
        }),
      );
      return counts.flat();
    },
  };
}

interface Reading {
  teamId: string;
  query: JobListQuery;
}

/** Reads the rows of a table. Their expiry, which is behind the options in a row, is compared last. */
async function pageOf(db: D1Database, source: Source, { teamId, query }: Reading): Promise<JobListPage> {
  const start = query.after ?? { createdAtMs: query.toMs + 1, id: "" };
  const end = await windowEnd(db, source, { teamId, start, query });
  const { statuses, text = "" } = query;
  const { results } = await db
    .withSession("first-primary")
    .prepare(
      `SELECT ${source.columns}, work.created_at_ms, work.expires_at_ms FROM ${source.joined}
       WHERE work.team_id = ?2 AND (work.created_at_ms, work.id) < (?3, ?4) AND (work.created_at_ms, work.id) >= (?5, ?6)
         AND work.created_at_ms <= ?7
         AND ${source.kind} IN (SELECT value FROM json_each(?9))
         AND (?10 OR work.status IN (SELECT value FROM json_each(?11)))
         AND (?1 = '' OR substr(work.id, 1, length(?1)) = ?1 OR ${source.matches})
         AND work.expires_at_ms > ?8
       ORDER BY work.created_at_ms DESC, work.id DESC LIMIT ?12`,
    )
    .bind(
      text.toLowerCase(),
      teamId,
      start.createdAtMs,
      start.id,
      end?.createdAtMs ?? query.fromMs,
      end?.id ?? "",
      query.toMs,
      query.nowMs,
      JSON.stringify(query.kinds),
      statuses === undefined ? 1 : 0,
      JSON.stringify(storedStatuses(statuses ?? [])),
      query.limit + 1,
      JSON.stringify(searchForms(text)),
    )
    .run<ListedRow>();
  return { jobs: results.map(toListed), next: end };
}

/** Returns the last place that a page with filters reads; undefined when it reads all rows to the end of the time range. */
async function windowEnd(
  db: D1Database,
  { table, kinds }: Source,
  { teamId, start, query }: Reading & { start: JobPlace },
): Promise<JobPlace | undefined> {
  const { statuses, text } = query;
  const hasFilter = !kinds.every((kind) => query.kinds.includes(kind)) || statuses !== undefined || text !== undefined;
  if (!hasFilter) return undefined;
  const { results } = await db
    .withSession("first-primary")
    .prepare(
      `SELECT created_at_ms AS createdAtMs, id FROM ${table}
       WHERE team_id = ? AND (created_at_ms, id) < (?, ?) AND created_at_ms >= ?
       ORDER BY created_at_ms DESC, id DESC LIMIT 1 OFFSET ?`,
    )
    .bind(teamId, start.createdAtMs, start.id, query.fromMs, ROWS_A_PAGE - 1)
    .run<{ createdAtMs: number; id: string }>();
  return results[0];
}

/** Merges the pages of the tables up to `limit` jobs, and not beyond the place up to which every table was read. */
function mergePages(pages: readonly JobListPage[], limit: number): JobListPage {
  const ends = pages.flatMap(({ next }) => (next === undefined ? [] : [next])).toSorted(comparePlaces);
  const [end] = ends;
  const sorted = pages
    .flatMap(({ jobs }) => jobs)
    .toSorted(comparePlaces)
    .filter((job) => end === undefined || comparePlaces(job, end) <= 0);
  const jobs = sorted.slice(0, limit);
  const last = jobs.at(-1);
  if (sorted.length > limit && last !== undefined)
    return { jobs, next: { createdAtMs: last.createdAtMs, id: last.id } };
  return { jobs, next: end };
}

function toListed(row: ListedRow): ListedJob {
  return {
    id: row.id,
    kind: row.kind,
    status: listedStatus(row.status),
    target: row.target,
    apiVersion: row.api_version,
    keyId: row.key_id,
    monitorId: row.monitor_id ?? undefined,
    pages: row.pages === null ? undefined : readReplaceable(ListedPages, row.pages),
    hasZeroRetention: row.has_zero_retention === 1,
    createdAtMs: row.created_at_ms,
    endedAtMs: row.ended_at_ms ?? undefined,
    expiresAtMs: row.expires_at_ms,
  };
}
