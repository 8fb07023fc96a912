import type { ChangeHistory, PageSnapshot, TrackedPage } from "../../../src/ports/storage/change-history.ts";

/** States of tracked pages in memory. */
export function memoryChangeHistory(): ChangeHistory {
  const snapshots = new Map<string, PageSnapshot>();
  const nameOf = ({ teamId, url, tag }: TrackedPage) => JSON.stringify([teamId, url, tag]);
  return {
    find: async (page) => structuredClone(snapshots.get(nameOf(page))),
    async save(page, snapshot) {
      const stored = snapshots.get(nameOf(page));
      if (stored !== undefined && stored.scrapedAtMs > snapshot.scrapedAtMs) return;
      snapshots.set(nameOf(page), structuredClone(snapshot));
    },
    async purge(scrapedBeforeMs, limit) {
      const old = [...snapshots].filter(([, { scrapedAtMs }]) => scrapedAtMs < scrapedBeforeMs).slice(0, limit);
      for (const [name] of old) snapshots.delete(name);
      return old.length;
    },
  };
}
