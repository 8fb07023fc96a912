import { decodePercent } from "../../core/url/decode-percent.ts";
import { hash53 } from "../../core/text/hash.ts";
import { isOnSite } from "../../core/search/search-query.ts";
import { spaceOut } from "../../core/search/words.ts";
import type { FoundPage, IndexedPage, PageIndex, PageQuery } from "../../ports/search/page-index.ts";
import { dateMarks, fileTypeMark, languageMark, siteMarks, urlMark } from "./page-marks.ts";
import { matchExpression } from "./page-match.ts";

/** Number of ids per team: ids of a team's pages form one range. */
const PAGES_OF_A_TEAM = 2 ** 32;
/** Maximum indexed text of a page. */
const MAX_BODY_CHARS = 100_000;
/** Maximum text per statement; D1 accepts 2 MB in a parameter. */
const MAX_STATEMENT_CHARS = 600_000;
/** Maximum number of ranked matches; of more, the newest are ranked. */
const MAX_RANKED = 2_000;
/** Share of the retention after which an unchanged page is written again. */
const RENEWAL_SHARE = 0.5;
/** Weights of title, URL, body and markers in BM25. */
const RANK = "bm25(page_words, 6.0, 3.0, 1.0, 0.0)";

interface Entry extends IndexedPage {
  mark: string;
  contentHash: string;
}

/** Team numbers cached in this isolate. */
const teamNumbers = new Map<string, number>();

/** Creates the full-text index in D1: FTS5 stores the words without the text, `indexed_pages` the text. */
export function createPageIndex(db: D1Database): PageIndex {
  async function teamNumber(teamId: string): Promise<number | undefined> {
    const known = teamNumbers.get(teamId);
    if (known !== undefined) return known;
    const {
      results: [row],
    } = await db.prepare("SELECT number FROM indexed_teams WHERE team_id = ?").bind(teamId).run<{ number: number }>();
    if (row !== undefined) teamNumbers.set(teamId, row.number);
    return row?.number;
  }

  async function numberForTeam(teamId: string): Promise<number> {
    const known = await teamNumber(teamId);
    if (known !== undefined) return known;
    await db
      .prepare(
        `INSERT INTO indexed_teams SELECT ?, coalesce(max(number), 0) + 1, 1 FROM indexed_teams WHERE true
           ON CONFLICT DO NOTHING`,
      )
      .bind(teamId)
      .run();
    return (await teamNumber(teamId)) ?? (await numberForTeam(teamId));
  }

  /** Returns the entries whose page is new, has changed or would expire soon. */
  async function newsAmong(
    entries: readonly Entry[],
    { number, renewBeforeMs }: { number: number; renewBeforeMs: number },
  ): Promise<Entry[]> {
    const { results: rows } = await db
      .prepare(
        `SELECT url_mark AS mark, content_hash AS contentHash FROM page_words JOIN indexed_pages ON id = page_words.rowid
           WHERE page_words MATCH ? AND page_words.rowid BETWEEN ? AND ? AND indexed_at_ms >= ?`,
      )
      .bind(marksOf(entries), ...rangeOf(number), renewBeforeMs)
      .run<{ mark: string; contentHash: string }>();
    const known = new Map(rows.map(({ mark, contentHash }) => [mark, contentHash]));
    return entries.filter(({ mark, contentHash }) => known.get(mark) !== contentHash);
  }

  async function write(
    entries: readonly Entry[],
    { teamId, number, nowMs }: { teamId: string; number: number; nowMs: number },
  ): Promise<void> {
    const rows = JSON.stringify(entries.map(toRow));
    const old = "SELECT rowid FROM page_words WHERE page_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3";
    const range = rangeOf(number);
    const [first] = range;
    await db.batch([
      db.prepare(`DELETE FROM indexed_pages WHERE id IN (${old})`).bind(marksOf(entries), ...range),
      db.prepare(`DELETE FROM page_words WHERE rowid IN (${old})`).bind(marksOf(entries), ...range),
      db
        .prepare(
          `INSERT INTO indexed_pages
             SELECT ?1 + next_page + key, value ->> 'mark', value ->> 'url', value ->> 'title', value ->> 'description',
               value ->> 'language', value ->> 'body', value ->> 'contentHash', value ->> 'datedAtMs', ?2,
               value ->> 'scrapeId'
             FROM json_each(?3), indexed_teams WHERE team_id = ?4 ORDER BY key`,
        )
        .bind(first, nowMs, rows, teamId),
      db
        .prepare(
          `INSERT INTO page_words (rowid, title, address, body, marks)
             SELECT ?1 + next_page + key, value ->> 'titleWords', value ->> 'address',
               coalesce(value ->> 'bodyWords', value ->> 'body'), value ->> 'marks'
             FROM json_each(?2), indexed_teams WHERE team_id = ?3 ORDER BY key`,
        )
        .bind(first, rows, teamId),
      db.prepare("UPDATE indexed_teams SET next_page = next_page + ? WHERE team_id = ?").bind(entries.length, teamId),
    ]);
  }

  async function find(
    query: PageQuery,
    { expression, number }: { expression: string | undefined; number: number },
  ): Promise<FoundPage[]> {
    if (expression === undefined) return [];
    const order = query.newestFirst === true ? "dated_at_ms DESC" : "score, found.id DESC";
    const { results: rows } = await db
      .prepare(
        `WITH found AS MATERIALIZED (
             SELECT rowid AS id, ${RANK} AS score FROM page_words
             WHERE page_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC LIMIT ${MAX_RANKED}
           )
           SELECT url, title, description, body, dated_at_ms AS datedAtMs, scrape_id AS scrapeId
           FROM found JOIN indexed_pages USING (id)
           WHERE indexed_at_ms > ?4 AND dated_at_ms BETWEEN ?5 AND ?6
           ORDER BY ${order} LIMIT ?7`,
      )
      .bind(
        expression,
        ...rangeOf(number),
        query.indexedAfterMs,
        query.fromMs ?? 0,
        query.toMs ?? Number.MAX_SAFE_INTEGER,
        wantedRows(query),
      )
      .run<FoundPage>();
    return rows.filter((row) => isWanted(row, query)).slice(0, query.limit);
  }

  return {
    async put(teamId, pages, { nowMs, retentionMs }) {
      const entries = distinctEntries(pages);
      if (entries.length === 0) return;
      const number = await numberForTeam(teamId);
      const renewBeforeMs = nowMs - retentionMs * RENEWAL_SHARE;
      for (const some of inStatements(entries)) {
        const news = await newsAmong(some, { number, renewBeforeMs });
        if (news.length > 0) await write(news, { teamId, number, nowMs });
      }
    },

    async search(teamId, query) {
      const number = await teamNumber(teamId);
      if (number === undefined) return [];
      const expression = matchExpression(query, "all");
      const exact = await find(query, { expression, number });
      const looser = matchExpression(query, "any");
      // A query of phrases alone has no looser form.
      if (exact.length >= query.limit || query.terms.groups.length === 0 || looser === expression) return exact;
      const known = new Set(exact.map(({ url }) => url));
      const loose = await find(query, { expression: looser, number });
      return [...exact, ...loose.filter(({ url }) => !known.has(url))].slice(0, query.limit);
    },

    async purge(indexedBeforeMs, limit) {
      const { results: teams } = await db.prepare("SELECT number FROM indexed_teams").run<{ number: number }>();
      let purged = 0;
      for (const { number } of teams) {
        if (purged >= limit) break;
        purged += await purgeTeam(number, { indexedBeforeMs, limit: limit - purged });
      }
      return purged;
    },
  };

  /** Deletes a team's oldest pages, which are its first: ids increase with time. */
  async function purgeTeam(
    number: number,
    { indexedBeforeMs, limit }: { indexedBeforeMs: number; limit: number },
  ): Promise<number> {
    const { results: rows } = await db
      .prepare("SELECT id, indexed_at_ms AS ms FROM indexed_pages WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?")
      .bind(...rangeOf(number), limit)
      .run<{ id: number; ms: number }>();
    const ids = rows.flatMap(({ id, ms }) => (ms < indexedBeforeMs ? [id] : []));
    if (ids.length === 0) return 0;
    const list = JSON.stringify(ids);
    const old = "SELECT value FROM json_each(?)";
    await db.batch([
      db.prepare(`DELETE FROM page_words WHERE rowid IN (${old})`).bind(list),
      db.prepare(`DELETE FROM indexed_pages WHERE id IN (${old})`).bind(list),
    ]);
    return ids.length;
  }
}

function rangeOf(number: number): [number, number] {
  return [number * PAGES_OF_A_TEAM, (number + 1) * PAGES_OF_A_TEAM - 1];
}

function marksOf(entries: readonly Entry[]): string {
  return `marks : (${entries.map(({ mark }) => mark).join(" OR ")})`;
}

/** Returns the last entry per URL; skips pages without text. */
function distinctEntries(pages: readonly IndexedPage[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const page of pages) {
    const mark = urlMark(page.url);
    const body = page.body.slice(0, MAX_BODY_CHARS);
    const contentHash = hash53(JSON.stringify([page.url, page.title, page.description, body])).toString(36);
    entries.set(mark, { ...page, body, mark, contentHash });
  }
  return [...entries.values()];
}

function inStatements(entries: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = [];
  let chars = Infinity;
  for (const entry of entries) {
    if (chars + entry.body.length > MAX_STATEMENT_CHARS) {
      parts.push([]);
      chars = 0;
    }
    parts.at(-1)?.push(entry);
    chars += entry.body.length;
  }
  return parts;
}

function toRow(entry: Entry): Record<string, string | number> {
  const { url, mark, language, body } = entry;
  const marks = [
    mark,
    ...siteMarks(url),
    languageMark(language === "" ? "none" : language),
    fileTypeMark(entry.fileType),
    ...dateMarks(entry.datedAtMs),
  ];
  const bodyWords = spaceOut(body);
  return {
    mark,
    url,
    title: entry.title,
    description: entry.description,
    language,
    body,
    contentHash: entry.contentHash,
    datedAtMs: entry.datedAtMs,
    scrapeId: entry.scrapeId,
    titleWords: spaceOut(`${entry.title}\n${entry.description}`),
    address: spaceOut(addressWords(url)),
    marks: marks.join(" "),
    // Equal texts are sent once.
    ...(bodyWords === body ? {} : { bodyWords }),
  };
}

function addressWords(url: string): string {
  const { hostname, pathname, search } = new URL(url);
  return decodePercent(`${hostname} ${pathname} ${search}`);
}

/** Returns the number of rows to read: sites with a path, and several sites, are filtered row by row. */
function wantedRows({ terms, limit }: PageQuery): number {
  const isSifted = [...terms.sites, ...terms.excludedSites].some((site) => site.includes("/"));
  return isSifted ? Math.min(MAX_RANKED, limit * 20) : limit;
}

function isWanted({ url }: FoundPage, { terms }: PageQuery): boolean {
  if (terms.sites.length > 0 && !isOnSite(url, terms.sites)) return false;
  return !isOnSite(url, terms.excludedSites);
}
