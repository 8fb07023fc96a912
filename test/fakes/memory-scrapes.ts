import { createFileStore } from "../../src/storage/scrape/files.ts";
import type { FileStore, PageCache, ScrapedPage, ScrapeRecord, ScrapeStore } from "../../src/ports/storage/stores.ts";
import { memoryBlobs } from "./memory-blobs.ts";

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
    async pagesOf(host, { teamId, nowMs, limit }) {
      const pages = new Map<string, ScrapedPage>();
      for (const { record, documentJson } of records.values()) {
        const { target, endpoint, expiresAtMs } = record;
        if (record.teamId !== teamId || endpoint !== "scrape" || expiresAtMs <= nowMs) continue;
        // Stored documents are JSON objects.
        const { metadata = {} } = JSON.parse(documentJson) as { metadata?: Record<string, unknown> };
        if (!isOn(target, host) || Number(metadata["statusCode"] ?? 200) >= 400) continue;
        const textOf = (name: string) => (typeof metadata[name] === "string" ? metadata[name] : undefined);
        pages.set(target, { url: target, title: textOf("title"), description: textOf("description") });
      }
      return [...pages.values()].slice(0, limit);
    },
    async purge(createdBeforeMs, limit) {
      const old = [...records].filter(([, { record }]) => record.createdAtMs < createdBeforeMs).slice(0, limit);
      for (const [id] of old) records.delete(id);
      return old.length;
    },
  };
}

/** Reports whether an address, as a caller wrote it, begins with the host. */
function isOn(target: string, host: string): boolean {
  const bare = (text: string): string => text.replace(/^https?:\/\//, "").replace(/^www\./, "");
  return bare(target).startsWith(bare(host));
}

/** A cache that forgets every page at once, as a cache may; `stored` shows what it was given. */
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

/** Files in memory, by the code that stores them in R2 elsewhere. */
export function memoryFiles(): FileStore {
  return createFileStore(memoryBlobs());
}
