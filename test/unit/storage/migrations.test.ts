import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dataFolder } from "../../data-folder.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { UNUSED_TABLES } from "../../../src/storage/unused-tables.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";

const migrations = dataFolder("migrations");
const names = migrations.names();

test("migrations are numbered without a gap, and the first is the whole schema", () => {
  expect(names[0]).toBe("0001_schema.sql");
  expect(names.map((name) => name.slice(0, 5))).toEqual(
    names.map((_, index) => `${String(index + 1).padStart(4, "0")}_`),
  );
  for (const name of names) expect(name).toMatch(/^\d{4}_[a-z0-9_]+\.sql$/);
});

test("statements that insert into a table of the schema name its columns: the next release may add one before this one ends", async () => {
  const { results } = await nodeD1().prepare("SELECT name FROM sqlite_master WHERE type = 'table'").run();
  const tables = new Set(results.map(({ name }) => String(name)));
  const source = join(PROJECT_ROOT, "src");
  const found = globSync("**/*.ts", { cwd: source }).flatMap((file) => {
    const inserts = readFileSync(join(source, file), "utf8").matchAll(/\bINTO\s+(\w+)\s+(?:VALUES|SELECT)\b/g);
    return [...inserts].map(([, table = ""]) => ({ file, table }));
  });
  expect(found.filter(({ table }) => tables.has(table))).toEqual([]);
});

/** Small tables and indexes of earlier releases that a migration may drop; the large ones of `UNUSED_TABLES` are left to upkeep. */
const DROPPED = [
  "TABLE IF EXISTS indexed_teams",
  "INDEX IF EXISTS scrapes_by_target",
  "INDEX IF EXISTS cached_pages_by_body",
];

test("the schema has no table that nothing reads", async () => {
  const { results } = await nodeD1().prepare("SELECT name FROM sqlite_master WHERE type = 'table'").run();
  const tables = results.map(({ name }) => name);
  expect(tables).toContain("jobs");
  for (const unused of [...UNUSED_TABLES, "indexed_teams"]) expect(tables).not.toContain(unused);
});

test.each(names)("%s only adds to the schema, or drops what is small and nothing reads", (name) => {
  const statements = migrations
    .text(name)
    .replaceAll(/--.*$/gm, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) {
    if (DROPPED.some((what) => statement === `DROP ${what}`)) continue;
    expect(statement).toMatch(/^(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX|VIRTUAL TABLE)|ALTER TABLE \w+ ADD COLUMN)\b/);
  }
});

test.each([
  ["idempotency_keys", "created_at_ms"],
  ["uploads", "created_at_ms"],
  ["dead_letters", "arrived_at_ms"],
  ["feedback", "created_at_ms"],
  ["jobs", "expires_at_ms", "expiry"],
  ["failed_webhooks", "expires_at_ms", "expiry"],
])("%s that are too old are found by their age", async (table, time, by = "age") => {
  const plan = nodeD1().prepare(`EXPLAIN QUERY PLAN SELECT 1 FROM ${table} WHERE ${time} < 1 LIMIT 1000`);
  const { results } = await plan.run<{ detail: string }>();
  expect(results[0]?.detail).toContain(`${table}_by_${by}`);
});
