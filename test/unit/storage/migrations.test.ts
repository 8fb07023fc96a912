import { expect, test } from "vitest";
import { dataFolder } from "../../data-folder.ts";

const migrations = dataFolder("migrations");
const names = migrations.names();

test("migrations are numbered without a gap, and the first is the whole schema", () => {
  expect(names[0]).toBe("0001_schema.sql");
  expect(names.map((name) => name.slice(0, 5))).toEqual(
    names.map((_, index) => `${String(index + 1).padStart(4, "0")}_`),
  );
  for (const name of names) expect(name).toMatch(/^\d{4}_[a-z0-9_]+\.sql$/);
});

test.each(names)("%s only adds to the schema", (name) => {
  const statements = migrations
    .text(name)
    .replaceAll(/--.*$/gm, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) {
    expect(statement).toMatch(/^(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX|VIRTUAL TABLE)|ALTER TABLE \w+ ADD COLUMN)\b/);
  }
});
