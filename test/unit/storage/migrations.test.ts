import { expect, test } from "vitest";
import { dataFolder } from "../../data-folder.ts";
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

/** Tables that no code reads or writes. */
const UNUSED = ["scrapes", "cached_pages", "page_words", "indexed_pages", "indexed_teams"];

test("the schema has no table that nothing reads", async () => {
  const { results } = await nodeD1().prepare("SELECT name FROM sqlite_master WHERE type = 'table'").run();
  const tables = results.map(({ name }) => name);
  expect(tables).toContain("jobs");
  for (const unused of UNUSED) expect(tables).not.toContain(unused);
});

test.each(names)("%s only adds to the schema, or drops what nothing reads", (name) => {
  const statements = migrations
    .text(name)
    .replaceAll(/--.*$/gm, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) {
    if (UNUSED.some((table) => statement === `DROP TABLE IF EXISTS ${table}`)) continue;
    expect(statement).toMatch(/^(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX|VIRTUAL TABLE)|ALTER TABLE \w+ ADD COLUMN)\b/);
  }
});
