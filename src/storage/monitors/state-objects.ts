import { z } from "zod";
import { readReplaceable } from "../../core/stored-state.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { DatabaseRoom } from "../../ports/storage/database-room.ts";
import { packTextInTurns, toPacked, unpackTextInTurns } from "../scrape/packing.ts";
import type { MonitorDatabase, Statement, Value } from "./monitor-database.ts";

/** Maximum length of the text and data of a state in its row; longer ones are objects: all monitors share one database. */
const MAX_INLINE_CHARS = 100_000;
/** The same while the database is nearly full. */
const MAX_INLINE_CHARS_OF_FULL = 200;
/** Time after which an object without a state is deleted: longer than a run takes to store or to read one. */
export const UNUSED_MS = 3_600_000;

/** The text and the data of a state, the latter as JSON. */
const StateContent = z.object({ text: z.string(), extracted: z.string().nullable() });
type StateContent = z.infer<typeof StateContent>;

/** Columns of a state: its content, or the key of the object that has it. */
export interface ContentColumns extends StateContent {
  object_key: string | null;
}

export interface StateObjects {
  /** Returns the columns for a content; writes the object of a long one first. Until a state names it, it is to be deleted. */
  place(content: StateContent, key: string, nowMs: number): Promise<ContentColumns>;
  /** Returns a content; undefined when its object is gone or cannot be read: the page is then new. */
  read(columns: ContentColumns): Promise<StateContent | undefined>;
  /** Deletes objects without a state. @returns their number */
  purge(nowMs: number, limit: number): Promise<number>;
}

/**
 * Creates the store of contents that are too long for the rows of states. Each written content has a key of its own, and an
 * object without a state is always listed in `unused_state_objects`: from before it is written until the batch that stores
 * its state, and from the batch that replaces or deletes its state until it is deleted.
 */
export function createStateObjects(
  { rows, write }: MonitorDatabase,
  blobs: Blobs,
  room?: Pick<DatabaseRoom, "isNearlyFull">,
): StateObjects {
  return {
    async place(content, key, nowMs) {
      const chars = content.text.length + (content.extracted?.length ?? 0);
      const isInline = chars <= (room?.isNearlyFull === true ? MAX_INLINE_CHARS_OF_FULL : MAX_INLINE_CHARS);
      if (isInline) return { ...content, object_key: null };
      await write([
        "INSERT OR REPLACE INTO unused_state_objects (key, delete_at_ms) VALUES (?, ?)",
        [key, nowMs + UNUSED_MS],
      ]);
      await blobs.put(key, await packTextInTurns(JSON.stringify(content)));
      return { text: "", extracted: null, object_key: key };
    },
    async read({ text, extracted, object_key: key }) {
      if (key === null) return { text, extracted };
      const blob = await blobs.get(key);
      return blob && readReplaceable(StateContent, await unpackTextInTurns(toPacked(blob.bytes)));
    },
    async purge(nowMs, limit) {
      const query = "SELECT key FROM unused_state_objects WHERE delete_at_ms <= ? LIMIT ?";
      const keys = (await rows<{ key: string }>(query, nowMs, limit)).map(({ key }) => key);
      if (keys.length === 0) return 0;
      await blobs.delete(keys);
      const forget = "DELETE FROM unused_state_objects WHERE key IN (SELECT value FROM json_each(?))";
      await write([forget, [JSON.stringify(keys)]]);
      return keys.length;
    },
  };
}

/** Returns the key of the object for a state that is stored with the result of a page, whose id only this result has. */
export function stateKey(monitorId: string, pageId: string): string {
  return `monitor-states/${monitorId}/${pageId}`;
}

/** Returns the statement that lists the objects of some states, in the batch that then replaces or deletes these states. */
export function releaseObjects([condition, values]: Statement, deleteAtMs: number): Statement {
  return [
    `INSERT OR REPLACE INTO unused_state_objects (key, delete_at_ms)
       SELECT object_key, ? FROM monitor_states WHERE object_key IS NOT NULL AND ${condition}`,
    [deleteAtMs, ...values],
  ];
}

/** Returns the statement that lists an object no longer, in the batch that has stored its state if a condition holds. */
export function adoptObject(key: string, [condition, values]: Statement): Statement {
  const adopt: Value[] = [key, ...values];
  return [`DELETE FROM unused_state_objects WHERE key = ? AND ${condition}`, adopt];
}
