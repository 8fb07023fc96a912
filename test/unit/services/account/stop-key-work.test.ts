import { expect, test } from "vitest";
import type { ApiKey } from "../../../../src/core/account/api-key.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { sha256Hex } from "../../../../src/core/text/hash.ts";
import { toBootstrapRow } from "../../../../src/services/account/bootstrap-keys.ts";
import { stopKeyWork } from "../../../../src/services/account/stop-key-work.ts";
import { monitorKey } from "../../../../src/services/monitors/monitor-key.ts";
import { runJobBatch } from "../../../../src/services/crawl/run-job-batch.ts";
import { runStepJob } from "../../../../src/services/jobs/run-step-job.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryApiKeys } from "../../../fakes/memory/memory-api-keys.ts";
import { FIRST_KEY, testDeps } from "../../../fakes/services/test-deps.ts";

const SPECIFICATION = {
  apiVersion: "v2",
  scrapeDefaults: { timeoutMs: 1_000, maxAgeMs: 0 },
  publicOrigin: "https://service.example",
};

const KEY: ApiKey = {
  id: "key",
  teamId: "team",
  name: "key",
  prefix: "fc-123456",
  scopes: { admin: false },
  limits: {},
  monthlyCredits: undefined,
  maxConcurrency: undefined,
  createdAtMs: 0,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
};

/** A deployment whose jobs all belong to this key, which may have been revoked since they began. */
async function deploymentOf(key: Partial<ApiKey>, { keyHash = "hash", jobKey = KEY, settings = {} } = {}) {
  const keys = memoryApiKeys();
  await keys.insert({ ...KEY, ...key }, keyHash);
  const calls: string[] = [];
  const note = (name: string, answer?: unknown) => async () => (calls.push(name), answer);
  const specification = JSON.stringify({
    id: "job",
    key: jobKey,
    kind: "batch_scrape",
    createdAtMs: 0,
    scrapeOptions: {},
    ownHosts: [],
    ...SPECIFICATION,
    input: {},
  });
  const steps = JSON.stringify({
    id: "job",
    key: jobKey,
    kind: "llmstxt",
    createdAtMs: 0,
    ownHosts: [],
    ...SPECIFICATION,
    input: {},
    deadlineMs: 0,
  });
  const progress = { status: "cancelled", inFlight: 1, completed: 0, costs: {}, creditsUsed: 0 };
  const deps = testDeps({
    clock: fixedClock(1_000),
    keys,
    settings,
    frontiers: {
      open: async () => ({ specification, status: "scraping" }),
      cancel: note("cancel", "scraping"),
      work: async (_id: string, { isLeaving }: { isLeaving?: boolean }) => {
        if (isLeaving !== true) calls.push("work");
        return { status: "completed" };
      },
      progress: async () => progress,
    } as never,
    stepJobs: {
      open: async () => ({ specification: steps, status: "scraping" }),
      cancel: note("cancel", "scraping"),
      begin: note("begin", { kind: "over" }),
      report: async () => true,
      end: note("end"),
      leave: async () => undefined,
      progress: async () => ({ ...progress, costs: { pages: 0 } }),
    } as never,
    jobs: {
      setStatus: async () => undefined,
      insert: async () => undefined,
      find: async () => ({ id: "job" }),
    } as never,
  });
  return { deps, calls };
}

test.each([
  { why: "was revoked", key: { revokedAtMs: 500 } },
  { why: "has expired", key: { expiresAtMs: 1_000 } },
])("a run of a job whose key $why cancels the job and claims no page", async ({ key }) => {
  const { deps, calls } = await deploymentOf(key);
  await runJobBatch(deps, { jobId: "job", messageId: "message" });
  expect(calls).toEqual(["cancel"]);
});

test("a run of a job whose key is good works", async () => {
  const { deps, calls } = await deploymentOf({});
  await runJobBatch(deps, { jobId: "job", messageId: "message" });
  expect([...new Set(calls)]).toEqual(["work"]);
});

test("a run of a job of steps whose key was revoked begins no step", async () => {
  const { deps, calls } = await deploymentOf({ revokedAtMs: 500 });
  await runStepJob(deps, { jobId: "job", runId: "run" }).catch(() => undefined);
  expect(calls).toEqual(["cancel"]);
});

/** A deployment with work of its first key, whose settings then have another one. */
async function rotated(firstKey: string | undefined) {
  const keyHash = await sha256Hex(FIRST_KEY);
  const row = toBootstrapRow({ text: FIRST_KEY, name: "first key", scopes: { admin: false } }, keyHash, 0);
  return { row, ...(await deploymentOf(row, { keyHash, jobKey: row, settings: { firstKey } })) };
}

test.each([`fc-${"9".repeat(32)}`, undefined])(
  "a first key that the settings replace by %s stops its jobs and monitors",
  async (firstKey) => {
    const { deps, calls, row } = await rotated(firstKey);
    await runJobBatch(deps, { jobId: "job", messageId: "message" });
    await runStepJob(deps, { jobId: "job", runId: "run" }).catch(() => undefined);
    expect(calls).toEqual(["cancel", "cancel"]);
    expect(await monitorKey(deps, { keyId: row.id } as never)).toBeUndefined();
  },
);

test("a first key that the settings still have keeps its jobs and monitors", async () => {
  const { deps, calls, row } = await rotated(FIRST_KEY);
  await runJobBatch(deps, { jobId: "job", messageId: "message" });
  expect([...new Set(calls)]).toEqual(["work"]);
  expect(await monitorKey(deps, { keyId: row.id } as never)).toEqual(row);
});

test("a session whose close failed is closed by the second attempt, which does not wait for the claim of the first", async () => {
  const claims: unknown[] = [];
  let [closes, looks] = [0, 0];
  const deps = testDeps({
    jobs: { listRunningOfKey: async () => [] } as never,
    sessionStore: { activeOfKey: async () => ["00000000-03e8-7000-8000-000000000001"] } as never,
    browserSessions: {
      find: async (id: string) => ({ life: { id, teamId: "team", recordSession: false } }),
      claimEnd: async (_id: string, claimant?: string) =>
        claims.push(claimant) === 1 || (claimant !== undefined && claimant === claims[0]),
      close: async () => {
        if (++closes === 1) throw new Error("Network connection lost.");
        return { durationMs: 1, credits: 2, wasEnded: false };
      },
    } as never,
    sleep: async () => void looks++,
  });
  expect(await stopKeyWork(deps, KEY)).toEqual({ jobs: 0, pagesInFlight: 0, sessions: 1 });
  expect({ closes, looks }).toEqual({ closes: 2, looks: 0 });
});

test("work that does not stop is tried once more, and counted when it still runs", async () => {
  const ids = ["lost", "away", "ended"];
  const attempts: string[] = [];
  const cancel = async (id: string) => {
    const attempt = attempts.filter((each) => each === id).length;
    attempts.push(id);
    if (id === "ended") throw new AppError("JOB_ENDED");
    if (id === "away" || attempt === 0) throw new AppError("SERVICE_UNAVAILABLE");
    return "scraping";
  };
  const deps = testDeps({
    jobs: {
      listRunningOfKey: async () => ids.map((id) => ({ id, kind: "llmstxt" })),
      setStatus: async () => undefined,
    } as never,
    stepJobs: { cancel, progress: async () => ({ creditsHeld: 0 }) } as never,
    sessionStore: { activeOfKey: async () => [] } as never,
  });
  expect(await stopKeyWork(deps, KEY)).toEqual({ jobs: 1, pagesInFlight: 0, sessions: 0, failed: 1 });
  expect(attempts.toSorted()).toEqual(["away", "away", "ended", "lost", "lost"]);
});
