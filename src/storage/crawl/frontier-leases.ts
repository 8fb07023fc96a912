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

/** Values of `is_seed`. */
const SEED = 1;
const COMPARISON = 2;

interface LeaseRow {
  id: number;
  expires_at_ms: number;
  is_seed: number;
  items: string;
}

export function readLeases(sql: Sql): Lease[] {
  const rows = sql.rows<LeaseRow>("SELECT id, expires_at_ms, is_seed, items FROM leases ORDER BY id");
  return rows.map((row) => ({
    id: row.id,
    expiresAtMs: row.expires_at_ms,
    isSeed: row.is_seed === SEED,
    ...(row.is_seed === COMPARISON ? { isComparison: true } : {}),
    items: readStoredList(isLeasedItem, row.items, "lease"),
  }));
}

/** The leases within one transaction: read when first used, and each changed one written once at the end. */
export class Leases {
  readonly #sql: Sql;
  readonly #changed = new Set<number>();
  readonly #stored = new Set<number>();
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

  /** Writes what has changed. A lease without items is deleted, unless it is the one of the seed or the comparison. */
  write(): void {
    for (const id of this.#changed) {
      const lease = this.#map().get(id);
      if (lease !== undefined && (lease.items.length > 0 || isSeedOrComparison(lease))) this.#write(lease);
      else if (this.#stored.has(id)) this.#sql.rows("DELETE FROM leases WHERE id = ?", id);
    }
  }

  #map(): Map<number, Lease> {
    if (this.#known === undefined) {
      this.#known = new Map(readLeases(this.#sql).map((lease) => [lease.id, lease]));
      for (const id of this.#known.keys()) this.#stored.add(id);
    }
    return this.#known;
  }

  #write(lease: Lease): void {
    this.#sql.rows(
      "INSERT OR REPLACE INTO leases (id, expires_at_ms, is_seed, items) VALUES (?, ?, ?, ?)",
      lease.id,
      lease.expiresAtMs,
      lease.isSeed ? SEED : lease.isComparison === true ? COMPARISON : 0,
      JSON.stringify(lease.items),
    );
  }
}

function isSeedOrComparison({ isSeed, isComparison = false }: Lease): boolean {
  return isSeed || isComparison;
}
