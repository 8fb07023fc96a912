import { readStoredList, startsWith } from "../../core/stored-state.ts";
import {
  countWaiting,
  roomLeft,
  type Candidate,
  type FilteredUrl,
  type FrontierState,
} from "../../core/crawl/frontier.ts";
import { TextMap } from "../../core/text/text-map.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { PageEnds } from "./frontier-ends.ts";
import { inPieces, packedRows, PENDING } from "./frontier-tables.ts";
import { urlsOf, type UrlRow } from "./frontier-urls.ts";
import { PackedSet } from "./packed-set.ts";

/**
 * Maximum numbers of URLs without their own row, which are found by a hash in memory, 16 bytes each at most: of those that the rules
 * leave out, and of those beyond the crawl's limit. Further ones are neither listed nor counted, which the job's warning says. A
 * page may have 100,000 links that no other page has.
 */
const MOST_LISTED = { filtered: 1_000_000, overflow: 500_000 };
/** URLs that are added at a time: those of two rows of the queue. */
const PIECE_URLS = 512;

/** A filtered URL in a packed row, with the URL that it duplicates, or the key by which it may be admitted later. */
export type FilteredEntry = [
  url: string,
  reason: string,
  depth: number,
  parent: string | null,
  original: string | null,
  key?: string,
];

/** A URL beyond the limit, in a packed row. */
export type OverflowEntry = [
  key: string,
  url: string,
  depth: number,
  external: 0 | 1,
  parent: string | null,
  sitemapDate?: string,
];

export const isFilteredEntry = (value: unknown): value is FilteredEntry =>
  startsWith(value, ["string", "string", "number"]);

export const isOverflowEntry = (value: unknown): value is OverflowEntry =>
  startsWith(value, ["string", "string", "number"]);

const DUPLICATE = "duplicate";

/** Reads the URLs without their own row from the packed rows, whenever the object wakes. */
export function readPackedSet(sql: Sql, { overflow }: FrontierState): PackedSet {
  const known = new PackedSet();
  for (const { entries } of packedRows(sql, "filtered")) {
    for (const entry of readStoredList(isFilteredEntry, entries, "frontier")) addEntry(known, entry);
  }
  for (const { id, entries } of packedRows(sql, "overflow", overflow.row)) {
    const first = id === overflow.row ? overflow.place : 0;
    for (const [key, url] of readStoredList(isOverflowEntry, entries, "frontier").slice(first))
      known.addOverflow({ key, url });
  }
  return known;
}

/** Adds a filtered URL; one that may be admitted later counts by its key. @returns false when it was there already */
function addEntry(packed: PackedSet, [url, , , , , key]: FilteredEntry): boolean {
  return key === undefined ? packed.addUrl(url) : packed.addKey(key);
}

export interface Adding {
  sql: Sql;
  state: FrontierState;
  packed: PackedSet;
  /** Default: `MOST_LISTED`. */
  mostListed?: typeof MOST_LISTED;
}

/**
 * Appends new URLs to the queue within the limit, and stores the others separately. Admits URLs that were filtered only
 * because of where they were found, and reduces the depth of waiting URLs for which a shorter path was found.
 */
export function addCandidates(adding: Adding, candidates: readonly Candidate[]): void {
  const urls = urlsOf(adding.sql);
  const isDated = adding.state.config.since !== undefined;
  // Most links of a site lead to URLs that were found before.
  const news = candidates.filter(
    (candidate) => (isDated && candidate.sitemapDate !== undefined) || !urls.hasAsFound(candidate),
  );
  for (const piece of inPieces(news, charsOfCandidate, { size: PIECE_URLS })) {
    const known = urls.get(piece.map(({ key }) => key));
    const isKnown = ({ key }: Candidate): boolean => known.size > 0 && known.has(key);
    note(adding, updateKnown(adding.sql, piece.filter(isKnown), { known, isDated }));
    const unknown = distinct(piece.filter((candidate) => !isKnown(candidate) && !adding.packed.hasOverflow(candidate)));
    const room = roomLeft(adding.state);
    const wasLeftOut = ({ key }: Candidate) => adding.packed.hasKey(key);
    const queued = unknown.filter((candidate, place) => place < room || wasLeftOut(candidate));
    const isQueued = new Set(queued);
    enqueue(adding, queued);
    addToOverflow(
      adding,
      unknown.filter((candidate) => !isQueued.has(candidate)),
    );
  }
}

/** Adds a URL to the queue that must have a row, regardless of the limit. */
export function addAtOnce(adding: Adding, candidate: Candidate): void {
  const wasApart = adding.packed.deleteOverflow(candidate);
  if (wasApart) {
    adding.state.overflow.count--;
    adding.state.counters.discovered--;
    countWaiting(adding.state, -1);
  }
  enqueue(adding, [candidate]);
}

/** Moves up to `count` URLs beyond the limit to the queue. @returns false when none are left. */
export function makeRoom(adding: Adding, count: number): boolean {
  const { sql, state, packed } = adding;
  const { overflow } = state;
  const [row] = sql.rows<{ id: number; entries: string }>(
    "SELECT id, entries FROM overflow WHERE id >= ? ORDER BY id LIMIT 1",
    overflow.row,
  );
  if (row === undefined) return false;
  const place = row.id === overflow.row ? overflow.place : 0;
  const entries = readStoredList(isOverflowEntry, row.entries, "frontier");
  const taken = entries.slice(place, place + count);
  const next = place + taken.length;
  Object.assign(overflow, next < entries.length ? { row: row.id, place: next } : { row: row.id + 1, place: 0 });
  const known = urlsOf(sql).get(taken.map(([key]) => key));
  // URLs that already are in the queue are no longer counted.
  const candidates = taken.filter(([key, url]) => known.get(key)?.url !== url).map(toCandidate);
  for (const candidate of candidates) packed.deleteOverflow(candidate);
  overflow.count -= candidates.length;
  state.counters.discovered -= candidates.length;
  countWaiting(state, -candidates.length);
  enqueue(
    adding,
    candidates.filter(({ key }) => !known.has(key)),
  );
  note(adding, updateKnown(sql, candidates.filter(({ key }) => known.has(key)), { known })); // prettier-ignore
  return true;
}

function toCandidate([key, url, depth, external, parent, sitemapDate]: OverflowEntry): Candidate {
  const dated = sitemapDate === undefined ? {} : { sitemapDate };
  return { key, url, depth, isExternal: external === 1, parent: parent ?? undefined, ...dated };
}

function enqueue({ sql, state, packed }: Adding, candidates: readonly Candidate[]): void {
  if (candidates.length === 0) return;
  const urls = urlsOf(sql);
  const added = urls.add(state, candidates);
  const letIn = added.filter(({ key }) => packed.deleteKey(key)).length;
  state.counters.discovered += added.length - letIn;
  state.counters.skipped.filtered -= letIn;
  countWaiting(state, added.length);
  const isAdded = new Set(added);
  const others = candidates.filter((candidate) => !isAdded.has(candidate));
  if (others.length === 0) return;
  note({ sql, state, packed }, updateKnown(sql, others, { known: urls.get(others.map(({ key }) => key)) }));
}

function addToOverflow({ sql, state, packed, mostListed = MOST_LISTED }: Adding, all: readonly Candidate[]): void {
  const candidates = all.slice(0, Math.max(0, mostListed.overflow - state.overflow.count));
  if (candidates.length < all.length) state.isListCut = true;
  if (candidates.length === 0) return;
  const entries = candidates.map(({ key, url, depth, isExternal, parent, sitemapDate }): OverflowEntry => {
    const external = isExternal ? 1 : 0;
    const from = parent ?? null;
    return sitemapDate === undefined
      ? [key, url, depth, external, from]
      : [key, url, depth, external, from, sitemapDate];
  });
  for (const candidate of candidates) packed.addOverflow(candidate);
  state.overflow.count += entries.length;
  state.counters.discovered += entries.length;
  countWaiting(state, entries.length);
  sql.rows("INSERT INTO overflow (entries) VALUES (?)", JSON.stringify(entries));
}

/**
 * Processes candidates for known pages: a shorter path replaces depth and parent of a page that is still pending, which
 * also takes the sitemap's date, if a link has led to it before.
 * @returns entries for other spellings of a page's URL.
 */
function updateKnown(
  sql: Sql,
  candidates: readonly Candidate[],
  { known, isDated = false }: { known: ReadonlyMap<string, UrlRow>; isDated?: boolean },
): FilteredEntry[] {
  const ends = new PageEnds(sql);
  const changes = new Map<string, Pick<Partial<UrlRow>, "depth" | "parent" | "sitemap_date">>();
  for (const { key, depth, parent = null, sitemapDate } of candidates) {
    const row = known.get(key);
    if (row === undefined || row.state !== PENDING) continue;
    const change = changes.get(key) ?? {};
    const isNearer = depth < (change.depth ?? row.depth);
    const isToDate = isDated && sitemapDate !== undefined && row.sitemap_date === null;
    if ((!isNearer && !isToDate) || ends.get(row.seat) !== undefined) continue;
    const date = isToDate && change.sitemap_date === undefined ? { sitemap_date: sitemapDate } : {};
    changes.set(key, { ...change, ...(isNearer ? { depth, parent } : {}), ...date });
  }
  if (changes.size > 0) urlsOf(sql).amend(changes);
  return candidates.flatMap(({ key, url, depth, parent = null }): FilteredEntry[] => {
    const original = known.get(key)?.url;
    return original === undefined || url === original ? [] : [[url, DUPLICATE, depth, parent, original]];
  });
}

/** Returns the first candidate of each key and spelling; entries of a batch have unique keys. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  // Spellings by key: a text of both would be made for each candidate, and most keys have one spelling.
  const spellings = new TextMap<string | Set<string>>();
  return candidates.filter(({ key, url }) => {
    const known = spellings.get(key);
    if (known === undefined) {
      spellings.set(key, url);
      return true;
    }
    if (typeof known !== "string") return !known.has(url) && known.add(url);
    if (known === url) return false;
    spellings.set(key, new Set([known, url]));
    return true;
  });
}

/** Stores URLs excluded by the rules, each once. Skips URLs that are in scope from another page. */
export function addFiltered(adding: Adding, urls: readonly FilteredUrl[]): void {
  const inScope = new Set<string>();
  const keys = urls.flatMap(({ key }) => (key === undefined ? [] : [key]));
  for (const piece of inPieces(keys, (key) => key.length)) {
    for (const key of urlsOf(adding.sql).get(piece).keys()) inScope.add(key);
  }
  const left = urls.filter(
    ({ key, url }) => key === undefined || (!inScope.has(key) && !adding.packed.hasOverflow({ key, url })),
  );
  note(
    adding,
    left.map(({ url, key, reason, depth, parent }) =>
      key === undefined ? [url, reason, depth, parent ?? null, null] : [url, reason, depth, parent ?? null, null, key],
    ),
  );
}

function note({ sql, state, packed, mostListed = MOST_LISTED }: Adding, entries: FilteredEntry[]): void {
  const most = mostListed.filtered + state.overflow.count;
  const fresh = entries.filter((entry) => packed.size < most && addEntry(packed, entry));
  if (packed.size >= most && fresh.length < entries.length) state.isListCut = true;
  if (fresh.length === 0) return;
  const duplicates = fresh.filter(([, reason]) => reason === DUPLICATE).length;
  state.counters.discovered += fresh.length;
  state.counters.skipped.duplicate += duplicates;
  state.counters.skipped.filtered += fresh.length - duplicates;
  for (const piece of inPieces(fresh, charsOfEntry))
    sql.rows("INSERT INTO filtered (entries) VALUES (?)", JSON.stringify(piece));
}

function charsOfCandidate({ key, url, parent = "" }: Candidate): number {
  return key.length + url.length + parent.length;
}

function charsOfEntry([url, , , parent, original, key]: FilteredEntry): number {
  return url.length + (parent?.length ?? 0) + (original?.length ?? 0) + (key?.length ?? 0);
}
