import { expect, test } from "vitest";
import { NO_COUNTS } from "../../../../src/core/account/meter.ts";
import type { NewFrontier } from "../../../../src/ports/crawl/frontier.ts";
import type { CrawlFrontier } from "../../../../src/platform/crawl/crawl-frontier.ts";
import { createFrontiers } from "../../../../src/platform/crawl/crawl-frontier-port.ts";

/** Frontiers whose objects return these values. */
function frontiersOf(answers: Record<string, unknown>) {
  const stub = Object.fromEntries(Object.entries(answers).map(([method, answer]) => [method, async () => answer]));
  // The port uses no more of a namespace than this.
  return createFrontiers({ getByName: () => stub } as unknown as DurableObjectNamespace<CrawlFrontier>);
}

const FRONTIER = { config: {}, specification: "", seeds: [] } as unknown as NewFrontier;
const PAGE = { skip: 0, limit: 10, maxBytes: 1000 };

test.each([
  { answer: true, start: "started", append: "appended" },
  { answer: false, start: "no_slot", append: "ended" },
  { answer: "no_credits", start: "no_credits", append: "no_credits" },
  { answer: "no_slot", start: "no_slot", append: "no_slot" },
])("an object that returns $answer has $start or $append", async ({ answer, start, append }) => {
  const frontiers = frontiersOf({ start: answer, append: answer });
  expect(await frontiers.start("job", FRONTIER)).toBe(start);
  expect(await frontiers.append("job", { urls: [], appendId: "1" })).toBe(append);
});

test.each([
  { of: "an earlier version", progress: { status: "scraping", completed: 7 }, documents: 7 },
  { of: "this version", progress: { status: "scraping", completed: 7, documents: 0 }, documents: 0 },
])("the progress of an object of $of names the number of documents", async ({ progress, documents }) => {
  const frontiers = frontiersOf({
    progress,
    settle: progress,
    documents: { progress, runs: [], count: 0 },
  });
  const expected = { status: "scraping", completed: 7, documents };
  expect(await frontiers.progress("job")).toEqual(expected);
  expect(await frontiers.settle("job", NO_COUNTS)).toEqual(expected);
  expect(await frontiers.documents("job", PAGE)).toEqual({ progress: expected, runs: [], count: 0 });
});

test("a cancellation whose answer is lost is not repeated, which would find the job cancelled", async () => {
  let calls = 0;
  const cancel = async () => {
    calls++;
    throw new Error("Network connection lost.");
  };
  const stub = { cancel };
  const frontiers = createFrontiers({ getByName: () => stub } as unknown as DurableObjectNamespace<CrawlFrontier>);
  await expect(frontiers.cancel("job")).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  expect(calls).toBe(1);
});

test("a job that does not exist has no progress and no documents", async () => {
  const frontiers = frontiersOf({ progress: undefined, settle: undefined, documents: undefined });
  expect(await frontiers.progress("job")).toBeUndefined();
  expect(await frontiers.settle("job", NO_COUNTS)).toBeUndefined();
  expect(await frontiers.documents("job", PAGE)).toBeUndefined();
});
