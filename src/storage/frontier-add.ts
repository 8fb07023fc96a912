import type { Candidate, FilteredUrl, FrontierState } from "../core/frontier.ts";
import { hash53 } from "../core/hash.ts";
import type { Sql } from "../ports/sql.ts";
import { inPieces } from "./frontier-tables.ts";

/** What the rules leave out is listed up to here; further ones are neither listed nor counted. */
const MAX_FILTERED = 500_000;
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

const DUPLICATE = "duplicate";

/** URLs that were noted as left out, by a hash of 53 bits: rebuilt from the rows whenever the object wakes. */
export type FilteredSet = Set<number>;

export function readFilteredSet(sql: Sql): FilteredSet {
  const known: FilteredSet = new Set();
  for (const { entries } of sql.rows<{ entries: string }>("SELECT entries FROM filtered")) {
    for (const entry of JSON.parse(entries) as FilteredEntry[]) known.add(markOf(entry));
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

interface Adding {
  sql: Sql;
  state: FrontierState;
  filtered: FilteredSet;
}

/** Puts URLs that are new at the end of the queue; one that was left out before, from further away, is let in now. */
export function addCandidates({ sql, state, filtered }: Adding, candidates: readonly Candidate[]): void {
  for (const piece of inPieces(candidates)) {
    const added = insertNew(sql, piece);
    const letIn = added.filter(({ key }) => filtered.delete(keyMark(key))).length;
    state.counters.discovered += added.length - letIn;
    state.counters.skipped.filtered -= letIn;
    state.counters.pending += added.length;
    for (const row of inPieces(added, QUEUE_ROW)) {
      sql.rows("INSERT INTO queue (keys) VALUES (?)", JSON.stringify(row.map(({ key }) => key)));
    }
    note({ sql, state, filtered }, otherSpellings(sql, piece));
  }
}

function insertNew(sql: Sql, candidates: Candidate[]): { key: string; url: string }[] {
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

/** Other ways to write the URL of a page that is known. */
function otherSpellings(sql: Sql, candidates: Candidate[]): FilteredEntry[] {
  const asked = new Map(candidates.map((candidate) => [candidate.url, candidate]));
  const rows = sql.rows<{ url: string; original: string }>(
    `SELECT value->>1 AS url, urls.url AS original FROM json_each(?) JOIN urls ON urls.key = value->>0
     WHERE urls.url <> value->>1`,
    JSON.stringify(candidates.map(({ key, url }) => [key, url])),
  );
  return rows.map(({ url, original }) => {
    const { depth = 0, parent } = asked.get(url) ?? {};
    return [url, DUPLICATE, depth, parent ?? null, original];
  });
}

/** Notes URLs that the rules leave out, each once. One that is in scope from elsewhere is none of them. */
export function addFiltered(adding: Adding, urls: readonly FilteredUrl[]): void {
  const inScope = new Set<string>();
  const keys = urls.flatMap(({ key }) => (key === undefined ? [] : [key]));
  for (const piece of inPieces(keys)) {
    const rows = adding.sql.rows<{ key: string }>(
      "SELECT urls.key FROM json_each(?) JOIN urls ON urls.key = value",
      JSON.stringify(piece),
    );
    for (const { key } of rows) inScope.add(key);
  }
  const left = urls.filter(({ key }) => key === undefined || !inScope.has(key));
  note(
    adding,
    left.map(({ url, key, reason, depth, parent }) =>
      key === undefined ? [url, reason, depth, parent ?? null, null] : [url, reason, depth, parent ?? null, null, key],
    ),
  );
}

function note({ sql, state, filtered }: Adding, entries: FilteredEntry[]): void {
  const fresh = entries.filter((entry) => {
    const mark = markOf(entry);
    if (filtered.has(mark) || filtered.size >= MAX_FILTERED) return false;
    filtered.add(mark);
    return true;
  });
  const duplicates = fresh.filter(([, reason]) => reason === DUPLICATE).length;
  state.counters.discovered += fresh.length;
  state.counters.skipped.duplicate += duplicates;
  state.counters.skipped.filtered += fresh.length - duplicates;
  for (const piece of inPieces(fresh)) sql.rows("INSERT INTO filtered (entries) VALUES (?)", JSON.stringify(piece));
}
