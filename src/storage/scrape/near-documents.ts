import { z } from "zod";
import { cacheText } from "../../core/scrape/cache-key.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import type { LocalCache } from "../../ports/storage/local-cache.ts";
import type {
  CacheBounds,
  CachedPage,
  KeptDocument,
  PageCache,
  PageCacheKey,
  ScrapeStore,
} from "../../ports/storage/stores.ts";

/** Time for which a data centre may return a document without asking the store, in ms. */
const MAX_LIFE_MS = 300_000;
/** Length of an entry above which a document is read from the store each time. */
const MAX_ENTRY_CHARS = 1_000_000;
/** Shapes of one page that an entry has. */
const MAX_SHAPES = 4;

const StoredDocument = z.object({
  shape: z.string(),
  document: z.object({ fields: z.string(), metadata: z.string() }),
  row: z.object({ high: z.number(), low: z.number() }),
});
/** The newest version of a page that this data centre knows, with its documents. */
const Entry = z.object({ storedAtMs: z.number(), documents: z.array(StoredDocument) });
type Entry = z.infer<typeof Entry>;

interface Stores {
  scrapes: ScrapeStore;
  pageCache: PageCache;
}

interface NearOptions {
  cache: LocalCache;
  /** Work that the response does not wait for. */
  defer(work: Promise<unknown>): void;
  /** Time in ms for which cached pages are used. */
  cacheMs: number;
}

/**
 * Returns the stores with a cache of the data centre in front: a document that was found once is returned from there for
 * five minutes, without a trip to its object, while its age is within the bounds of the request. An entry belongs to one
 * team, one page with the options of its load, and one version of the page. A newer version removes the entry in this
 * data centre; others may return the older one for the rest of the five minutes.
 */
export function withNearDocuments({ scrapes, pageCache }: Stores, { cache, defer, cacheMs }: NearOptions): Stores {
  /** Without the cache, the store answers. */
  const read = async (key: string): Promise<Entry | undefined> => {
    const text = await cache.get(key).catch(() => undefined);
    return text === undefined ? undefined : readReplaceable(Entry, text);
  };

  const write = (
    key: string,
    { shape, found, known }: { shape: string; found: KeptDocument; known: Entry | undefined },
  ) => {
    const { document, row, storedAtMs } = found;
    // An older version is what a request with `minAge`, or one that another overtook, has asked for.
    if (known !== undefined && known.storedAtMs > storedAtMs) return;
    const others = known?.storedAtMs === storedAtMs ? known.documents.filter((other) => other.shape !== shape) : [];
    const documents = [{ shape, document, row }, ...others].slice(0, MAX_SHAPES);
    const text = JSON.stringify({ storedAtMs, documents } satisfies Entry);
    if (text.length <= MAX_ENTRY_CHARS) defer(cache.put(key, text, Math.min(MAX_LIFE_MS, cacheMs)));
  };

  const forget = (page: Pick<CachedPage, "key" | "waitForMs">): Promise<void> =>
    cache.delete(entryKey(page)).catch(() => undefined);

  return {
    scrapes: {
      ...scrapes,
      async insert(scrape) {
        await scrapes.insert(scrape);
        if (scrape.page !== undefined && "page" in scrape.page) await forget(scrape.page);
      },
    },
    pageCache: {
      async find(key, bounds, shape) {
        if (shape === undefined || bounds.minAgeMs > 0) return await pageCache.find(key, bounds, shape);
        const place = entryKey({ key, waitForMs: bounds.waitForMs });
        const known = await read(place);
        const near = known?.documents.find((document) => document.shape === shape);
        if (known !== undefined && near !== undefined && isWithin(bounds, known.storedAtMs, cacheMs)) {
          const { document, row } = near;
          return { kind: "document", found: { document, row, storedAtMs: known.storedAtMs } };
        }
        const found = await pageCache.find(key, bounds, shape);
        if (found?.kind === "document") write(place, { shape, found: found.found, known });
        return found;
      },
      async store(entry) {
        await pageCache.store(entry);
        await forget(entry);
      },
    },
  };
}

function entryKey({ key, waitForMs }: { key: PageCacheKey; waitForMs: number }): string {
  return JSON.stringify([cacheText(key), key.screenshot, waitForMs]);
}

function isWithin({ nowMs, maxAgeMs }: CacheBounds, storedAtMs: number, cacheMs: number): boolean {
  return storedAtMs <= nowMs && nowMs - storedAtMs <= Math.min(maxAgeMs, cacheMs);
}
