import type { Sql } from "../ports/storage/sql.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface Partition<Family> {
  family: Family;
  name: string;
  startMs: number;
  endMs: number;
  dropAtMs: number;
}

export interface PartitionOptions<Family extends string> {
  families: readonly Family[];
  /** Number of partitions that the life of a row is divided into, at least a day each. */
  parts: number;
  /** Creates what a partition consists of: at least a table of its name. */
  create(name: string): void;
  drop(name: string): void;
}

/**
 * Parts of one database, each for the rows of some days, which are dropped as a whole when the last row has expired. The
 * name of a part has its family, its first and its last time, and the time at which it is dropped, in hours.
 */
export class TimePartitions<Family extends string> {
  readonly #options: PartitionOptions<Family>;
  #tables: Partition<Family>[];

  constructor(sql: Sql, options: PartitionOptions<Family>) {
    this.#options = options;
    const names = sql.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    this.#tables = names.flatMap(({ name }) => toPartition(name, options.families)).toSorted(newestFirst);
  }

  /** Returns the partition for rows that are written now and live for `lifeMs`; creates it where necessary. */
  forWriting(family: Family, lifeMs: number, nowMs: number): string {
    const known = this.#tables.find(
      (table) => table.family === family && nowMs >= table.startMs && nowMs < table.endMs,
    );
    if (known !== undefined && known.dropAtMs >= nowMs + lifeMs) return known.name;
    const wanted = newPartition(family, { lifeMs, nowMs, parts: this.#options.parts });
    // The retention was prolonged: a second partition for the same days.
    const same = this.#tables.find(({ name }) => name === wanted.name);
    if (same !== undefined) return same.name;
    this.#options.create(wanted.name);
    this.#tables = [wanted, ...this.#tables].toSorted(newestFirst);
    return wanted.name;
  }

  /** Returns the partitions, newest first, that may have rows written at `fromMs` or later. */
  names(family?: Family, fromMs = 0): string[] {
    return this.#tables
      .filter((table) => (family === undefined || table.family === family) && table.endMs > fromMs)
      .map(({ name }) => name);
  }

  get nextExpiryMs(): number | undefined {
    return this.#tables.length === 0 ? undefined : Math.min(...this.#tables.map(({ dropAtMs }) => dropAtMs));
  }

  /** Drops the partitions whose time is over. @returns the time of the next one. */
  dropExpired(nowMs: number): number | undefined {
    this.#drop(({ dropAtMs }) => dropAtMs <= nowMs);
    return this.nextExpiryMs;
  }

  /** Drops the partitions without rows written at `fromMs` or later, whatever their time. */
  dropBefore(fromMs: number): void {
    this.#drop(({ endMs }) => endMs <= fromMs);
  }

  #drop(isOver: (partition: Partition<Family>) => boolean): void {
    for (const { name } of this.#tables.filter(isOver)) this.#options.drop(name);
    this.#tables = this.#tables.filter((partition) => !isOver(partition));
  }
}

function newPartition<Family extends string>(
  family: Family,
  { lifeMs, nowMs, parts }: { lifeMs: number; nowMs: number; parts: number },
): Partition<Family> {
  const spanMs = Math.max(1, Math.ceil(lifeMs / parts / DAY_MS)) * DAY_MS;
  const startMs = Math.floor(nowMs / spanMs) * spanMs;
  const endMs = startMs + spanMs;
  const dropAtMs = Math.ceil((endMs + lifeMs) / HOUR_MS) * HOUR_MS;
  const name = [family, ...[startMs, endMs, dropAtMs].map((ms) => ms / HOUR_MS)].join("_");
  return { family, name, startMs, endMs, dropAtMs };
}

const NAME = /^([a-z]+)_(\d+)_(\d+)_(\d+)$/;

function toPartition<Family extends string>(name: string, families: readonly Family[]): Partition<Family>[] {
  const [, first, ...hours] = NAME.exec(name) ?? [];
  const family = families.find((known) => known === first);
  if (family === undefined) return [];
  const [startMs = 0, endMs = 0, dropAtMs = 0] = hours.map((hour) => Number(hour) * HOUR_MS);
  return [{ family, name, startMs, endMs, dropAtMs }];
}

function newestFirst(left: { startMs: number; dropAtMs: number }, right: typeof left): number {
  return right.startMs - left.startMs || right.dropAtMs - left.dropAtMs;
}
