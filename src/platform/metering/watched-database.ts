import type { DatabaseRoom } from "../../ports/storage/database-room.ts";

/** D1 holds 10 GB a database, and refuses every write beyond. */
export const MAX_DATABASE_BYTES = 10_000_000_000;
const HIGH_SHARE = 0.8;

/** Returns the warning about a database of this size in bytes; undefined up to 80 % of what it holds. */
export function databaseWarning(bytes: number, maxBytes = MAX_DATABASE_BYTES): string | undefined {
  if (bytes <= HIGH_SHARE * maxBytes) return undefined;
  const percent = Math.floor((bytes / maxBytes) * 100);
  const size = `${Number((maxBytes / 1e9).toFixed(3))} GB`;
  return (
    `The database has reached ${percent} % of its ${size}. Bodies of delivered webhooks are no longer stored, ` +
    "options of jobs and feedback are cut to 1 kB, and the states of tracked pages are stored in the bucket. When it is " +
    "full, keys and jobs cannot be created: shorten RESULT_RETENTION_HOURS and the retention of monitors."
  );
}

/** The size of the database, which each of its answers has in `meta.size_after`. One for an isolate. */
export class WatchedDatabase implements DatabaseRoom {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_DATABASE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Takes over the size that an answer reports; answers of a batch, and of other databases than D1, may have none. */
  note(bytes: number | undefined): void {
    if (bytes !== undefined && bytes > 0) this.#bytes = bytes;
  }

  get usedShare(): number {
    return this.#bytes / this.#maxBytes;
  }

  get isNearlyFull(): boolean {
    return this.usedShare > HIGH_SHARE;
  }

  get warning(): string | undefined {
    return databaseWarning(this.#bytes, this.#maxBytes);
  }
}
