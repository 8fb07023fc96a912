import { expect, test } from "vitest";
import { WorkBudget } from "../../../src/core/work-budget.ts";

test("a budget takes steps up to its limit, and refuses every one after it", () => {
  const budget = new WorkBudget({ steps: 10 });
  expect(budget.take(10)).toBe(true);
  expect(budget.isSpent).toBe(false);
  expect(budget.take()).toBe(false);
  expect(budget.take()).toBe(false);
  expect(budget.isSpent).toBe(true);
});

test("a reader that cannot answer in part gets a typed error", () => {
  const budget = new WorkBudget({ steps: 1, bytes: 5 });
  budget.spend();
  expect(() => budget.spend()).toThrow(expect.objectContaining({ code: "SCRAPE_WORK_LIMIT" }));
  budget.spendBytes(5);
  expect(() => budget.spendBytes(1)).toThrow(expect.objectContaining({ code: "SCRAPE_WORK_LIMIT" }));
});

test("a part's work counts for the whole, and ends with either limit", () => {
  const whole = new WorkBudget({ steps: 10, bytes: 10 });
  const part = whole.within({ steps: 4 });
  expect([part.take(4), part.take()]).toEqual([true, false]);
  expect(whole.isSpent).toBe(false);
  const other = whole.within({ steps: 100 });
  expect([other.take(6), other.take()]).toEqual([true, false]);
  expect(other.takeBytes(11)).toBe(false);
  expect(whole.bytes).toBe(11);
});

test.each([-1, -0.5, Number.NaN])("a budget gives nothing back: %s counts as one", (number) => {
  const budget = new WorkBudget();
  budget.take(5);
  budget.takeBytes(5);
  for (const give of ["take", "spend", "takeBytes", "spendBytes"] as const) {
    budget[give](number);
  }
  expect([budget.steps, budget.bytes]).toEqual([7, 7]);
});

test("a deadline ends the work within 4,096 steps", () => {
  let nowMs = 0;
  const budget = new WorkBudget({ deadline: { atMs: 100, now: () => nowMs } });
  expect(budget.take(5_000)).toBe(true);
  nowMs = 100;
  expect(budget.take()).toBe(true);
  expect(budget.take(4_096)).toBe(false);
  expect(budget.isSpent).toBe(true);
});

test("the warning names what was cut, each part once, whichever part's budget it was cut in", () => {
  const whole = new WorkBudget();
  expect(whole.warning).toBeUndefined();
  whole.within({ steps: 1 }).cut("structured data");
  whole.cut("links");
  whole.cut("links");
  expect(whole.warning).toMatch(/incomplete: structured data, links\.$/);
});

test("a budget that joins another one brings its work and its incomplete parts, and those that follow", () => {
  const [own, whole] = [new WorkBudget({ steps: 100 }), new WorkBudget()];
  own.take(40);
  own.cut("tables");
  own.joinTo(whole);
  own.take(10);
  own.cut("links");
  expect([whole.steps, whole.cutParts]).toEqual([50, ["tables", "links"]]);
  expect([own.take(51), whole.isSpent]).toEqual([false, false]);
});
