import type { FrontierState } from "../../core/crawl/frontier.ts";
import { readStoredList, startsWith } from "../../core/stored-state.ts";
import type { Sql } from "../../ports/storage/sql.ts";

/**
 * An item of a lease, with the number of the claim that leased it, 0 in leases of older versions, and the number of its
 * lost leases.
 */
export type LeasedItem = [key: string, attempt: number, claim?: number, lost?: number];

const isLeasedItem = (value: unknown): value is LeasedItem => startsWith(value, ["string", "number"]);

/** Items that one worker run holds. A run has one lease in most cases, which its later claims extend. */
export interface Lease {
  id: number;
  expiresAtMs: number;
  isSeed: boolean;
  /** True for the lease of the comparison with the earlier job. */
  isComparison?: boolean;
  items: LeasedItem[];
}

/** Kinds of a lease, as they are stored. */
const SEED = 1;
const COMPARISON = 2;

/** Characters of the leases as JSON up to which they are in the row of the state: a value has 2 MB at most. */
const MAX_SHARED_CHARS = 200_000;

interface LeaseRow {
  id: number;
  expires_at_ms: number;
  is_seed: number;
  items: string;
}

/** A lease in the row of the state. */
type SharedLease = [id: number, expiresAtMs: number, kind: number, items: LeasedItem[]];

function isSharedLease(value: unknown): value is SharedLease {
  if (!startsWith(value, ["number", "number", "number"])) return false;
  const [, , , items] = value;
  return Array.isArray(items) && items.every(isLeasedItem);
}

/** Returns all leases, in the order of their ids: those in the row of the state, or those in rows of their own. */
export function readLeases(sql: Sql): Lease[] {
  const [state] = sql.rows<{ leases: string | null }>("SELECT leases FROM frontier WHERE one = 1");
  const shared = typeof state?.leases === "string" ? readStoredList(isSharedLease, state.leases, "lease") : [];
  return [...shared.map(fromShared), ...readOwnLeases(sql)].toSorted((left, right) => left.id - right.id);
}

function readOwnLeases(sql: Sql): Lease[] {
  const rows = sql.rows<LeaseRow>("SELECT id, expires_at_ms, is_seed, items FROM leases ORDER BY id");
  return rows.map((row) =>
    fromShared([row.id, row.expires_at_ms, row.is_seed, readStoredList(isLeasedItem, row.items, "lease")]),
  );
}

function fromShared([id, expiresAtMs, kind, items]: SharedLease): Lease {
  const isComparison = kind === COMPARISON ? { isComparison: true } : {};
  return { id, expiresAtMs, isSeed: kind === SEED, ...isComparison, items };
}

function kindOf({ isSeed, isComparison = false }: Lease): number {
  if (isSeed) return SEED;
  return isComparison ? COMPARISON : 0;
}

/**
 * The leases within one transaction: read when first used, and written once at the end. They are in the row of the state,
 * which nearly every transaction writes. Leases that are very long together have rows of their own, as those of older
 * versions have.
 */
export class Leases {
  readonly #sql: Sql;
  readonly #changed = new Set<number>();
  #known: Map<number, Lease> | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** All leases, in the order of their ids. */
  list(): Lease[] {
    return [...this.#map().values()];
  }

  get(id: number): Lease | undefined {
    return this.#map().get(id);
  }

  /** Adds a lease, or records that it has changed. */
  put(lease: Lease): void {
    this.#map().set(lease.id, lease);
    this.#changed.add(lease.id);
  }

  delete(id: number): void {
    this.#map().delete(id);
    this.#changed.add(id);
  }

  /** Deletes the leases without items. */
  deleteEmpty(): void {
    for (const { id, items } of this.list()) {
      if (items.length === 0) this.delete(id);
    }
  }

  /**
   * Returns the text of the leases for the row of the state, null when they have rows of their own, which it has then
   * written; undefined when none has changed. A lease without items is left out, unless it is the one of the seed or the
   * comparison.
   */
  write(): string | null | undefined {
    if (this.#changed.size === 0) return undefined;
    const kept = this.list().filter((lease) => lease.items.length > 0 || kindOf(lease) !== 0);
    const text = JSON.stringify(
      kept.map((lease): SharedLease => [lease.id, lease.expiresAtMs, kindOf(lease), lease.items]),
    );
    const isShared = text.length <= MAX_SHARED_CHARS;
    const stored = new Map(readOwnLeases(this.#sql).map((lease) => [lease.id, lease]));
    const own = new Set(isShared ? [] : kept.map(({ id }) => id));
    for (const id of stored.keys()) {
      if (!own.has(id)) this.#sql.rows("DELETE FROM leases WHERE id = ?", id);
    }
    for (const lease of isShared ? [] : kept) {
      if (this.#changed.has(lease.id) || !stored.has(lease.id)) this.#writeOwn(lease);
    }
    this.#changed.clear();
    return isShared ? text : null;
  }

  #map(): Map<number, Lease> {
    return (this.#known ??= new Map(readLeases(this.#sql).map((lease) => [lease.id, lease])));
  }

  #writeOwn(lease: Lease): void {
    this.#sql.rows(
      "INSERT OR REPLACE INTO leases (id, expires_at_ms, is_seed, items) VALUES (?, ?, ?, ?)",
      lease.id,
      lease.expiresAtMs,
      kindOf(lease),
      JSON.stringify(lease.items),
    );
  }
}

interface Held {
  state: FrontierState;
  leases: Leases;
}

/** Records that robots.txt and the sitemaps were read under this lease. A repeated call has no effect. */
export function endSeed({ state, leases }: Held, leaseId: number): void {
  const lease = leases.get(leaseId);
  if (lease === undefined || !lease.isSeed) return;
  state.seed = "done";
  lease.isSeed = false;
  leases.put(lease);
}

/** Ends the comparison under this lease. A repeated call has no effect. */
export function endComparison({ state, leases }: Held, leaseId: number): void {
  const lease = leases.get(leaseId);
  if (lease?.isComparison !== true || state.comparison === undefined) return;
  state.comparison.status = "done";
  lease.isComparison = false;
  leases.put(lease);
}
