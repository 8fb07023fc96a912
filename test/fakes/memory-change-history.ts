import type { ChangeHistory, PageSnapshot, TrackedPage } from "../../src/ports/storage/change-history.ts";

/** States of followed pages in memory. */
export function memoryChangeHistory(): ChangeHistory {
  const snapshots = new Map<string, PageSnapshot>();
  const nameOf = ({ teamId, url, tag }: TrackedPage) => JSON.stringify([teamId, url, tag]);
  return {
    find: async (page) => snapshots.get(nameOf(page)),
    async save(page, snapshot) {
      snapshots.set(nameOf(page), snapshot);
    },
    purge: async () => 0,
  };
}
