import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

test("the schedule by which the Worker knows the turn of monitors and jobs is one that wrangler.toml sets", () => {
  const configured = /^crons = \[(.*)\]$/m.exec(read("wrangler.toml"))?.[1] ?? "";
  const known = /^const FREQUENT_CRON = (".*");$/m.exec(read("src/worker.ts"))?.[1];
  expect(known).toBeDefined();
  expect(configured.split(", ")).toContain(known);
});
