import { expect, test } from "vitest";
import { compileRules } from "../../../../src/core/crawl/crawl-scope.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { SiteLinks } from "../../../../src/services/map/site-links.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { freeMemory } from "../../../fakes/free-memory.ts";

const START = "https://site.example/";

test("no page is matched with patterns after the deadline", () => {
  const clock = fixedClock();
  const rules = compileRules(START, { includePaths: ["x{900}"] });
  const budget = new WorkBudget({ steps: Infinity, deadline: { atMs: clock.now() + 1_000, now: clock.now } });
  const links = new SiteLinks({ rules, capacity: 10, folder: "", budget, memory: freeMemory() });
  expect(links.add({ url: `${START}1/${"x".repeat(900)}` }, START)).toBe(true);
  expect(links.isTurnDue()).toBe(true);
  expect(links.isTurnDue()).toBe(false);
  clock.advance(2_000);
  expect(links.add({ url: `${START}2/${"x".repeat(900)}` }, START)).toBe(false);
  expect(links.isTurnDue()).toBe(false);
});

test("long addresses fill a map before its number of pages does", () => {
  const budget = new WorkBudget({ steps: Infinity });
  const links = new SiteLinks({
    rules: compileRules(START, {}),
    capacity: 100_000,
    folder: "",
    budget,
    memory: freeMemory(),
  });
  for (let page = 0; page < 9_000; page++)
    links.add({ url: `${START}${page}/`.padEnd(1_900, "x"), title: "x".repeat(100) }, START);
  expect(links.size).toBe(8_000);
  expect([links.isLarge, links.isFull]).toEqual([true, true]);
});

test("titles that come later count as well, and none is added when the map is full", () => {
  const budget = new WorkBudget({ steps: Infinity });
  const links = new SiteLinks({
    rules: compileRules(START, {}),
    capacity: 100_000,
    folder: "",
    budget,
    memory: freeMemory(),
  });
  const pages = Array.from({ length: 6_000 }, (_, page) => `${START}${page}`);
  for (const url of pages) links.add({ url }, START);
  expect(links.isLarge).toBe(false);
  for (const url of pages) links.add({ url, title: "x".repeat(4_000) }, START);
  expect(links.isLarge).toBe(true);
  const titles = links.all().reduce((sum, { title = "" }) => sum + title.length, 0);
  expect(titles).toBeGreaterThan(15_000_000);
  expect(titles).toBeLessThan(16_010_000);
});
