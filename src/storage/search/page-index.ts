import { hash53 } from "../../core/text/hash.ts";
import { inPieces } from "../../core/in-pieces.ts";
import type { FoundPage, IndexedPage, IndexSize, PageIndex, PageQuery } from "../../ports/search/page-index.ts";
import { packText, sizeOf, unpackText } from "../scrape/packing.ts";
import {
  ONE_SHARD,
  type DueEntries,
  type IndexLayout,
  type PutAnswer,
  type PutOptions,
  type ShardHits,
  type ShardSize,
} from "./index-shard.ts";
import type { IndexEntry } from "./index-partition.ts";
import type { IndexHit } from "./index-tables.ts";
import { urlMark } from "./page-marks.ts";

/** One shard of a team's index: a Durable Object, or its rules in memory. Every call may be made twice. */
export interface IndexShardCalls {
  put(entries: readonly IndexEntry[], options: PutOptions): Promise<PutAnswer>;
  due(marks: readonly string[], times: { nowMs: number; retentionMs: number }): Promise<DueEntries>;
  remove(marks: readonly string[]): Promise<void>;
  search(query: PageQuery): Promise<ShardHits>;
  size(): Promise<ShardSize>;
  adopt(layout: IndexLayout): Promise<void>;
}

/** Sizes at which an index is divided, and at which it ends. */
export interface IndexLimits {
  /** Size in bytes of a shard at which the number of shards is doubled: far below what an object holds, for its speed. */
  growBytes: number;
  /** Size in bytes of a shard from which it takes no more pages. An object has 10 GB. */
  fullBytes: number;
  maxShards: number;
}

export interface PageIndexOptions {
  shard(name: string): IndexShardCalls;
  limits: IndexLimits;
  /** Layouts of teams' indexes as this isolate knows them, by team; lives as long as the isolate. */
  layouts: Map<string, IndexLayout>;
}

export const INDEX_LIMITS: IndexLimits = { growBytes: 1_000_000_000, fullBytes: 9_000_000_000, maxShards: 64 };

/** Maximum indexed text of a page in characters; with the pairs of unspaced scripts, up to 700 kB in UTF-8. */
const MAX_BODY_CHARS = 100_000;
/** Length from which a body is compressed. */
const MIN_PACKED_CHARS = 1_000;
/** Bytes of the entries in a call, far below the 32 MiB that a call takes. */
const MAX_CALL_BYTES = 4_000_000;
const MAX_CALL_ENTRIES = 100;
/** Pages whose entries may be in one answer. */
const MAX_DUE = 16;
/** Bodies that are unpacked before other requests run: some 10 ms. */
const UNPACKED_A_TURN = 8;
/** Times that a layout may change while pages are put. */
const MAX_MOVES = 8;
/** Teams whose layouts an isolate remembers. */
const MAX_LAYOUTS = 10_000;

/**
 * Creates the full-text index. Each team has one object, near the team, and more when it outgrows it: the number of
 * shards is doubled, and new pages go to the shard of their hash. What was put before stays where it is until it is
 * replaced or expires, and every shard is searched.
 */
export function createPageIndex({ shard, limits, layouts }: PageIndexOptions): PageIndex {
  const shardOf = (teamId: string, number: number): IndexShardCalls => shard(`${teamId}/${number}`);
  const layoutOf = (teamId: string): IndexLayout => layouts.get(teamId) ?? ONE_SHARD;

  /** Remembers a layout that has more shards than the known one. */
  function learn(teamId: string, layout: IndexLayout): void {
    if (layout.shards <= layoutOf(teamId).shards) return;
    if (layouts.size >= MAX_LAYOUTS) layouts.clear();
    layouts.set(teamId, layout);
  }

  async function grow(teamId: string, nowMs: number): Promise<void> {
    const { shards } = layoutOf(teamId);
    const layout = { shards: shards * 2, grownAtMs: nowMs };
    await Promise.all(numbersTo(shards).map((number) => shardOf(teamId, number).adopt(layout)));
    learn(teamId, layout);
  }

  /** Deletes entries from the shards that they would have had in earlier layouts. */
  async function removeEarlier(teamId: string, entries: readonly IndexEntry[], layout: IndexLayout): Promise<void> {
    const marks = new Map<number, string[]>();
    for (const { mark } of entries) {
      for (const number of earlierShards(mark, layout)) marks.set(number, [...(marks.get(number) ?? []), mark]);
    }
    await Promise.all([...marks].map(([number, some]) => shardOf(teamId, number).remove(some)));
  }

  /** @returns the number of entries for which there was no room. */
  async function putInto(
    teamId: string,
    entries: readonly IndexEntry[],
    { nowMs, retentionMs, moves }: { nowMs: number; retentionMs: number; moves: number },
  ): Promise<number> {
    const layout = layoutOf(teamId);
    const calls = inCalls(entries, layout).map(async ({ number, some }) => {
      const options = { nowMs, retentionMs, layout, fullBytes: limits.fullBytes };
      const { kind, bytes, layout: known } = await shardOf(teamId, number).put(some, options);
      learn(teamId, known);
      if (kind === "moved") {
        if (moves >= MAX_MOVES) throw new Error("The layout of the index changes too often");
        return await putInto(teamId, some, { nowMs, retentionMs, moves: moves + 1 });
      }
      if (kind === "full") return some.length;
      const isGrown = layout.shards > 1 && nowMs < layout.grownAtMs + retentionMs;
      if (isGrown) await removeEarlier(teamId, some, layout);
      // Shards of the last division: older ones are large already, and take a smaller share of the new pages.
      const isNewest = layout.shards === 1 || number >= layout.shards / 2;
      const isLarge = isNewest && bytes >= limits.growBytes && layout.shards * 2 <= limits.maxShards;
      if (isLarge && layoutOf(teamId).shards === layout.shards) await grow(teamId, nowMs);
      return 0;
    });
    return (await Promise.all(calls)).reduce((sum, refused) => sum + refused, 0);
  }

  /** Returns the entries of pages that have to be put again to remain. Of a page that two shards have, the newer one counts. */
  async function dueEntries(
    teamId: string,
    marks: readonly string[],
    { nowMs, retentionMs }: { nowMs: number; retentionMs: number },
  ): Promise<IndexEntry[]> {
    const layout = layoutOf(teamId);
    const isGrown = layout.shards > 1 && nowMs < layout.grownAtMs + retentionMs;
    const byShard = new Map<number, string[]>();
    for (const mark of marks) {
      const numbers = [...(isGrown ? earlierShards(mark, layout).toReversed() : []), hash53(mark) % layout.shards];
      for (const number of numbers) byShard.set(number, [...(byShard.get(number) ?? []), mark]);
    }
    const answers = await Promise.all(
      [...byShard].map(([number, some]) => shardOf(teamId, number).due(some, { nowMs, retentionMs })),
    );
    for (const answer of answers) learn(teamId, answer.layout);
    // The isolate did not know all shards: their entries may be newer, or the only ones.
    if (layoutOf(teamId).shards > layout.shards) return await dueEntries(teamId, marks, { nowMs, retentionMs });
    const fresh = new Set(answers.flatMap((answer) => answer.fresh));
    const entries = answers.flatMap((answer) => answer.entries).filter(({ mark }) => !fresh.has(mark));
    return [...new Map(entries.map((entry) => [entry.mark, entry])).values()];
  }

  /** Asks all shards of the team, and then those that the answers tell of. */
  async function askAll<Answer extends { layout: IndexLayout }>(
    teamId: string,
    ask: (shard: IndexShardCalls) => Promise<Answer>,
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    while (answers.length < layoutOf(teamId).shards) {
      const numbers = numbersTo(layoutOf(teamId).shards).slice(answers.length);
      const some = await Promise.all(numbers.map((number) => ask(shardOf(teamId, number))));
      for (const { layout } of some) learn(teamId, layout);
      answers.push(...some);
    }
    return answers;
  }

  return {
    async put(teamId, pages, { nowMs, retentionMs }) {
      const entries = distinctEntries(pages);
      return { refused: await putInto(teamId, entries, { nowMs, retentionMs, moves: 0 }) };
    },

    async confirm(teamId, urls, { nowMs, retentionMs }) {
      const marks = [...new Set(urls.map(urlMark))];
      let refused = 0;
      for (let from = 0; from < marks.length; from += MAX_DUE) {
        const entries = await dueEntries(teamId, marks.slice(from, from + MAX_DUE), { nowMs, retentionMs });
        if (entries.length > 0) refused += await putInto(teamId, entries, { nowMs, retentionMs, moves: 0 });
      }
      return { refused };
    },

    async search(teamId, query) {
      const answers = await askAll(teamId, (one) => one.search(query));
      const hits = merge(
        answers.flatMap((answer) => answer.hits),
        query,
      );
      const pages: FoundPage[] = [];
      await inPieces(hits, UNPACKED_A_TURN, (hit) => void pages.push(toFoundPage(hit)));
      return pages;
    },

    async size(teamId): Promise<IndexSize> {
      const sizes = await askAll(teamId, (one) => one.size());
      const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
      return {
        pages: sum(sizes.map(({ pages }) => pages)),
        bytes: sum(sizes.map(({ bytes }) => bytes)),
        shards: sizes.length,
        isFull: sizes.some(({ bytes }) => bytes >= limits.fullBytes),
      };
    },
  };
}

function numbersTo(end: number): number[] {
  return Array.from({ length: end }, (_, number) => number);
}

/** Returns the last entry per URL. */
function distinctEntries(pages: readonly IndexedPage[]): IndexEntry[] {
  const entries = new Map<string, IndexEntry>();
  for (const { body: text, ...page } of pages) {
    const mark = urlMark(page.url);
    const body = text.slice(0, MAX_BODY_CHARS);
    const contentHash = hash53(JSON.stringify([page.url, page.title, page.description, body])).toString(36);
    entries.set(mark, { ...page, mark, contentHash, body: packText(body, MIN_PACKED_CHARS) });
  }
  return [...entries.values()];
}

/** Divides entries by their shards, and those of a shard into calls. */
function inCalls(entries: readonly IndexEntry[], { shards }: IndexLayout): { number: number; some: IndexEntry[] }[] {
  const open = new Map<number, { number: number; some: IndexEntry[]; bytes: number }>();
  const calls: { number: number; some: IndexEntry[] }[] = [];
  for (const entry of entries) {
    const number = hash53(entry.mark) % shards;
    const bytes = sizeOf(entry.body) + (entry.url.length + entry.title.length + entry.description.length) * 3;
    const last = open.get(number);
    if (last !== undefined && last.bytes + bytes <= MAX_CALL_BYTES && last.some.length < MAX_CALL_ENTRIES) {
      last.some.push(entry);
      last.bytes += bytes;
      continue;
    }
    const call = { number, some: [entry], bytes };
    open.set(number, call);
    calls.push(call);
  }
  return calls;
}

/** Returns the other shards that an entry would have had while there were fewer. */
function earlierShards(mark: string, { shards }: IndexLayout): number[] {
  const hash = hash53(mark);
  const numbers: number[] = [];
  for (let fewer = shards / 2; fewer >= 1; fewer /= 2) numbers.push(hash % fewer);
  return [...new Set(numbers)].filter((number) => number !== hash % shards);
}

/** Puts the matches of all shards into one order. Of a page that two of them have, the one that was read last counts. */
function merge(hits: readonly IndexHit[], { limit, newestFirst }: PageQuery): IndexHit[] {
  const latest = new Map<string, IndexHit>();
  for (const hit of hits) {
    const other = latest.get(hit.mark);
    if (other === undefined || other.indexedAtMs < hit.indexedAtMs) latest.set(hit.mark, hit);
  }
  // The matches of one shard are in order already, and the sort is stable.
  const sorted = [...latest.values()].toSorted(
    (left, right) =>
      Number(right.isExact) - Number(left.isExact) ||
      (newestFirst === true ? right.datedAtMs - left.datedAtMs : left.score - right.score),
  );
  return sorted.slice(0, limit);
}

function toFoundPage({ url, title, description, body, datedAtMs, scrapeId }: IndexHit): FoundPage {
  return { url, title, description, body: unpackText(body), datedAtMs, scrapeId };
}
