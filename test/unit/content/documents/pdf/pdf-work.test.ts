import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { PdfWork } from "../../../../../src/content/documents/pdf/pdf-work.ts";

test("steps for the search of a large file's objects are none for its text", () => {
  const work = new PdfWork(30_000_000, undefined);
  const opening = work.budget.left.steps;
  work.budget.spend(1_000);
  work.startPages();
  expect(opening).toBe(10_000_000);
  expect(work.budget.left.steps).toBe(5_000_000);
});

test("a search that takes more than its part leaves fewer steps for the text, and all count for the caller", () => {
  const caller = new WorkBudget();
  const work = new PdfWork(30_000_000, caller);
  work.budget.spend(7_000_000);
  work.startPages();
  expect(work.budget.left.steps).toBe(3_000_000);
  expect(work.budget.take(3_000_000)).toBe(true);
  expect(work.budget.take()).toBe(false);
  expect(caller.steps).toBe(10_000_000);
});
