import { checkStored, parseStored, readStored } from "../../core/stored-state.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { DatabaseRoom } from "../../ports/storage/database-room.ts";
import { type ChangeHistory, PageSnapshot, type TrackedPage } from "../../ports/storage/change-history.ts";
import { packTextInTurns, toPacked, unpackTextInTurns } from "./packing.ts";

/** Maximum size of states stored in the row; longer ones are objects: all teams share one database. */
const MAX_INLINE_BYTES = 4_096;
/** The same while the database is nearly full. */
const MAX_INLINE_BYTES_OF_FULL = 200;
/** Maximum length of a markdown that is stored within JSON. */
const MAX_JSON_CHARS = 100_000;
/** Tracked pages of a team that are kept, those scraped last. */
const MAX_PAGES_OF_TEAM = 100_000;
/** States after which an isolate deletes surplus ones of the team that saves, and the most that it deletes at a time. */
const STATES_A_TRIM = 50;
const DELETED_A_TRIM = 500;
/** States that this isolate has saved. */
let saved = 0;
/** Number of times that a state is read which a later one replaces meanwhile. */
const MAX_READS = 3;
/** Maximum number of objects deleted at a time: each takes one call, and calls per request are limited. */
const OBJECTS_AT_A_TIME = 100;

/** Returns the key of a long state, which its row names by the time of the scrape. */
const blobKey = (page: string, scrapedAtMs: number) => `history/${page}/${scrapedAtMs}.json`;
/** Returns the key under which earlier versions stored each state of a page. */
const formerKey = (page: string) => `history/${page}.json`;
/** Returns the prefix of all keys of a page. */
const keysOf = (page: string) => `history/${page}`;

/**
 * Creates the change history: one row per tracked page; long texts are in R2, each state under a key of its own, written first
 * and compressed. An object that could not be deleted stays until its page is purged with a long state. Earlier versions wrote all states of a page under
 * one key, as they are, and did not record whose a page is.
 */
export function createChangeHistory(
  db: D1Database,
  blobs: Blobs,
  room?: Pick<DatabaseRoom, "isNearlyFull">,
  maxPages = MAX_PAGES_OF_TEAM,
): ChangeHistory {
  async function remove(pages: string[]): Promise<void> {
    const named = JSON.stringify(pages);
    await db.batch(
      ["change_history", "tracked_pages"].map((table) =>
        db.prepare(`DELETE FROM ${table} WHERE page IN (SELECT value FROM json_each(?))`).bind(named),
      ),
    );
  }

  /** Deletes the states of a team beyond those scraped last. */
  async function trim(teamId: string): Promise<void> {
    const { results } = await db
      .prepare(
        `SELECT page, scraped_at_ms FROM tracked_pages WHERE team_id = ?1 AND (scraped_at_ms, page) <=
           (SELECT scraped_at_ms, page FROM tracked_pages WHERE team_id = ?1
              ORDER BY scraped_at_ms DESC, page DESC LIMIT 1 OFFSET ?2)
         ORDER BY scraped_at_ms, page LIMIT ?3`,
      )
      .bind(teamId, maxPages, DELETED_A_TRIM)
      .run<{ page: string; scraped_at_ms: number }>();
    if (results.length === 0) return;
    await blobs.delete(results.flatMap(({ page, scraped_at_ms: atMs }) => [blobKey(page, atMs), formerKey(page)]));
    await remove(results.map(({ page }) => page));
  }

  /** Reports whether a later state of the page is stored, as of a scrape that was finished first. */
  async function isOlder(page: string, { scrapedAtMs }: PageSnapshot): Promise<boolean> {
    const { results } = await db
      .withSession("first-primary")
      .prepare("SELECT 1 FROM change_history WHERE page = ? AND scraped_at_ms > ?")
      .bind(page, scrapedAtMs)
      .run();
    return results.length > 0;
  }

  async function longState(page: string, scrapedAtMs: number): Promise<string | undefined> {
    const blob = (await blobs.get(blobKey(page, scrapedAtMs))) ?? (await blobs.get(formerKey(page)));
    return blob && (await unpackTextInTurns(toPacked(blob.bytes)));
  }

  async function rowOf(page: string): Promise<StateRow | undefined> {
    const { results } = await db
      .withSession("first-primary")
      .prepare("SELECT scraped_at_ms, snapshot FROM change_history WHERE page = ?")
      .bind(page)
      .run<StateRow>();
    return results[0];
  }

  return {
    async find(tracked) {
      const page = await nameOf(tracked);
      let row = await rowOf(page);
      for (let reads = 1; row !== undefined; reads++) {
        const { scraped_at_ms: scrapedAtMs, snapshot } = row;
        const text = snapshot ?? (await longState(page, scrapedAtMs));
        if (text !== undefined) return fromText(text);
        // A later state may have replaced this one since its row was read.
        const next = reads < MAX_READS ? await rowOf(page) : undefined;
        row = next?.scraped_at_ms === scrapedAtMs ? undefined : next;
      }
      return undefined;
    },

    async save(tracked, snapshot) {
      const page = await nameOf(tracked);
      const text = toText(snapshot);
      const maxBytes = room?.isNearlyFull === true ? MAX_INLINE_BYTES_OF_FULL : MAX_INLINE_BYTES;
      const isInline = text.length <= maxBytes && utf8Length(text) <= maxBytes;
      if (!isInline && (await isOlder(page, snapshot))) return;
      const key = blobKey(page, snapshot.scrapedAtMs);
      if (!isInline) await blobs.put(key, await packTextInTurns(text));
      const [before, written] = await db.batch<{ scraped_at_ms: number; is_object: number }>([
        db.prepare("SELECT scraped_at_ms, snapshot IS NULL AS is_object FROM change_history WHERE page = ?").bind(page),
        db
          .prepare(
            `INSERT INTO change_history (page, scraped_at_ms, snapshot) VALUES (?, ?, ?) ON CONFLICT (page) DO UPDATE
               SET scraped_at_ms = excluded.scraped_at_ms, snapshot = excluded.snapshot
               WHERE excluded.scraped_at_ms >= change_history.scraped_at_ms`,
          )
          .bind(page, snapshot.scrapedAtMs, isInline ? text : null),
        db
          .prepare(
            `INSERT OR REPLACE INTO tracked_pages (page, team_id, scraped_at_ms)
               SELECT page, ?, scraped_at_ms FROM change_history WHERE page = ?`,
          )
          .bind(tracked.teamId, page),
      ]);
      const stored = before?.results[0];
      const isWritten = (written?.meta.changes ?? 0) > 0;
      const replaced = stored?.is_object === 1 ? [blobKey(page, stored.scraped_at_ms), formerKey(page)] : [];
      // The purge deletes objects of rows without text only.
      const unused = isWritten ? replaced.filter((each) => isInline || each !== key) : isInline ? [] : [key];
      // The state is saved in any case.
      if (unused.length > 0) await blobs.delete(unused).catch(() => undefined);
      // The state is saved in any case; a later one deletes what this one could not.
      if (++saved % STATES_A_TRIM === 0) await trim(tracked.teamId).catch(() => undefined);
    },

    async purge(scrapedBeforeMs, limit) {
      const result = await db
        .prepare("SELECT page, snapshot IS NULL AS is_object FROM change_history WHERE scraped_at_ms < ? LIMIT ?")
        .bind(scrapedBeforeMs, limit)
        .run<{ page: string; is_object: number }>();
      const objects = result.results.filter(({ is_object }) => is_object === 1);
      const now = objects.slice(0, OBJECTS_AT_A_TIME);
      for (const { page } of now) await blobs.deletePrefix(keysOf(page));
      const rows = [...result.results.filter(({ is_object }) => is_object === 0), ...now];
      if (rows.length > 0) await remove(rows.map(({ page }) => page));
      return objects.length > now.length ? limit : rows.length;
    },
  };
}

interface StateRow {
  scraped_at_ms: number;
  snapshot: string | null;
}

const STATE = "state of a tracked page";

/**
 * Returns the text of a state: JSON, and behind it, on a line of its own, a long markdown, which is then neither escaped
 * nor parsed. Half of a surrogate pair can only be stored in JSON.
 */
function toText(snapshot: PageSnapshot): string {
  const { markdown } = snapshot;
  if (markdown.length <= MAX_JSON_CHARS || !markdown.isWellFormed()) return JSON.stringify(snapshot);
  return `${JSON.stringify({ ...snapshot, markdown: "" })}\n${markdown}`;
}

function fromText(text: string): PageSnapshot {
  // There is no line end in the JSON.
  const end = text.indexOf("\n");
  if (end === -1) return readStored(PageSnapshot, text, STATE);
  const snapshot = checkStored(PageSnapshot, parseStored(text.slice(0, end), STATE), STATE);
  return { ...snapshot, markdown: text.slice(end + 1) };
}

function nameOf({ teamId, url, tag }: TrackedPage): Promise<string> {
  return sha256Hex(JSON.stringify([teamId, url, tag]));
}
