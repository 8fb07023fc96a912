import { expect, test } from "vitest";
import { NO_COUNTS } from "../../../../../src/core/account/meter.ts";
import type { DocumentRun } from "../../../../../src/ports/crawl/frontier.ts";
import type { Deps } from "../../../../../src/services/deps.ts";
import { createIdempotencyKeys } from "../../../../../src/storage/jobs/idempotency-keys.ts";
import { createJobStore } from "../../../../../src/storage/jobs/jobs.ts";
import { given } from "../../../../fakes/given.ts";
import { fixedClock } from "../../../../fakes/fixed-clock.ts";
import { memoryBlobs } from "../../../../fakes/memory/memory-blobs.ts";
import { memoryKeyLedger } from "../../../../fakes/memory/memory-key-ledger.ts";
import { nodeD1 } from "../../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../../fakes/services/test-app.ts";
import { ADMIN_KEY, testDeps } from "../../../../fakes/services/test-deps.ts";

const DAY_MS = 86_400_000;
const PROGRESS = {
  status: "scraping",
  createdAtMs: 0,
  expiresAtMs: 9_000_000_000_000,
  creditsUsed: 0,
  total: 1,
  limit: 10,
  completed: 0,
  failed: 0,
  pending: 1,
  skipped: 0,
  discovered: 1,
  pageTimes: { stepMs: 1_000, counts: [] },
  costs: NO_COUNTS,
  rowsWritten: 0,
  messagesSent: 0,
};

/** A service whose stores note when a call begins and ends; a call ends after everything that began with it. */
function service() {
  const clock = fixedClock();
  const db = nodeD1();
  const calls: string[] = [];
  const noted = async <Result>(name: string, call: () => Promise<Result>): Promise<Result> => {
    calls.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    calls.push(`${name} ends`);
    return await call();
  };
  const jobs = createJobStore(db);
  const ledger = memoryKeyLedger(clock);
  const found = { runs: [] as DocumentRun[], count: 0 };
  const deps = testDeps({
    clock,
    blobs: memoryBlobs(),
    idempotencyKeys: createIdempotencyKeys(db),
    jobs: { ...jobs, find: (id) => noted("record", () => jobs.find(id)) },
    keyLedger: { ...ledger, admit: (...args) => noted("ledger", () => ledger.admit(...args)) },
    frontiers: {
      start: async () => "started",
      documents: () => noted("object", async () => ({ progress: PROGRESS, ...found })),
    } as unknown as Deps["frontiers"],
  });
  const app = testApp(deps);
  const statusOf = async (id: string, key?: string): Promise<{ status: number; calls: string[] }> => {
    calls.length = 0;
    const response = await app.ask(`/v2/crawl/${id}`, key === undefined ? {} : { key });
    await response.text();
    return { status: response.status, calls: [...calls] };
  };
  return { app, statusOf, jobs, clock, found };
}

test("the status of a job asks the far stores at once, and the object only of a job that is known to exist", async () => {
  const { app, statusOf } = service();
  const { id } = (await (await app.post("/v2/crawl", { url: "https://a.example/" })).json()) as { id: string };
  const first = await statusOf(id);
  expect(first.status).toBe(200);
  expect(first.calls.slice(0, 2).toSorted()).toEqual(["ledger begins", "record begins"]);
  expect(first.calls.slice(-2)).toEqual(["object begins", "object ends"]);
  const again = await statusOf(id);
  expect(again.status).toBe(200);
  expect(again.calls.slice(0, 3).toSorted()).toEqual(["ledger begins", "object begins", "record begins"]);

  const made = await app.post("/v2/team/keys", { name: "other", teamId: crypto.randomUUID() }, { key: ADMIN_KEY });
  const { key } = ((await made.json()) as { data: { key: string } }).data;
  for (const [asked, by] of [[crypto.randomUUID(), undefined], [id, key]] as const) {
    const foreign = await statusOf(asked, by);
    expect(foreign.status).toBe(404);
    expect(foreign.calls).not.toContain("object begins");
  }
}); // prettier-ignore

test("a job is not found once its documents are deleted, and once a shortened retention is over", async () => {
  const { app, statusOf, jobs, clock, found } = service();
  const { id } = (await (await app.post("/v2/crawl", { url: "https://a.example/" })).json()) as { id: string };
  Object.assign(found, {
    runs: [{ object: "results/2026-11-20/gone", documents: [{ offset: 0, length: 2 }] }],
    count: 1,
  });
  for (let isKnown = 0; isKnown < 2; isKnown++) expect((await statusOf(id)).status).toBe(404);
  Object.assign(found, { runs: [], count: 0 });
  expect((await statusOf(id)).status).toBe(200);
  const job = given(await jobs.find(id));
  const [running, ended] = [crypto.randomUUID(), crypto.randomUUID()];
  const longer = { ...job, expiresAtMs: clock.now() + 30 * DAY_MS };
  await jobs.insert({ ...longer, id: running, status: "scraping" });
  await jobs.insert({ ...longer, id: ended, status: "completed" });
  expect((await statusOf(ended)).status).toBe(200);
  clock.advance(2 * DAY_MS);
  expect([(await statusOf(running)).status, (await statusOf(ended)).status]).toEqual([200, 404]);
});
