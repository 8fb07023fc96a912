import type { PageIndex } from "../../../src/ports/search/page-index.ts";
import type { ProviderPauses } from "../../../src/ports/search/provider-pauses.ts";
import { createPageIndex } from "../../../src/storage/search/page-index.ts";
import { nodeD1 } from "./node-d1.ts";

/** The database of all indexes: the adapter remembers the numbers of teams per isolate, not per database. */
let shared: PageIndex | undefined;

/**
 * An index in memory, by the statements that run in D1 elsewhere. Indexes do not share pages. SQLite opens at the first
 * call: worker tests, which have no SQLite of Node, may hold an index that they do not call.
 */
export function memoryPageIndex(): PageIndex {
  const index = (): PageIndex => (shared ??= createPageIndex(nodeD1()));
  const own = crypto.randomUUID();
  return {
    put: async (teamId, pages, options) => await index().put(`${own} ${teamId}`, pages, options),
    search: async (teamId, query) => await index().search(`${own} ${teamId}`, query),
    purge: async (indexedBeforeMs, limit) => await index().purge(indexedBeforeMs, limit),
  };
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
