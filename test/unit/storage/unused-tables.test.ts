import { expect, test } from "vitest";
import { createUnusedTables, UNUSED_TABLES } from "../../../src/storage/unused-tables.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";

/** The tables as earlier releases have made them. */
const EARLIER = [
  "CREATE TABLE scrapes (id TEXT PRIMARY KEY, document TEXT) WITHOUT ROWID",
  `CREATE TABLE cached_pages (url_hash TEXT NOT NULL, screenshot TEXT NOT NULL, wait_for_ms INTEGER NOT NULL, page TEXT,
     PRIMARY KEY (url_hash, screenshot, wait_for_ms)) WITHOUT ROWID`,
  "CREATE TABLE indexed_pages (id INTEGER PRIMARY KEY, url TEXT NOT NULL, body TEXT NOT NULL)",
  "CREATE VIRTUAL TABLE page_words USING fts5 (title, body, content = '', contentless_delete = 1)",
];

/** A database in which every earlier table has so many rows, and the statements that ran in it. */
async function earlierDatabase(rows: number) {
  const db = nodeD1();
  for (const statement of EARLIER) await db.prepare(statement).run();
  for (let id = 1; id <= rows; id++) {
    await db.prepare("INSERT INTO scrapes VALUES (?, 'text')").bind(`scrape ${id}`).run();
    await db.prepare("INSERT INTO cached_pages VALUES ('hash', '', ?, 'page')").bind(id).run();
    await db.prepare("INSERT INTO indexed_pages VALUES (?, 'url', 'body')").bind(id).run();
    await db.prepare("INSERT INTO page_words (rowid, title, body) VALUES (?, 'title', 'body')").bind(id).run();
  }
  const deleted: number[] = [];
  const run = (query: string, values: unknown[] = []) => ({
    bind: (...bound: unknown[]) => run(query, bound),
    run: async () => {
      const result = await db
        .prepare(query)
        .bind(...values)
        .run();
      if (query.startsWith("DELETE")) deleted.push(result.meta.changes);
      return result;
    },
  });
  return { db, deleted, watched: { prepare: (query: string) => run(query) } as unknown as D1Database };
}

async function tablesOf(db: D1Database): Promise<string[]> {
  const { results } = await db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").run<{ name: string }>();
  return results.map(({ name }) => name);
}

test("tables of earlier releases are emptied in small steps, and then dropped", async () => {
  const { db, deleted, watched } = await earlierDatabase(250);
  const { purge } = createUnusedTables(watched);
  expect(await purge(200)).toBe(true);
  expect(await tablesOf(db)).toContain("indexed_pages");
  let calls = 1;
  while (await purge(200)) calls++;
  expect(calls).toBe(3);
  expect(Math.max(...deleted)).toBe(100);
  expect(deleted.reduce((sum, rows) => sum + rows, 0)).toBe(750);
  const tables = await tablesOf(db);
  for (const table of UNUSED_TABLES) expect(tables).not.toContain(table);
  expect(tables).toContain("jobs");
});

test("where there are no such tables, nothing is deleted", async () => {
  const db = nodeD1();
  const before = await tablesOf(db);
  expect(await createUnusedTables(db).purge(1000)).toBe(false);
  expect(await tablesOf(db)).toEqual(before);
});
