import type { FileStore, PageCache, ScrapeRecord, ScrapeStore } from "../../src/ports/storage/stores.ts";

/** Scrapes in memory; `records` shows what was kept. */
export function memoryScrapes(): ScrapeStore & {
  records: Map<string, { record: ScrapeRecord; documentJson: string }>;
} {
  const records = new Map<string, { record: ScrapeRecord; documentJson: string }>();
  return {
    records,
    async insert(record, documentJson) {
      records.set(record.id, { record, documentJson });
    },
    async find(id, nowMs) {
      const found = records.get(id);
      return found !== undefined && found.record.expiresAtMs > nowMs ? found : undefined;
    },
    async pagesOf(host, { teamId }) {
      const own = [...records.values()].filter(
        ({ record }) => record.teamId === teamId && record.target.includes(host),
      );
      return own.map(({ record }) => ({ url: record.target, title: undefined, description: undefined }));
    },
    async purge() {
      return 0;
    },
  };
}

/** A cache that has nothing; `stored` shows what it was given. */
export function emptyPageCache(): PageCache & { stored: string[] } {
  const stored: string[] = [];
  return {
    stored,
    find: async () => undefined,
    async store({ key }) {
      stored.push(key.url);
    },
    purge: async () => 0,
    sweep: async () => ({ deleted: 0, next: undefined }),
  };
}

/** Files under counted names. */
export function memoryFiles(): FileStore {
  let count = 0;
  return { put: async () => `file-${++count}`, find: async () => undefined };
}
