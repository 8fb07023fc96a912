import { checkStored, parseStored, readStored } from "../../core/stored-state.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { DatabaseRoom } from "../../ports/storage/database-room.ts";
import { type ChangeHistory, PageSnapshot, type TrackedPage } from "../../ports/storage/change-history.ts";
import { packTextInTurns, toPacked, unpackTextInTurns } from "./packing.ts";

/** Maximum length of states stored in the row; longer ones are objects: D1 limits rows to 2 MB. */
const MAX_INLINE_CHARS = 100_000;
/** The same while the database is nearly full. */
const MAX_INLINE_CHARS_OF_FULL = 200;
/** Maximum number of objects deleted at a time: each takes one call, and calls per request are limited. */
const OBJECTS_AT_A_TIME = 100;

const blobKey = (page: string) => `history/${page}.json`;

/**
 * Creates the change history: one row per tracked page; long texts are in R2 under the page's key, written first and
 * compressed. Earlier versions wrote them as they are.
 */
export function createChangeHistory(
  db: D1Database,
  blobs: Blobs,
  room?: Pick<DatabaseRoom, "isNearlyFull">,
): ChangeHistory {
  async function remove(pages: string[]): Promise<void> {
    await db
      .prepare("DELETE FROM change_history WHERE page IN (SELECT value FROM json_each(?))")
      .bind(JSON.stringify(pages))
      .run();
  }

  async function longState(page: string): Promise<string | undefined> {
    const blob = await blobs.get(blobKey(page));
    return blob && (await unpackTextInTurns(toPacked(blob.bytes)));
  }

  return {
    async find(tracked) {
      const page = await nameOf(tracked);
      const result = await db
        .withSession("first-primary")
        .prepare("SELECT snapshot FROM change_history WHERE page = ?")
        .bind(page)
        .run<{ snapshot: string | null }>();
      const row = result.results[0];
      if (row === undefined) return undefined;
      const text = row.snapshot ?? (await longState(page));
      return text === undefined ? undefined : fromText(text);
    },

    async save(tracked, snapshot) {
      const page = await nameOf(tracked);
      const text = toText(snapshot);
      const isInline = text.length <= (room?.isNearlyFull === true ? MAX_INLINE_CHARS_OF_FULL : MAX_INLINE_CHARS);
      if (!isInline) await blobs.put(blobKey(page), await packTextInTurns(text));
      const [before] = await db.batch<{ is_object: number }>([
        db.prepare("SELECT snapshot IS NULL AS is_object FROM change_history WHERE page = ?").bind(page),
        db
          .prepare("INSERT OR REPLACE INTO change_history VALUES (?, ?, ?)")
          .bind(page, snapshot.scrapedAtMs, isInline ? text : null),
      ]);
      // The purge deletes objects of rows without text only.
      if (isInline && before?.results[0]?.is_object === 1) await blobs.deletePrefix(blobKey(page));
    },

    async purge(scrapedBeforeMs, limit) {
      const result = await db
        .prepare("SELECT page, snapshot IS NULL AS is_object FROM change_history WHERE scraped_at_ms < ? LIMIT ?")
        .bind(scrapedBeforeMs, limit)
        .run<{ page: string; is_object: number }>();
      const objects = result.results.filter(({ is_object }) => is_object === 1);
      const now = objects.slice(0, OBJECTS_AT_A_TIME);
      for (const { page } of now) await blobs.deletePrefix(blobKey(page));
      const rows = [...result.results.filter(({ is_object }) => is_object === 0), ...now];
      if (rows.length > 0) await remove(rows.map(({ page }) => page));
      return objects.length > now.length ? limit : rows.length;
    },
  };
}

const STATE = "state of a tracked page";

/**
 * Returns the text of a state: JSON, and behind it, on a line of its own, a long markdown, which is then neither escaped
 * nor parsed. Half of a surrogate pair can only be stored in JSON.
 */
function toText(snapshot: PageSnapshot): string {
  const { markdown } = snapshot;
  if (markdown.length <= MAX_INLINE_CHARS || !markdown.isWellFormed()) return JSON.stringify(snapshot);
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
