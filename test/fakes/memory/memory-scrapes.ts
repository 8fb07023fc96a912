import { joinDocument } from "../../../src/core/scrape/document-text.ts";
import { createFileStore } from "../../../src/storage/scrape/files.ts";
import type {
  FileStore,
  PageCache,
  ScrapedPage,
  ScrapeRecord,
  ScrapeStore,
} from "../../../src/ports/storage/stores.ts";
import { memoryBlobs } from "./memory-blobs.ts";

/** Scrapes in memory; `records` shows what was kept. */
export function memoryScrapes(): ScrapeStore & {
  records: Map<string, { record: ScrapeRecord; documentJson: string }>;
  /** URLs of pages that later scrapes could use. */
  pages: string[];
} {
  const records = new Map<string, { record: ScrapeRecord; documentJson: string }>();
  const pages: string[] = [];
  return {
    records,
    pages,
    async insert({ record, document, page }) {
      records.set(record.id, { record, documentJson: joinDocument(document) });
      if (page !== undefined && "page" in page) pages.push(page.key.url);
    },
    async find(id, { teamId, nowMs }) {
      const found = records.get(id);
      return found?.record.teamId === teamId && found.record.expiresAtMs > nowMs ? found : undefined;
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
  };
}

/** Files in memory, by the code that stores them in R2 elsewhere. */
export function memoryFiles(): FileStore {
  return createFileStore(memoryBlobs());
}
