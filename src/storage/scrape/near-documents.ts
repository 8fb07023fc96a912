import { z } from "zod";
import { cacheText } from "../../core/scrape/cache-key.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import type { LocalCache } from "../../ports/storage/local-cache.ts";
import type { CacheBounds, CachedPage, PageCache, ScrapeStore } from "../../ports/storage/stores.ts";

/** Time for which a data centre may return a document without asking the store, in ms. */
const MAX_LIFE_MS = 300_000;
/** Length of an entry above which a document is read from the store each time. */
const MAX_ENTRY_CHARS = 1_000_000;
/** Documents of one page that an entry has. */
const MAX_DOCUMENTS = 4;
/** Time for which a generation is stored after the last entry of the one before it: longer than any lookup. */
const GENERATION_GRACE_MS = 60_000;

const NearDocument = z.object({
  /** Options of the load that the request asked for, beside those of the key. */
  screenshot: z.string(),
  waitForMs: z.number(),
  shape: z.string(),
  storedAtMs: z.number(),
  document: z.object({ fields: z.string(), metadata: z.string() }),
  row: z.object({ high: z.number(), low: z.number() }),
});
type NearDocument = z.infer<typeof NearDocument>;
/** Documents of a page, valid until this data centre stores another version of it, which begins another generation. */
const Entry = z.object({ generation: z.string(), documents: z.array(NearDocument) });

/** Entry of a page, with its current generation. */
interface Known {
  generation: string;
  documents: NearDocument[];
}

interface Stores {
  scrapes: ScrapeStore;
  pageCache: PageCache;
}

interface NearOptions {
  /** Undefined for stores without a cache in front. */
  cache: LocalCache | undefined;
  /** Work that the response does not wait for. */
  defer(work: Promise<unknown>): void;
  /** Time in ms for which cached pages are used. */
  cacheMs: number;
}

/**
 * Returns the stores with a cache of the data centre in front: a document that was found once is returned from there for
 * five minutes, without a trip to its object, while its age is within the bounds of the request. An entry belongs to one
 * team and one page. A newer version of the page, loaded with any options, invalidates the entry in this data centre, also
 * one that a slow lookup writes later; others may return the older version for the rest of the five minutes.
 */
export function withNearDocuments(stores: Stores, { cache, defer, cacheMs }: NearOptions): Stores {
  if (cache === undefined) return stores;
  const { scrapes, pageCache } = stores;
  const lifeMs = Math.min(MAX_LIFE_MS, cacheMs);

  /** Without the cache, the store answers. */
  const read = async (page: string): Promise<Known | undefined> => {
    try {
      const [text, generation = ""] = await Promise.all([cache.get(entryKey(page)), cache.get(generationKey(page))]);
      const entry = text === undefined ? undefined : readReplaceable(Entry, text);
      return { generation, documents: entry?.generation === generation ? entry.documents : [] };
    } catch {
      return undefined;
    }
  };

  const write = (page: string, { generation, documents }: Known, found: NearDocument): void => {
    // An older version is what a request that another overtook has found.
    if (documents.some((known) => replaces(known, found) && known.storedAtMs > found.storedAtMs)) return;
    const others = documents.filter((known) => !(replaces(found, known) && isSameOrOlder(known, found)));
    const entry = { generation, documents: [found, ...others].slice(0, MAX_DOCUMENTS) };
    const text = JSON.stringify(entry satisfies z.infer<typeof Entry>);
    if (text.length <= MAX_ENTRY_CHARS) defer(cache.put(entryKey(page), text, lifeMs));
  };

  /** Begins another generation. Entries of the one before are not used any more, also those that are written later. */
  const forget = async ({ key }: Pick<CachedPage, "key">): Promise<void> => {
    const page = cacheText(key);
    await Promise.allSettled([
      cache.put(generationKey(page), crypto.randomUUID(), lifeMs + GENERATION_GRACE_MS),
      cache.delete(entryKey(page)),
    ]);
  };

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
        const page = cacheText(key);
        const asked = { screenshot: key.screenshot, waitForMs: bounds.waitForMs, shape };
        const known = await read(page);
        const near = known?.documents.find((document) => isSameRequest(document, asked));
        if (near !== undefined && isWithin(bounds, near.storedAtMs, cacheMs)) {
          const { document, row, storedAtMs } = near;
          return { kind: "document", found: { document, row, storedAtMs } };
        }
        const found = await pageCache.find(key, bounds, shape);
        if (found?.kind === "document" && known !== undefined) {
          const { document, row, storedAtMs } = found.found;
          write(page, known, { ...asked, document, row, storedAtMs });
        }
        return found;
      },
      async store(entry) {
        await pageCache.store(entry);
        await forget(entry);
      },
    },
  };
}

const entryKey = (page: string): string => JSON.stringify(["documents", page]);
const generationKey = (page: string): string => JSON.stringify(["generation", page]);

type Asked = Pick<NearDocument, "screenshot" | "waitForMs" | "shape">;

function isSameRequest(left: Asked, right: Asked): boolean {
  return left.shape === right.shape && left.screenshot === right.screenshot && left.waitForMs === right.waitForMs;
}

/** Reports whether the page that answers the one request also answers the other (`PageCache.find`). */
function replaces(one: Asked, other: Asked): boolean {
  const hasScreenshot = other.screenshot === "" || other.screenshot === one.screenshot;
  return hasScreenshot && one.waitForMs >= other.waitForMs;
}

/** Reports whether a found document takes the place of a known one: of an older version, or in the same form. */
function isSameOrOlder(known: NearDocument, found: NearDocument): boolean {
  return known.storedAtMs < found.storedAtMs || isSameRequest(known, found);
}

function isWithin({ nowMs, maxAgeMs }: CacheBounds, storedAtMs: number, cacheMs: number): boolean {
  return storedAtMs <= nowMs && nowMs - storedAtMs <= Math.min(maxAgeMs, cacheMs);
}
