import { PageShard } from "../../../src/storage/scrape/page-shard.ts";
import { createPageStore, type PageStoreOptions, type Shard } from "../../../src/storage/scrape/page-store.ts";
import { memoryBlobs } from "./memory-blobs.ts";
import { nodeSql } from "./node-sql.ts";

const DAY_MS = 86_400_000;

/** The shards of pages in SQLite in memory, by their names; `now` is the clock by which rows are written. */
export function memoryShards(now: () => number = Date.now) {
  const shards = new Map<string, PageShard>();
  const shard = (name: string): Shard => {
    const known = shards.get(name) ?? new PageShard(nodeSql());
    shards.set(name, known);
    return {
      async keep(row, retention) {
        return { bytes: 0, replaced: known.keep(row, retention, now()) };
      },
      findPage: async (query) => known.findPage(query),
      findScrape: async (row) => known.findScrape(row),
      pagesOf: async (host, query) => known.pagesOf(host, query),
    };
  };
  return { shards, shard };
}

/** Scrapes and cached pages in memory, by the code that stores them in Durable Objects elsewhere. */
export function memoryPageStore(options: Partial<PageStoreOptions> = {}) {
  return createPageStore({
    shard: memoryShards().shard,
    blobs: memoryBlobs(),
    retention: { resultMs: DAY_MS, cacheMs: 7 * DAY_MS },
    isShared: false,
    fullShards: new Set(),
    ...options,
  });
}
