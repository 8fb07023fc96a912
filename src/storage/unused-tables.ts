import type { UnusedTables } from "../ports/storage/unused-tables.ts";

/** Names of tables without a reader, in the order in which they are dropped. */
export const UNUSED_TABLES = ["page_words", "indexed_pages", "cached_pages", "scrapes"] as const;

/**
 * Keys of tables that are emptied before they are dropped: dropping one takes as long as reading all of it, and a statement of
 * D1 has 30 seconds. The words of the index are dropped as they are. They are a small part of the texts, and deleting their
 * rows takes far longer: the index is merged meanwhile, for seconds in one statement.
 */
const KEYS: Readonly<Partial<Record<(typeof UNUSED_TABLES)[number], string>>> = {
  indexed_pages: "id",
  cached_pages: "url_hash, screenshot, wait_for_ms",
  scrapes: "id",
};

/** Rows of a statement: with texts of 100,000 characters, some 10 MB. */
const ROWS_AT_A_TIME = 100;

/** Creates the removal of unused tables in D1. */
export function createUnusedTables(db: D1Database): UnusedTables {
  async function present(): Promise<string[]> {
    const query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (SELECT value FROM json_each(?))";
    const { results } = await db.prepare(query).bind(JSON.stringify(UNUSED_TABLES)).run<{ name: string }>();
    return results.map(({ name }) => name);
  }

  /** @returns the number of deleted rows. */
  async function deleteRows(table: string, key: string, limit: number): Promise<number> {
    const query = `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} LIMIT ?)`;
    const { meta } = await db.prepare(query).bind(limit).run();
    return meta.changes;
  }

  return {
    async purge(limit) {
      const tables = await present();
      let left = limit;
      for (const table of UNUSED_TABLES.filter((name) => tables.includes(name))) {
        for (let isEmpty = KEYS[table] === undefined; !isEmpty;) {
          const limited = Math.min(left, ROWS_AT_A_TIME);
          const deleted = await deleteRows(table, KEYS[table] ?? "", limited);
          left -= deleted;
          if (left <= 0) return true;
          isEmpty = deleted < limited;
        }
        await db.prepare(`DROP TABLE IF EXISTS ${table}`).run();
      }
      return false;
    },
  };
}
