import type { PageIndex } from "../../../src/ports/search/page-index.ts";
import type { ProviderPauses } from "../../../src/ports/search/provider-pauses.ts";
import { IndexShard } from "../../../src/storage/search/index-shard.ts";
import { createPageIndex, INDEX_LIMITS, type IndexLimits, type IndexShardCalls } from "../../../src/storage/search/page-index.ts"; // prettier-ignore
import { nodeSql, sizeOfDatabase } from "./node-sql.ts";

/** Shards of search indexes in SQLite in memory, by their names. */
export function memoryIndexShards() {
  const shards = new Map<string, IndexShard>();
  const shard = (name: string): IndexShardCalls => {
    const one = (): IndexShard => {
      const known = shards.get(name) ?? newShard();
      shards.set(name, known);
      return known;
    };
    return {
      put: async (entries, options) => one().put(entries, options),
      due: async (marks, times) => one().due(marks, times),
      remove: async (marks) => one().remove(marks),
      search: async (query) => one().search(query),
      size: async () => one().size(),
      adopt: async (layout) => one().adopt(layout),
    };
  };
  return { shards, shard };
}

function newShard(): IndexShard {
  const sql = nodeSql();
  return new IndexShard(sql, () => sizeOfDatabase(sql));
}

/**
 * An index in memory, by the rules of the Durable Objects. SQLite opens at the first call: worker tests, which have no
 * SQLite of Node, may hold an index that they do not call.
 */
export function memoryPageIndex(
  { shard }: Pick<ReturnType<typeof memoryIndexShards>, "shard"> = memoryIndexShards(),
  limits: IndexLimits = INDEX_LIMITS,
): PageIndex {
  return createPageIndex({ shard, limits, layouts: new Map() });
}

/** Pauses in memory. */
export function noPauses(): ProviderPauses & { pauses: Map<string, number> } {
  const pauses = new Map<string, number>();
  return {
    pauses,
    list: async (nowMs) => new Map([...pauses].filter(([, untilMs]) => untilMs > nowMs)),
    async set(provider, untilMs) {
      pauses.set(provider, Math.max(untilMs, pauses.get(provider) ?? 0));
    },
  };
}
