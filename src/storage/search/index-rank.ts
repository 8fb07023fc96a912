import type { PageQuery } from "../../ports/search/page-index.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { rankedPhrases, type Strictness } from "./page-match.ts";

interface Match {
  id: number;
  mark: string;
  url: string;
  score: number;
  datedAtMs: number;
}

interface Found<Row> {
  /** Name of the partition. */
  partition: string;
  /** Name of its FTS5 table. */
  words: string;
  rows: readonly Row[];
}

interface Ranking<Row> {
  query: PageQuery;
  strictness: Strictness;
  /** Matches of each partition, newest partition first. */
  found: readonly Found<Row>[];
}

/** Phrases of a query whose frequencies are counted. */
const MAX_COUNTED = 8;
/** FTS5 takes this for a phrase that most entries have. */
const MIN_IDF = 1e-6;

/**
 * Puts the matches of several partitions into one order, best first. BM25 weighs a phrase by its rarity within a table
 * (inverse document frequency), so that a partition of a few entries would count for nothing: scores are multiplied by
 * the quotient of the rarity in all partitions and in their own.
 */
export function rankAcross<Row extends Match>(
  sql: Sql,
  { query, strictness, found }: Ranking<Row>,
): (Row & { partition: string })[] {
  const withRows = found.filter(({ rows }) => rows.length > 0);
  const isRanked = query.newestFirst !== true && withRows.length > 1;
  const phrases = isRanked ? rankedPhrases(query, strictness).slice(0, MAX_COUNTED) : [];
  const counts = phrases.length === 0 ? [] : withRows.map((part) => countIn(sql, part, phrases));
  const rarityOfAll = rarity(
    sumOf(counts.map(({ entries }) => entries)),
    phrases.map((_, index) => sumOf(counts.map(({ matches }) => matches[index] ?? 0))),
  );
  const scored = withRows.flatMap(({ partition, rows }, place) => {
    const own = counts[place];
    const factor = own === undefined ? 1 : rarityOfAll / rarity(own.entries, own.matches);
    return rows.map((row) => ({ ...row, partition, score: row.score * factor }));
  });
  // The rows of a partition are in order already, and the sort is stable: of equal ones, the newest is first.
  return scored.toSorted((left, right) =>
    query.newestFirst === true ? right.datedAtMs - left.datedAtMs : left.score - right.score,
  );
}

function countIn(
  sql: Sql,
  { words }: { words: string },
  phrases: readonly string[],
): { entries: number; matches: number[] } {
  const number = (query: string, ...values: string[]): number =>
    sql.rows<{ number: number | null }>(query, ...values)[0]?.number ?? 0;
  return {
    // Ids are consecutive, but for deleted entries. Each end by itself is read without the rows between them.
    entries: number(
      `SELECT (SELECT max(id) FROM ${words}_docsize) - (SELECT min(id) FROM ${words}_docsize) + 1 AS number`,
    ),
    matches: phrases.map((phrase) =>
      number(`SELECT count(*) AS number FROM ${words} WHERE ${words} MATCH ?`, `{title address body} : (${phrase})`),
    ),
  };
}

/** Returns the sum of the inverse document frequencies of phrases, as FTS5 weighs them. */
function rarity(entries: number, matches: readonly number[]): number {
  return sumOf(
    matches.map((hits) => {
      const quotient = (Math.max(entries - hits, 0) + 0.5) / (hits + 0.5);
      return Math.max(MIN_IDF, Math.log(quotient));
    }),
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
