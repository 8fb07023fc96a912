import { expect, test } from "vitest";
import type { Deps } from "../../../../src/services/deps.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

test.each(["/v1/concurrency-check", "/v2/concurrency-check"])(
  "%s counts the pages that are being scraped, and other jobs once each",
  async (path) => {
    const active: Record<string, number | undefined> = { crawl: 3, batch: 2, done: undefined };
    const running = [
      { id: "crawl", kind: "crawl" },
      { id: "batch", kind: "batch_scrape" },
      { id: "done", kind: "crawl" },
      { id: "agent", kind: "agent" },
    ];
    const deps = testDeps({
      settings: { maxConcurrency: 7 },
      jobs: { listRunningOfKey: async () => running } as unknown as Deps["jobs"],
      frontiers: {
        progress: async (id: string) => (active[id] === undefined ? undefined : { active: active[id], pending: 40 }),
      } as unknown as Deps["frontiers"],
    });
    const response = await testApp(deps).ask(path);
    expect(await response.json()).toEqual({ success: true, concurrency: 6, maxConcurrency: 7 });
  },
);

test("the state of the queue counts the pages of running jobs, of which it reads the IDs alone", async () => {
  const idsOf: Record<string, string[]> = { crawl: ["crawl", "done"], batch_scrape: ["batch"] };
  const asked: [string, number][] = [];
  const deps = testDeps({
    jobs: {
      runningIds: async (_teamId: string, kind: string, { limit }: { limit: number }) => {
        asked.push([kind, limit]);
        return idsOf[kind] ?? [];
      },
    } as unknown as Deps["jobs"],
    frontiers: {
      progress: async (id: string) => (id === "done" ? undefined : { active: 2, pending: 40 }),
    } as unknown as Deps["frontiers"],
    deadLetters: { count: async () => 0 } as unknown as Deps["deadLetters"],
  });
  const response = await testApp(deps).ask("/v2/team/queue-status");
  expect(await response.json()).toMatchObject({ jobsInQueue: 80, activeJobsInQueue: 4, waitingJobsInQueue: 76 });
  expect(asked).toEqual([
    ["crawl", 100],
    ["batch_scrape", 100],
  ]);
});
