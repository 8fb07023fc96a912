import { expect, test } from "vitest";
import { NO_COUNTS } from "../../../../src/core/account/meter.ts";
import { ESTIMATE_EXAMPLE } from "../../../../src/core/account/estimate.ts";
import { correctBrowserTime } from "../../../../src/services/estimate/browser-time.ts";
import { costOfPages } from "../../../../src/services/estimate/cost-of-pages.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";

interface Past {
  /** Browser time of a page in the job's sample, in ms; undefined without an estimate. */
  sampledMs?: number;
  pages: number;
  browserMs: number;
}

/** Earlier jobs of a team, newest first, and which of them were read to their progress. */
function earlier(jobs: readonly Past[]) {
  const read: number[] = [];
  const deps = {
    clock: fixedClock(),
    log: () => undefined,
    jobList: { list: async () => ({ jobs: jobs.map((_, id) => ({ id: String(id) })) }) },
    jobs: {
      find: async (id: string) => {
        const { sampledMs } = jobs[Number(id)] ?? {};
        const estimate = { ...ESTIMATE_EXAMPLE, sampledBrowserMs: sampledMs };
        return sampledMs === undefined ? {} : { estimateJson: JSON.stringify(estimate) };
      },
    },
    frontiers: {
      progress: async (id: string) => {
        read.push(Number(id));
        const { pages = 0, browserMs = 0 } = jobs[Number(id)] ?? {};
        return { completed: pages, creditsUsed: pages, costs: { ...NO_COUNTS, pages, browserMs } };
      },
    },
  } as unknown as Deps;
  return { deps, read };
}

const RATES = { credits: 1, bytes: 0, browserMs: 2_000 };

test("the browser time of a sample is corrected by how much longer the pages of earlier jobs took than their samples", async () => {
  const { deps, read } = earlier([
    { pages: 10, browserMs: 90_000 },
    { sampledMs: 3_000, pages: 10, browserMs: 75_000 },
    { sampledMs: 3_000, pages: 2, browserMs: 60_000 },
    { sampledMs: 1_000, pages: 20, browserMs: 60_000 },
    { sampledMs: 2_000, pages: 4, browserMs: 8_000 },
    { sampledMs: 2_000, pages: 4, browserMs: 80_000 },
  ]);
  const { rates, basis } = await correctBrowserTime(deps, "team", RATES);
  expect(rates.browserMs).toBe(5_000);
  expect(basis).toEqual([
    { source: "receipts", detail: "Browser time 2.5 times that of the sample, as in 3 earlier jobs with an estimate" },
  ]);
  expect(read).toEqual([1, 2, 3, 4]);
  const pages = { low: 10, expected: 10, high: 10 };
  expect(costOfPages(pages, rates).browserSeconds).toEqual({ low: 25, expected: 50, high: 100 });
});

test("without such a job, or without a browser, the rates stay as they are", async () => {
  const none = earlier([{ pages: 10, browserMs: 90_000 }]);
  expect(await correctBrowserTime(none.deps, "team", RATES)).toEqual({ rates: RATES, basis: [] });
  const some = earlier([{ sampledMs: 1_000, pages: 10, browserMs: 50_000 }]);
  const plain = { ...RATES, browserMs: 0 };
  expect(await correctBrowserTime(some.deps, "team", plain)).toEqual({ rates: plain, basis: [] });
  expect(some.read).toEqual([]);
});
