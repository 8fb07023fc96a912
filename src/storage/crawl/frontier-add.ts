import {
  countWaiting,
  roomLeft,
  type Candidate,
  type FilteredUrl,
  type FrontierState,
} from "../../core/crawl/frontier.ts";
import { hash53 } from "../../core/text/hash.ts";
import { NumberSet } from "../../core/number-set.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { inPieces, packedRows } from "./frontier-tables.ts";

/**
 * URLs that have no row of their own are known by a hash in memory, 16 bytes each at most: up to here. What the rules
 * leave out beyond is neither listed nor counted; what the limit leaves no room for gets rows then.
 */
const MAX_KNOWN = 4_000_000;
const QUEUE_ROW = 500;

/** A filtered URL as its packed row has it: with the URL that it is a duplicate of, or the key that it may yet be let in by. */
export type FilteredEntry = [
  url: string,
  reason: string,
  depth: number,
  parent: string | null,
  original: string | null,
  key?: string,
];

/** A URL that the limit leaves no room for, as its packed row has it. */
export type OverflowEntry = [key: string, url: string, depth: number, external: 0 | 1, parent: string | null];

const DUPLICATE = "duplicate";

/** URLs without a row of their own, by a hash of 53 bits: rebuilt from the packed rows whenever the object wakes. */
export type PackedSet = NumberSet;

export function readPackedSet(sql: Sql, { overflow }: FrontierState): PackedSet {
  const known = new NumberSet();
  for (const { entries } of packedRows(sql, "filtered")) {
    for (const entry of JSON.parse(entries) as FilteredEntry[]) known.add(markOf(entry));
  }
  for (const { id, entries } of packedRows(sql, "overflow", overflow.row)) {
    const first = id === overflow.row ? overflow.place : 0;
    for (const [key, url] of (JSON.parse(entries) as OverflowEntry[]).slice(first)) known.add(overflowMark(key, url));
  }
  return known;
}

/** What an entry is known by. One that may be let in is known by its key, however its URL is written. */
function markOf([url, , , , , key]: FilteredEntry): number {
  return key === undefined ? hash53(url) : keyMark(key);
}

function keyMark(key: string): number {
  return hash53(`\0${key}`);
}

/** Known by how they are written, too: whether two are the same page is seen when there is room for them. */
function overflowMark(key: string, url: string): number {
  return hash53(`\u0001${key} ${url}`);
}

export interface Adding {
  sql: Sql;
  state: FrontierState;
  packed: PackedSet;
}

/**
 * Puts URLs that are new at the end of the queue as far as the limit has room, and keeps the others apart; one that was
 * left out before, from further away, is let in now. One that waits and was found by a shorter way is as near as that.
 */
export function addCandidates(adding: Adding, candidates: readonly Candidate[]): void {
  for (const piece of inPieces(candidates)) {
    const known = knownUrls(
      adding.sql,
      piece.map(({ key }) => key),
    );
    note(adding, meetKnown(adding.sql, piece.filter(({ key }) => known.has(key)))); // prettier-ignore
    const unknown = distinct(
      piece.filter(({ key, url }) => !known.has(key) && !adding.packed.has(overflowMark(key, url))),
    );
    const room = roomLeft(adding.state);
    const isFull = adding.packed.size >= MAX_KNOWN;
    const wasLeftOut = ({ key }: Candidate) => adding.packed.has(keyMark(key));
    const queued = unknown.filter((candidate, place) => place < room || isFull || wasLeftOut(candidate));
    const isQueued = new Set(queued);
    enqueue(adding, queued);
    keepApart(
      adding,
      unknown.filter((candidate) => !isQueued.has(candidate)),
    );
  }
}

/** Puts a URL into the queue that has to have a row, whether there is room or not. */
export function addAtOnce(adding: Adding, candidate: Candidate): void {
  const wasApart = adding.packed.delete(overflowMark(candidate.key, candidate.url));
  if (wasApart) {
    adding.state.overflow.count--;
    adding.state.counters.discovered--;
    countWaiting(adding.state, -1);
  }
  enqueue(adding, [candidate]);
}

/** Gives rows to as many of the URLs that were kept apart. @returns false when there are none any more. */
export function makeRoom(adding: Adding, count: number): boolean {
  const { sql, state, packed } = adding;
  const { overflow } = state;
  const [row] = sql.rows<{ id: number; entries: string }>(
    "SELECT id, entries FROM overflow WHERE id >= ? ORDER BY id LIMIT 1",
    overflow.row,
  );
  if (row === undefined) return false;
  const place = row.id === overflow.row ? overflow.place : 0;
  const entries = JSON.parse(row.entries) as OverflowEntry[];
  const taken = entries.slice(place, place + count);
  const next = place + taken.length;
  Object.assign(overflow, next < entries.length ? { row: row.id, place: next } : { row: row.id + 1, place: 0 });
  const known = knownUrls(
    sql,
    taken.map(([key]) => key),
  );
  // What was given a row out of turn is none of them any more.
  const candidates = taken.filter(([key, url]) => known.get(key) !== url).map(toCandidate);
  for (const { key, url } of candidates) packed.delete(overflowMark(key, url));
  overflow.count -= candidates.length;
  state.counters.discovered -= candidates.length;
  countWaiting(state, -candidates.length);
  enqueue(
    adding,
    candidates.filter(({ key }) => !known.has(key)),
  );
  note(adding, meetKnown(sql, candidates.filter(({ key }) => known.has(key)))); // prettier-ignore
  return true;
}

function toCandidate([key, url, depth, external, parent]: OverflowEntry): Candidate {
  return { key, url, depth, isExternal: external === 1, parent: parent ?? undefined };
}

function enqueue({ sql, state, packed }: Adding, candidates: readonly Candidate[]): void {
  if (candidates.length === 0) return;
  const added = insertNew(sql, candidates);
  const letIn = added.filter(({ key }) => packed.delete(keyMark(key))).length;
  state.counters.discovered += added.length - letIn;
  state.counters.skipped.filtered -= letIn;
  countWaiting(state, added.length);
  for (const row of inPieces(added, QUEUE_ROW)) {
    sql.rows("INSERT INTO queue (keys) VALUES (?)", JSON.stringify(row.map(({ key }) => key)));
  }
  const isAdded = new Set(added.map(nameOf));
  const others = candidates.filter((candidate) => !isAdded.has(nameOf(candidate)));
  note({ sql, state, packed }, meetKnown(sql, others));
}

function keepApart({ sql, state, packed }: Adding, candidates: readonly Candidate[]): void {
  if (candidates.length === 0) return;
  const entries = candidates.map(({ key, url, depth, isExternal, parent }): OverflowEntry => [
    key,
    url,
    depth,
    isExternal ? 1 : 0,
    parent ?? null,
  ]);
  for (const { key, url } of candidates) packed.add(overflowMark(key, url));
  state.overflow.count += entries.length;
  state.counters.discovered += entries.length;
  countWaiting(state, entries.length);
  sql.rows("INSERT INTO overflow (entries) VALUES (?)", JSON.stringify(entries));
}

/** The URLs that pages with these keys are known by. */
function knownUrls(sql: Sql, keys: readonly string[]): Map<string, string> {
  if (keys.length === 0) return new Map();
  const rows = sql.rows<{ key: string; url: string }>(
    "SELECT urls.key, urls.url FROM json_each(?) JOIN urls ON urls.key = value",
    JSON.stringify(keys),
  );
  return new Map(rows.map(({ key, url }) => [key, url]));
}

function insertNew(sql: Sql, candidates: readonly Candidate[]): { key: string; url: string }[] {
  const rows = candidates.map(({ key, url, depth, isExternal, parent }) => [
    key,
    url,
    depth,
    isExternal ? 1 : 0,
    parent ?? null,
  ]);
  const added = sql.rows<{ key: string; url: string }>(
    `INSERT INTO urls (key, url, depth, external, parent, state, attempt)
     SELECT value->>0, value->>1, value->>2, value->>3, value->>4, 0, 1 FROM json_each(?) WHERE true
     ON CONFLICT (key) DO NOTHING RETURNING key, url`,
    JSON.stringify(rows),
  );
  // The order of RETURNING is not defined; the queue keeps that of the page.
  const places = new Map(candidates.map(({ key }, place) => [key, place]));
  return added.sort((left, right) => (places.get(left.key) ?? 0) - (places.get(right.key) ?? 0));
}

/**
 * Takes note of ways to pages that are known: a shorter one is their way from now on, while nobody has scraped them.
 * @returns those that are other ways to write a page's URL.
 */
function meetKnown(sql: Sql, candidates: readonly Candidate[]): FilteredEntry[] {
  if (candidates.length === 0) return [];
  const asked = candidates.map(({ key, url, depth, parent }) => [key, url, depth, parent ?? null]);
  const rows = sql.rows<{ place: number; key: string; original: string; isNearer: number }>(
    `SELECT asked.key AS place, urls.key, urls.url AS original, state = 0 AND depth > value->>2 AS isNearer
     FROM json_each(?) AS asked JOIN urls ON urls.key = value->>0
     WHERE urls.url <> value->>1 OR (state = 0 AND depth > value->>2)`,
    JSON.stringify(asked),
  );
  return rows.flatMap(({ place, key, original, isNearer }): FilteredEntry[] => {
    const candidate = candidates[place];
    if (candidate === undefined) return [];
    const { url, depth, parent } = candidate;
    if (isNearer === 1) {
      sql.rows("UPDATE urls SET depth = ?1, parent = ?2 WHERE key = ?3 AND depth > ?1", depth, parent ?? null, key);
    }
    return url === original ? [] : [[url, DUPLICATE, depth, parent ?? null, original]];
  });
}

/** The first of those that are written alike; entries of a batch are each their own. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const known = new Set<string>();
  return candidates.filter((candidate) => {
    const name = nameOf(candidate);
    return !known.has(name) && known.add(name);
  });
}

function nameOf({ key, url }: { key: string; url: string }): string {
  return `${key} ${url}`;
}

/** Notes URLs that the rules leave out, each once. One that is in scope from elsewhere is none of them. */
export function addFiltered(adding: Adding, urls: readonly FilteredUrl[]): void {
  const inScope = new Set<string>();
  const keys = urls.flatMap(({ key }) => (key === undefined ? [] : [key]));
  for (const piece of inPieces(keys)) {
    for (const key of knownUrls(adding.sql, piece).keys()) inScope.add(key);
  }
  const left = urls.filter(
    ({ key, url }) => key === undefined || (!inScope.has(key) && !adding.packed.has(overflowMark(key, url))),
  );
  note(
    adding,
    left.map(({ url, key, reason, depth, parent }) =>
      key === undefined ? [url, reason, depth, parent ?? null, null] : [url, reason, depth, parent ?? null, null, key],
    ),
  );
}

function note({ sql, state, packed }: Adding, entries: FilteredEntry[]): void {
  const fresh = entries.filter((entry) => packed.size < MAX_KNOWN && packed.add(markOf(entry)));
  if (fresh.length === 0) return;
  const duplicates = fresh.filter(([, reason]) => reason === DUPLICATE).length;
  state.counters.discovered += fresh.length;
  state.counters.skipped.duplicate += duplicates;
  state.counters.skipped.filtered += fresh.length - duplicates;
  for (const piece of inPieces(fresh)) sql.rows("INSERT INTO filtered (entries) VALUES (?)", JSON.stringify(piece));
}
