import type { PageQuery } from "../../ports/search/page-index.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import type { IndexEntry } from "./index-partition.ts";
import { IndexTables, type IndexHit } from "./index-tables.ts";

/** How a team's index is divided: an entry is in the shard that the hash of its page has modulo their number. */
export interface IndexLayout {
  /** A power of two. */
  shards: number;
  /** Time of the last division; entries that were put before it may be in the shard of an earlier layout. */
  grownAtMs: number;
}

export interface PutOptions {
  nowMs: number;
  retentionMs: number;
  /** Layout by which the caller has chosen the shard. */
  layout: IndexLayout;
  /** Size in bytes from which the shard takes no more entries. */
  fullBytes: number;
}

/** `moved`: nothing was stored, since the index has another layout; `full`: nothing was stored. */
export interface PutAnswer {
  kind: "stored" | "moved" | "full";
  bytes: number;
  layout: IndexLayout;
}

export interface ShardHits {
  hits: IndexHit[];
  layout: IndexLayout;
}

export interface DueEntries {
  entries: IndexEntry[];
  /** Marks of pages whose entry needs no renewal yet. */
  fresh: string[];
  layout: IndexLayout;
}

export interface ShardSize {
  pages: number;
  bytes: number;
  layout: IndexLayout;
}

export const ONE_SHARD: IndexLayout = { shards: 1, grownAtMs: 0 };

/** One shard of a team's search index: its entries, and the layout of the whole index as far as it is known here. */
export class IndexShard {
  readonly #sql: Sql;
  readonly #tables: IndexTables;
  /** Returns the size of the database in bytes. */
  readonly #bytes: () => number;
  #layout: IndexLayout;

  constructor(sql: Sql, bytes: () => number) {
    this.#sql = sql;
    this.#bytes = bytes;
    this.#tables = new IndexTables(sql);
    this.#layout = this.#storedLayout();
  }

  put(entries: readonly IndexEntry[], options: PutOptions): PutAnswer {
    if (options.layout.shards < this.#layout.shards) return this.#answer("moved");
    this.adopt(options.layout);
    // Expired partitions make room first.
    this.#tables.dropExpired(options.nowMs);
    if (this.#bytes() >= options.fullBytes) return this.#answer("full");
    this.#tables.put(entries, options);
    return this.#answer("stored");
  }

  /** Returns the entries of pages that have to be put again to remain. */
  due(marks: readonly string[], times: { nowMs: number; retentionMs: number }): DueEntries {
    return { ...this.#tables.due(marks, times), layout: this.#layout };
  }

  remove(marks: readonly string[]): void {
    this.#tables.remove(marks);
  }

  search(query: PageQuery): ShardHits {
    return { hits: this.#tables.search(query), layout: this.#layout };
  }

  size(): ShardSize {
    return { pages: this.#tables.size, bytes: this.#bytes(), layout: this.#layout };
  }

  /** Takes over a layout with more shards than the known one. */
  adopt(layout: IndexLayout): void {
    if (layout.shards <= this.#layout.shards) return;
    this.#sql.rows("CREATE TABLE IF NOT EXISTS layout (id INTEGER PRIMARY KEY, shards INTEGER, grown_at_ms INTEGER)");
    this.#sql.rows("INSERT OR REPLACE INTO layout VALUES (1, ?, ?)", layout.shards, layout.grownAtMs);
    this.#layout = layout;
  }

  dropExpired(nowMs: number): number | undefined {
    return this.#tables.dropExpired(nowMs);
  }

  get nextExpiryMs(): number | undefined {
    return this.#tables.nextExpiryMs;
  }

  #answer(kind: PutAnswer["kind"]): PutAnswer {
    return { kind, bytes: this.#bytes(), layout: this.#layout };
  }

  #storedLayout(): IndexLayout {
    const tables = this.#sql.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'layout'");
    if (tables.length === 0) return ONE_SHARD;
    const [row] = this.#sql.rows<IndexLayout>("SELECT shards, grown_at_ms AS grownAtMs FROM layout WHERE id = 1");
    return row ?? ONE_SHARD;
  }
}
