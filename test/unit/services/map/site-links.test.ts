import { expect, test } from "vitest";
import { compileRules } from "../../../../src/core/crawl/crawl-scope.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { SiteLinks } from "../../../../src/services/map/site-links.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";

const START = "https://site.example/";

test("no page is matched with patterns after the deadline", () => {
  const clock = fixedClock();
  const rules = compileRules(START, { includePaths: ["x{900}"] });
  const budget = new WorkBudget({ steps: Infinity, deadline: { atMs: clock.now() + 1_000, now: clock.now } });
  const links = new SiteLinks({ rules, capacity: 10, folder: "", budget });
  expect(links.add({ url: `${START}1/${"x".repeat(900)}` }, START)).toBe(true);
  expect(links.isTurnDue()).toBe(true);
  expect(links.isTurnDue()).toBe(false);
  clock.advance(2_000);
  expect(links.add({ url: `${START}2/${"x".repeat(900)}` }, START)).toBe(false);
  expect(links.isTurnDue()).toBe(false);
});
