import type { Sql } from "../../ports/storage/sql.ts";

const DAY_MS = 86_400_000;
/** Number of tables that a retention is divided into, at least a day each. */
const TABLES = 8;

/** `results` are documents that only their ids find; `pages` can be found by later scrapes as well. */
export type Family = "pages" | "results";

/** Times for which data are kept, in ms. */
export interface Retention {
  resultMs: number;
  cacheMs: number;
}

interface Partition {
  family: Family;
  name: string;
  startMs: number;
  endMs: number;
  dropAtMs: number;
}

/** The name of a table has its family, its first and its last time, and the time at which it is dropped, in hours. */
const NAME = /^(pages|results)_(\d+)_(\d+)_(\d+)$/;
const HOUR_MS = 3_600_000;

/** Tables of one database, each for the rows of some days, which are dropped when the last row has expired. */
export class PagePartitions {
  readonly #sql: Sql;
  readonly #columns: string;
  #tables: Partition[];

  constructor(sql: Sql, columns: string) {
    this.#sql = sql;
    this.#columns = columns;
    const names = sql.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    this.#tables = names.flatMap(({ name }) => toPartition(name)).toSorted(newestFirst);
  }

  /** Returns the table for rows that are written now; creates it where necessary. */
  forWriting(family: Family, retention: Retention, nowMs: number): string {
    const known = this.#tables.find(
      (table) => table.family === family && nowMs >= table.startMs && nowMs < table.endMs,
    );
    if (known !== undefined && known.dropAtMs >= nowMs + lifeMs(family, retention)) return known.name;
    const wanted = newPartition(family, retention, nowMs);
    // The retention was prolonged: a second table for the same days.
    const same = this.#tables.find(({ name }) => name === wanted.name);
    if (same !== undefined) return same.name;
    this.#sql.rows(`CREATE TABLE IF NOT EXISTS ${wanted.name} (${this.#columns})`);
    this.#tables = [wanted, ...this.#tables].toSorted(newestFirst);
    return wanted.name;
  }

  /** Returns the tables, newest first, that may have rows written at `fromMs` or later. */
  names(family?: Family, fromMs = 0): string[] {
    return this.#tables
      .filter((table) => (family === undefined || table.family === family) && table.endMs > fromMs)
      .map(({ name }) => name);
  }

  get nextExpiryMs(): number | undefined {
    return this.#tables.length === 0 ? undefined : Math.min(...this.#tables.map(({ dropAtMs }) => dropAtMs));
  }

  dropExpired(nowMs: number): number | undefined {
    for (const { name } of this.#tables.filter(({ dropAtMs }) => dropAtMs <= nowMs)) {
      this.#sql.rows(`DROP TABLE IF EXISTS ${name}`);
    }
    this.#tables = this.#tables.filter(({ dropAtMs }) => dropAtMs > nowMs);
    return this.nextExpiryMs;
  }
}

/** A cached page may be the result of a scrape until it expires, and that result is kept as long as any other. */
function lifeMs(family: Family, { resultMs, cacheMs }: Retention): number {
  return family === "results" ? resultMs : cacheMs + resultMs;
}

function newPartition(family: Family, retention: Retention, nowMs: number): Partition {
  const life = lifeMs(family, retention);
  const spanMs = Math.max(1, Math.ceil(life / TABLES / DAY_MS)) * DAY_MS;
  const startMs = Math.floor(nowMs / spanMs) * spanMs;
  const endMs = startMs + spanMs;
  const dropAtMs = Math.ceil((endMs + life) / HOUR_MS) * HOUR_MS;
  const name = [family, ...[startMs, endMs, dropAtMs].map((ms) => ms / HOUR_MS)].join("_");
  return { family, name, startMs, endMs, dropAtMs };
}

function toPartition(name: string): Partition[] {
  const parts = NAME.exec(name);
  if (parts === null) return [];
  const [startMs = 0, endMs = 0, dropAtMs = 0] = parts.slice(2).map((hours) => Number(hours) * HOUR_MS);
  return [{ family: parts[1] === "pages" ? "pages" : "results", name, startMs, endMs, dropAtMs }];
}

function newestFirst(left: Partition, right: Partition): number {
  return right.startMs - left.startMs || right.dropAtMs - left.dropAtMs;
}
