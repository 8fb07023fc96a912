import type { Candidate, FrontierState } from "../../core/crawl/frontier.ts";
import { PlaceIndex } from "../../core/place-index.ts";
import { isString, readStoredList, startsWith } from "../../core/stored-state.ts";
import { hash53, randomSeed } from "../../core/text/hash.ts";
import { TextSet } from "../../core/text/text-map.ts";
import type { Sql, SqlValue } from "../../ports/storage/sql.ts";
import { inPieces, PENDING } from "./frontier-tables.ts";
import { RowCache } from "./row-cache.ts";

/** A URL of the job with all that is stored of it, but for the end of a scraped one (`frontier-ends.ts`). */
export interface UrlRow {
  key: string;
  url: string;
  depth: number;
  external: number;
  parent: string | null;
  state: number;
  attempt: number;
  reason: string | null;
  detail: string | null;
  sitemap_date: string | null;
  version: string | null;
  document: number | null;
  lost: number | null;
  /** Null for a URL of an older version, whose row has its end. */
  seat: number | null;
  /** 1 for a URL that stands in a packed row, also when it has a row of its own since; otherwise null. */
  packed: number | null;
}

/** A URL in a packed row, as it was found. */
export type PackedUrl = [
  key: string,
  url: string,
  depth: number,
  external: 0 | 1,
  parent: string | null,
  seat: number,
  sitemapDate?: string,
];

/** An entry of the queue: a URL, or the key of one that has always had a row of its own. */
export type QueueEntry = string | PackedUrl;

const isPackedUrl = (value: unknown): value is PackedUrl => startsWith(value, ["string", "string", "number", "number"]);
export const isQueueEntry = (value: unknown): value is QueueEntry => isString(value) || isPackedUrl(value);

/** A row of the queue. */
export interface QueueRow {
  id: number;
  entries: QueueEntry[];
}

/** URLs of a packed row: fewer than the places that the index has for a row. */
const ROW_URLS = 256;
/** Characters of a packed row, unless one URL alone has more. */
const ROW_CHARS = 48_000;
/** Characters from which a row does not grow further by changes of its URLs: a value has 2 MB at most. */
const MAX_CHANGED_CHARS = 400_000;
/** URLs that are found by an index in memory, 26 bytes each on average. Further ones get rows of their own. */
const MAX_PACKED = 1_000_000;
const MAX_ROW_ID = 0xff_ffff;

const COLUMNS = [
  "key", "url", "depth", "external", "parent", "state", "attempt", "reason", "detail", "sitemap_date", "version",
  "document", "lost", "seat", "packed",
] as const satisfies readonly (keyof UrlRow)[]; // prettier-ignore
const SELECTED = COLUMNS.map((column) => `urls.${column}`).join(", ");
const UPSERT = `INSERT INTO urls (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (key) DO UPDATE SET ${COLUMNS.slice(1).map((column) => `${column} = excluded.${column}`).join(", ")}`; // prettier-ignore

/**
 * The URLs of a job. A URL that is found stands in a row of the queue with up to 255 others, where it stays as it was
 * found when it is scraped. It gets a row of its own in `urls`, which then counts, when it fails, is skipped or waits for
 * another attempt. URLs are found by the hash of their key; the key at the place is compared, and one whose hash another key has
 * gets a row of its own at once, so that each key is known exactly. The seeds of the hashes are random, so that no site can
 * choose links that fall on one slot.
 */
export class Urls {
  readonly #sql: Sql;
  readonly #hash: (key: string) => number;
  readonly #urlSeed = randomSeed();
  /** Index of the packed URLs; read from the queue when the object wakes, and after a transaction that failed. */
  #index: PlaceIndex | undefined;
  /** Places of packed keys whose hash another packed key has: an earlier object had another seed. */
  readonly #clashing = new Map<string, number>();
  readonly #rows = new RowCache<QueueEntry[]>();

  /** @param hash hash of a key, up to 53 bits; keys may share one */
  constructor(sql: Sql, hash?: (key: string) => number) {
    this.#sql = sql;
    const seed = randomSeed();
    this.#hash = hash ?? ((key) => hash53(key, seed));
  }

  /** Forgets what is in memory, which may differ from the database after a transaction that failed. */
  forget(): void {
    this.#index = undefined;
    this.#clashing.clear();
    this.#rows.clear();
  }

  /** Returns the URLs with these keys, in no order. */
  get(keys: readonly string[]): Map<string, UrlRow> {
    const found = this.#own(keys);
    for (const key of keys) {
      // Asking a `Map` about a text makes V8 intern it.
      if (found.size > 0 && found.has(key)) continue;
      const packed = this.#packedAt(key);
      if (packed !== undefined) found.set(key, packed.row);
    }
    return found;
  }

  one(key: string): UrlRow | undefined {
    return this.get([key]).get(key);
  }

  /** Returns the URLs of entries of the queue, in their order. */
  of(entries: readonly QueueEntry[]): UrlRow[] {
    const own = this.#own(entries.map((entry) => (isString(entry) ? entry : entry[0])));
    return entries.flatMap((entry) => (isString(entry) ? (own.get(entry) ?? []) : (own.get(entry[0]) ?? toRow(entry))));
  }

  /**
   * Reports whether a candidate is known, in this spelling and by no longer way: it changes nothing. It is told by 85 bits of
   * hashes, without reading the URL.
   */
  hasAsFound({ key, url, depth }: Candidate): boolean {
    const known = this.#indexed().get(this.#hash(key));
    return known !== undefined && known.text === this.#textOf(url) && known.depth <= depth;
  }

  /** Adds the candidates whose key is new, the first one of each, to the end of the queue. @returns these, in their order. */
  add(state: FrontierState, candidates: readonly Candidate[]): Candidate[] {
    const known = this.get(candidates.map(({ key }) => key));
    const taken = new TextSet();
    const added = candidates.filter(({ key }) => !(known.size > 0 && known.has(key)) && taken.add(key));
    const index = this.#indexed();
    const hashes = new Set<number>();
    let seat = state.nextSeat ?? 0;
    const entries = added.map((candidate): QueueEntry => {
      const { key, url, depth, isExternal, parent = null, sitemapDate } = candidate;
      const hash = this.#hash(key);
      const hasRoom = index.size + hashes.size < MAX_PACKED && index.get(hash) === undefined && !hashes.has(hash);
      const entry: PackedUrl = [key, url, depth, isExternal ? 1 : 0, parent, seat++];
      if (sitemapDate !== undefined) entry.push(sitemapDate);
      if (!hasRoom) {
        this.#put({ ...toRow(entry), packed: null });
        return key;
      }
      hashes.add(hash);
      return entry;
    });
    state.nextSeat = seat;
    for (const row of inPieces(entries, charsOf, { size: ROW_URLS, chars: ROW_CHARS })) this.#append(row);
    return added;
  }

  /** Changes a URL, in a row of its own, which it gets if it has none. @returns the URL as it was. */
  update(key: string, changes: Partial<UrlRow>): UrlRow | undefined {
    const row = this.one(key);
    if (row !== undefined) this.#put({ ...row, ...changes });
    return row;
  }

  /** Changes how URLs were found. Packed URLs are changed where they stand: a row of the queue is written once. */
  amend(changes: ReadonlyMap<string, Pick<Partial<UrlRow>, "depth" | "parent" | "sitemap_date">>): void {
    const own = this.#own([...changes.keys()]);
    const packed = new Map<number, { at: number; next: UrlRow }[]>();
    for (const [key, change] of changes) {
      const row = own.get(key);
      const place = row === undefined ? this.#packedAt(key) : undefined;
      if (row !== undefined) this.#put({ ...row, ...change });
      if (place === undefined) continue;
      const others = packed.get(place.id) ?? [];
      packed.set(place.id, [...others, { at: place.at, next: { ...place.row, ...change } }]);
    }
    for (const [id, urls] of packed) this.#amendRow(id, urls);
  }

  /** Changes URLs of one row; those that it has no room for get rows of their own. */
  #amendRow(id: number, urls: readonly { at: number; next: UrlRow }[]): void {
    const entries = [...this.#entriesOf(id)];
    let chars = charsOfRow(entries);
    for (const { at, next } of urls) {
      const entry = toEntry(next);
      chars += charsOf(entry) - charsOf(entries[at] ?? "");
      if (chars > MAX_CHANGED_CHARS) this.#put(next);
      else entries[at] = entry;
      this.#note(id, at, entry);
    }
    this.#sql.rows("UPDATE queue SET keys = ? WHERE id = ?", JSON.stringify(entries), id);
    this.#rows.set(id, entries);
  }

  /** Returns the first row of the queue with this id or a later one. */
  rowFrom(id: number): QueueRow | undefined {
    const [row] = this.#sql.rows<{ id: number; keys: string }>(
      "SELECT id, keys FROM queue WHERE id >= ? ORDER BY id LIMIT 1",
      id,
    );
    return row === undefined ? undefined : { id: row.id, entries: this.#parsed(row.id, row.keys) };
  }

  /**
   * Returns up to `limit` URLs behind one of them, or the first ones: those that were never packed in the order of their
   * keys, then the others in that of the queue. Each one is in its place as long as the job does.
   */
  after(key: string, limit: number): UrlRow[] {
    const place = key === "" ? undefined : this.#packedAt(key);
    const apart =
      place === undefined
        ? this.#sql.rows<UrlRow>(
            `SELECT ${SELECTED} FROM urls WHERE packed IS NULL AND key > ? ORDER BY key LIMIT ?`,
            key,
            limit,
          )
        : [];
    if (apart.length === limit) return apart;
    return [
      ...apart,
      ...this.#packedFrom(place?.id ?? 0, place === undefined ? 0 : place.at + 1, limit - apart.length),
    ];
  }

  #packedFrom(id: number, at: number, limit: number): UrlRow[] {
    const found: UrlRow[] = [];
    for (let row = this.rowFrom(id); row !== undefined && found.length < limit; row = this.rowFrom(row.id + 1)) {
      const entries = row.entries.slice(row.id === id ? at : 0).filter(isPackedUrl);
      found.push(...this.of(entries.slice(0, limit - found.length)));
    }
    return found;
  }

  #own(keys: readonly string[]): Map<string, UrlRow> {
    if (keys.length === 0) return new Map();
    const rows = this.#sql.rows<UrlRow>(
      `SELECT ${SELECTED} FROM json_each(?) AS asked JOIN urls ON urls.key = asked.value`,
      JSON.stringify(keys),
    );
    return new Map(rows.map((row) => [row.key, row]));
  }

  #put(row: UrlRow): void {
    this.#sql.rows(UPSERT, ...COLUMNS.map((column): SqlValue => row[column]));
  }

  /** Returns the packed URL with this key and its place; undefined when none has it. */
  #packedAt(key: string): { id: number; at: number; row: UrlRow } | undefined {
    const known = this.#indexed().get(this.#hash(key));
    if (known === undefined) return undefined;
    return this.#packedIn(known.place, key) ?? this.#packedIn(this.#clashing.get(key), key);
  }

  #packedIn(place: number | undefined, key: string): { id: number; at: number; row: UrlRow } | undefined {
    if (place === undefined) return undefined;
    const id = Math.floor(place / ROW_URLS);
    const at = place % ROW_URLS;
    const entry = this.#entriesOf(id)[at];
    return isPackedUrl(entry) && entry[0] === key ? { id, at, row: toRow(entry) } : undefined;
  }

  #entriesOf(id: number): QueueEntry[] {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const [row] = this.#sql.rows<{ keys: string }>("SELECT keys FROM queue WHERE id = ?", id);
    return row === undefined ? [] : this.#parsed(id, row.keys);
  }

  #parsed(id: number, text: string): QueueEntry[] {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const entries = readStoredList(isQueueEntry, text, "frontier");
    this.#rows.set(id, entries);
    return entries;
  }

  #append(entries: QueueEntry[]): void {
    const [row] = this.#sql.rows<{ id: number }>("INSERT INTO queue (keys) VALUES (?) RETURNING id", JSON.stringify(entries)); // prettier-ignore
    if (row === undefined) throw new Error("The queue has not taken the row");
    for (const [at, entry] of entries.entries()) this.#note(row.id, at, entry);
    this.#rows.set(row.id, entries);
  }

  #note(id: number, at: number, entry: QueueEntry | undefined): void {
    if (!isPackedUrl(entry)) return;
    if (id > MAX_ROW_ID) throw new Error("The queue has too many rows");
    const [key, url, depth] = entry;
    const hash = this.#hash(key);
    const place = id * ROW_URLS + at;
    const known = this.#index?.get(hash);
    if (known === undefined || known.place === place) this.#index?.set(hash, { place, text: this.#textOf(url), depth });
    else this.#clashing.set(key, place);
  }

  /** Returns 32 bits of a URL's hash, which share no seed with that of its key: both may be one text. */
  #textOf(url: string): number {
    return hash53(url, this.#urlSeed) >>> 0;
  }

  #indexed(): PlaceIndex {
    if (this.#index !== undefined) return this.#index;
    this.#index = new PlaceIndex();
    for (let next = 0; ;) {
      const rows = this.#sql.rows<{ id: number; keys: string }>(
        "SELECT id, keys FROM queue WHERE id >= ? ORDER BY id LIMIT 20",
        next,
      );
      for (const { id, keys } of rows) {
        for (const [at, entry] of readStoredList(isQueueEntry, keys, "frontier").entries()) this.#note(id, at, entry);
        next = id + 1;
      }
      if (rows.length === 0) return this.#index;
    }
  }
}

const known = new WeakMap<Sql, Urls>();

/**
 * Returns the URLs of a job's database: one object for each, since it has an index in memory.
 * @param hash hash of keys for an object that is new
 */
export function urlsOf(sql: Sql, hash?: (key: string) => number): Urls {
  const urls = known.get(sql) ?? new Urls(sql, hash);
  known.set(sql, urls);
  return urls;
}

function toRow([key, url, depth, external, parent, seat, sitemapDate]: PackedUrl): UrlRow {
  const found = { key, url, depth, external, parent, seat, sitemap_date: sitemapDate ?? null };
  const waiting = { state: PENDING, attempt: 1, reason: null, detail: null, version: null, document: null, lost: null };
  return { ...found, ...waiting, packed: 1 };
}

function toEntry({ key, url, depth, external, parent, seat, sitemap_date }: UrlRow): PackedUrl {
  const entry: PackedUrl = [key, url, depth, external === 1 ? 1 : 0, parent, seat ?? 0];
  if (sitemap_date !== null) entry.push(sitemap_date);
  return entry;
}

function charsOf(entry: QueueEntry): number {
  if (isString(entry)) return entry.length;
  const [key, url, , , parent, , sitemapDate = ""] = entry;
  return key.length + url.length + (parent?.length ?? 0) + sitemapDate.length;
}

function charsOfRow(entries: readonly QueueEntry[]): number {
  return entries.reduce((sum, entry) => sum + charsOf(entry), 0);
}
