import { expect, test } from "vitest";
import { dataFolder } from "../../data-folder.ts";

test("each migration has a number of its own, which says when it runs", () => {
  const names = dataFolder("migrations").names();
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(name).toMatch(/^\d{4}_[a-z0-9_]+\.sql$/);
  const numbers = names.map((name) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});
