import { z } from "zod";
import { dayKey } from "../../core/account/day-key.ts";
import { joinDocument, repeatedMetadata, type DocumentParts } from "../../core/scrape/document-text.ts";
import { cacheText, placeOfPage } from "../../core/scrape/cache-key.ts";
import {
  isAt,
  newScrapeId,
  rowKeyOf,
  shardOfHost,
  shardOfRow,
  timesOf,
  type RowKey,
} from "../../core/scrape/scrape-id.ts";
import { readOwn, readStored } from "../../core/stored-state.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { CachedPage, PageCache, ScrapedPage, ScrapeRecord, ScrapeStore } from "../../ports/storage/stores.ts";
import { fromRow, toFacts, type PartReaders } from "./cached-page.ts";
import {
  packBytesInTurns,
  packText,
  packTextInTurns,
  sizeOf,
  toPacked,
  unpackBytesInTurns,
  unpackText,
  unpackTextInTurns,
  type Packed,
} from "./packing.ts";
import type {
  CachePlace,
  FoundRow,
  FoundScrape,
  KeptRow,
  PageQuery,
  PageRow,
  PagesQuery,
  Retention,
  ShardRow,
} from "./page-shard.ts";

/** One shard of a team's pages: a Durable Object, or its rules in memory. */
export interface Shard {
  keep(row: ShardRow, retention: Retention): Promise<KeptRow>;
  findPage(query: PageQuery): Promise<FoundRow | undefined>;
  findScrape(row: RowKey): Promise<FoundScrape | undefined>;
  pagesOf(host: string, query: PagesQuery): Promise<ScrapedPage[]>;
}

export interface PageStoreOptions {
  shard(name: string): Shard;
  blobs: Blobs;
  retention: Retention;
  /** True when all teams share their cached pages, which then are in objects of no team. */
  isShared: boolean;
  /** Shards that are nearly full, by their names; lives as long as the isolate. */
  fullShards: Set<string>;
}

/**
 * Packed size in bytes up to which a part is in the row. At the platform's prices, a gigabyte of rows for a week costs
 * as much as ten thousand objects in R2: smaller parts are cheaper in the row.
 */
const MAX_INLINE_BYTES = 96_000;
/** The same for a shard that is nearly full. */
const MAX_INLINE_BYTES_OF_FULL = 1_000;
/** Size of a shard above which only the smallest parts are added to it. An object has 10 GB. */
const FULL_SHARD_BYTES = 8_000_000_000;
/** Length of a text whose compression takes so long that other requests go first. */
const LONG_CHARS = 500_000;
/** Prefix of objects that later scrapes may use, and of those that only their ids find. */
const PAGES = "pages/";
const RESULTS = "results/";

const StoredRecord = z.object({
  id: z.string(),
  teamId: z.string(),
  keyId: z.string(),
  apiVersion: z.enum(["v1", "v2"]),
  endpoint: z.string(),
  target: z.string(),
  creditsUsed: z.number(),
  createdAtMs: z.number(),
  expiresAtMs: z.number(),
  replay: z.string().optional(),
  isPending: z.boolean().optional(),
});

/**
 * Creates the store of scrapes and cached pages. What a scrape leaves is one row of one object, near the team that uses
 * it; parts that are too large for a row are objects in R2, written before the row. Rows and objects expire by days.
 */
export function createPageStore(options: PageStoreOptions): { scrapes: ScrapeStore; pageCache: PageCache } {
  const { blobs, retention } = options;
  const nameOf = (teamId: string, shard: number): string => `${options.isShared ? "shared" : teamId}/${shard}`;

  /** Writes a part to R2 when it is too large for a row. */
  async function place(packed: Packed, key: string, shardName: string): Promise<{ inline?: Packed; key?: string }> {
    const limit = options.fullShards.has(shardName) ? MAX_INLINE_BYTES_OF_FULL : MAX_INLINE_BYTES;
    if (sizeOf(packed) <= limit) return { inline: packed };
    await blobs.put(key, packed);
    return { key };
  }

  /** Returns the metadata for a row; those that are too large are written to R2, and the row has their key. */
  async function placeMetadata(metadata: string, key: string): Promise<string> {
    if (new TextEncoder().encode(metadata).byteLength <= MAX_INLINE_BYTES) return metadata;
    await blobs.put(key, packText(metadata));
    return key;
  }

  async function pageRow({ page, storedAtMs }: CachedPage, id: string, shardName: string): Promise<PageRow> {
    const key = `${PAGES}${dayKey(storedAtMs)}/${id}`;
    const { body, screenshot } = page;
    const packed = await (typeof body === "string" ? packTextInTurns(body) : packBytesInTurns(body));
    const [placed] = await Promise.all([
      place(packed, key, shardName),
      screenshot === undefined ? undefined : blobs.put(`${key}.screenshot`, screenshot.bytes),
    ]);
    return {
      facts: toFacts(page),
      body: placed.inline,
      bodyKey: placed.key,
      screenshotKey: screenshot === undefined ? undefined : `${key}.screenshot`,
    };
  }

  async function keep(shardName: string, row: ShardRow): Promise<void> {
    const { bytes, replaced } = await options.shard(shardName).keep(row, retention);
    if (bytes > FULL_SHARD_BYTES) options.fullShards.add(shardName);
    // An object that cannot be deleted now is deleted with its day.
    if (replaced.length > 0) await blobs.delete(replaced).catch(() => undefined);
  }

  async function packedBlob(key: string | undefined): Promise<Packed | undefined> {
    const blob = key === undefined ? undefined : await blobs.get(key);
    return blob && toPacked(blob.bytes);
  }

  const parts: PartReaders = {
    async text({ body, bodyKey }) {
      const packed = body ?? (await packedBlob(bodyKey));
      return packed === undefined ? undefined : await unpackTextInTurns(packed);
    },
    async bytes({ body, bodyKey }) {
      const packed = body ?? (await packedBlob(bodyKey));
      return packed === undefined ? undefined : await unpackBytesInTurns(packed);
    },
    async screenshot(key) {
      return (await blobs.get(key))?.bytes;
    },
  };

  /** Returns the record of a repeat, which is kept as long as the first scrape; undefined for an id that was not given out. */
  function toRepeat(record: ScrapeRecord, storedAtMs: number | undefined, id: string): ScrapeRecord | undefined {
    const { createdAtMs } = timesOf(id);
    // A repeat is later than the scrape whose document it returns, and within the time of the cached page.
    if (storedAtMs === undefined || createdAtMs < record.createdAtMs) return undefined;
    if (createdAtMs > storedAtMs + retention.cacheMs + MAX_CLOCK_LAG_MS) return undefined;
    return { ...record, id, createdAtMs, expiresAtMs: createdAtMs + record.expiresAtMs - record.createdAtMs };
  }

  async function documentOf(
    found: Pick<FoundScrape, "metadata" | "fields" | "fieldsKey">,
  ): Promise<DocumentParts | undefined> {
    const [fields, metadata] = await Promise.all([
      found.fields ?? packedBlob(found.fieldsKey),
      // Metadata are an object in JSON; anything else is the key of one in R2.
      found.metadata.startsWith("{") ? found.metadata : packedBlob(found.metadata),
    ]);
    if (fields === undefined || metadata === undefined) return undefined;
    return { fields: await unpackTextInTurns(fields), metadata: unpackText(metadata) };
  }

  const scrapes: ScrapeStore = {
    async insert({ record, document, shape, page }) {
      const row = rowKeyOf(record.id);
      const shardName = nameOf(record.teamId, shardOfRow(row));
      const cache = page && toCachePlace(page);
      const isCached = cache !== undefined && isAt(row, cache.place);
      const folder = `${isCached ? PAGES : RESULTS}${dayKey(record.createdAtMs)}/`;
      // Compressing 500 kB takes 5 ms of the processor, in which the isolate does nothing else: the page waits its turn.
      const pageTurn = (): Promise<void> => nextTurn(document.fields.length);
      const [fields, metadata, stored] = await Promise.all([
        packTextInTurns(document.fields).then((packed) => place(packed, `${folder}${record.id}.json`, shardName)),
        placeMetadata(document.metadata, `${folder}${record.id}.metadata.json`),
        isCached && page !== undefined && "page" in page
          ? pageTurn().then(() => pageRow(page, record.id, shardName))
          : undefined,
        // An id that was made without its page names another place: then the page has a row of its own.
        !isCached && page !== undefined && "page" in page ? pageTurn().then(() => pageCache.store(page)) : undefined,
      ]);
      await keep(shardName, {
        row,
        id: record.id,
        // A row with neither is of no use to later scrapes.
        ...(isCached && (stored !== undefined || shape !== undefined) ? { cache, page: stored, shape } : {}),
        scrape: {
          record: JSON.stringify(record),
          host: hostOf(record.target),
          listed: listedPage(record, document),
          metadata,
          fields: fields.inline,
          fieldsKey: fields.key,
        },
      });
    },

    async find(givenId, { teamId, nowMs }) {
      const id = givenId.toLowerCase();
      const row = rowKeyOf(id);
      const found = await options.shard(nameOf(teamId, shardOfRow(row))).findScrape(row);
      if (found === undefined) return undefined;
      const stored = readStored(StoredRecord, found.record, "scrape");
      const record = found.id === id ? toRecord(stored) : toRepeat(toRecord(stored), found.storedAtMs, id);
      if (record === undefined || record.expiresAtMs <= nowMs || record.createdAtMs > nowMs + MAX_CLOCK_LAG_MS) {
        return undefined;
      }
      const document = await documentOf(found);
      if (document === undefined) return undefined;
      const { lookupMs } = timesOf(id);
      const metadata =
        found.id === id
          ? document.metadata
          : repeatedMetadata(document.metadata, { id, cachedAtMs: found.storedAtMs ?? 0, lookupMs });
      return { record, documentJson: joinDocument({ ...document, metadata }) };
    },

    async pagesOf(host, { teamId, nowMs, limit }) {
      const bare = host.toLowerCase().replace(/^www\./, "");
      const shard = options.shard(nameOf(teamId, shardOfHost(bare)));
      return await shard.pagesOf(bare, { teamId, fromMs: nowMs - retention.resultMs, nowMs, limit });
    },
  };

  const pageCache: PageCache = {
    async find(key, { minAgeMs, maxAgeMs, waitForMs, nowMs }, shape) {
      const { place: pagePlace, key: text } = toCachePlace({ key, waitForMs, storedAtMs: nowMs });
      const shard = options.shard(nameOf(key.team, pagePlace.shard));
      const found = await shard.findPage({
        place: pagePlace,
        key: text,
        screenshot: key.screenshot,
        waitForMs,
        fromMs: nowMs - Math.min(maxAgeMs, retention.cacheMs),
        toMs: nowMs - minAgeMs,
        shape,
      });
      if (found === undefined) return undefined;
      const { storedAtMs } = found;
      if (found.kind === "document") {
        const document = await documentOf(found.document);
        return document && { kind: "document", found: { document, row: found.row, storedAtMs } };
      }
      const page = await fromRow(found.page, storedAtMs, parts);
      return page && { kind: "page", found: { key, waitForMs: found.waitForMs, storedAtMs, page } };
    },

    async store(entry) {
      const cache = toCachePlace(entry);
      const id = newScrapeId(cache.place);
      const shardName = nameOf(entry.key.team, cache.place.shard);
      await keep(shardName, { row: rowKeyOf(id), id, cache, page: await pageRow(entry, id, shardName) });
    },
  };
  return { scrapes, pageCache };
}

/** Clocks of two machines differ by less. */
const MAX_CLOCK_LAG_MS = 60_000;

function toCachePlace({ key, waitForMs, storedAtMs }: Omit<CachedPage, "page">): CachePlace {
  return { place: placeOfPage(key), key: cacheText(key), screenshot: key.screenshot, waitForMs, storedAtMs };
}

function hostOf(target: string): string {
  const url = URL.parse(target) ?? URL.parse(`http://${target}`);
  return (url?.host ?? "").toLowerCase().replace(/^www\./, "");
}

/** Characters of a title and of a description that a map lists; a row takes no more. */
const MAX_LISTED_CHARS = 5_000;

/** Returns the page that a map lists; undefined for files and for pages that were not found. */
function listedPage({ endpoint, target }: ScrapeRecord, { metadata }: DocumentParts): ScrapedPage | undefined {
  if (endpoint !== "scrape") return undefined;
  const { statusCode = 200, title, description } = readOwn<Record<string, unknown>>(metadata);
  if (Number(statusCode) >= 400) return undefined;
  return {
    url: target,
    title: typeof title === "string" ? title.slice(0, MAX_LISTED_CHARS) : undefined,
    description: typeof description === "string" ? description.slice(0, MAX_LISTED_CHARS) : undefined,
  };
}

function toRecord({ replay, ...record }: z.infer<typeof StoredRecord>): ScrapeRecord {
  return { ...record, ...(replay === undefined ? {} : { replay }) };
}

/** Resolves when other requests had their turn, where the text that was compressed before is long. */
async function nextTurn(chars: number): Promise<void> {
  if (chars >= LONG_CHARS) await new Promise((resolve) => setTimeout(resolve, 0));
}
