import { expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { runJobBatch } from "../../../../src/services/crawl/run-job-batch.ts";
import { runStepJob } from "../../../../src/services/jobs/run-step-job.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const UNREADABLE = [
  { why: "is no JSON", specification: "{" },
  { why: "has another form", specification: JSON.stringify({ version: 99, kind: "llmstxt" }) },
];

/** A deployment with one job, whose specification is stored as this text; `calls` lists what was done about it. */
function deploymentOf(open: () => Promise<unknown>, { hasRecord = true } = {}) {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    async (...given: unknown[]) =>
      void calls.push([name, ...given]);
  const engine = { open, end: note("end"), fail: note("fail"), leave: note("leave"), work: note("work") } as never;
  const deps: Deps = testDeps({
    clock: fixedClock(1_000),
    frontiers: engine,
    stepJobs: engine,
    jobs: {
      find: async () => (hasRecord ? { id: "job", keyId: "key" } : undefined),
      setStatus: note("status"),
    } as never,
    keyLedger: { releaseSlot: note("slot") } as never,
    monitors: { failCheck: note("check") } as never,
    log: () => undefined,
  });
  return { deps, calls };
}

test.each(UNREADABLE)(
  "a step job whose specification $why fails with the reason, and gives its slot back",
  async (stored) => {
    const { deps, calls } = deploymentOf(async () => ({ ...stored, status: "scraping" }));
    await runStepJob(deps, { jobId: "job", runId: "run" });
    expect(calls.map(([name]) => name)).toEqual(["end", "leave", "status", "slot"]);
    expect(calls[0]).toMatchObject([
      "end",
      "job",
      { status: "failed", error: expect.stringContaining("STORED_STATE_UNREADABLE") },
    ]);
    expect(calls[1]).toEqual(["leave", "job", "run", { isClosed: true }]);
    expect(calls[2]).toEqual(["status", "job", "failed", 1_000]);
    expect(calls[3]).toEqual(["slot", "key", "job"]);
  },
);

test.each(UNREADABLE)(
  "a crawl whose specification $why fails with the reason, and gives its slot back",
  async (stored) => {
    const { deps, calls } = deploymentOf(async () => ({ ...stored, status: "scraping" }));
    await runJobBatch(deps, { jobId: "job", messageId: "message" });
    expect(calls[0]).toEqual(["fail", "job", expect.stringContaining("STORED_STATE_UNREADABLE")]);
    expect(calls).toContainEqual(["status", "job", "failed", 1_000]);
    expect(calls).toContainEqual(["slot", "key", "job"]);
  },
);

test("a check of a monitor, which has no record of a job, fails in its own record", async () => {
  const { deps, calls } = deploymentOf(async () => ({ specification: "{", status: "scraping" }), { hasRecord: false });
  await runStepJob(deps, { jobId: "check", runId: "run" });
  expect(calls.at(-1)).toEqual(["check", "check", expect.stringContaining("STORED_STATE_UNREADABLE"), 1_000]);
});

test("the record fails also when the job's object cannot be ended", async () => {
  const broken = async () => {
    throw new AppError("STORED_STATE_UNREADABLE", "A stored job cannot be read");
  };
  const { deps, calls } = deploymentOf(broken);
  const stepJobs = { ...deps.stepJobs, end: broken };
  await runStepJob({ ...deps, stepJobs }, { jobId: "job", runId: "run" });
  expect(calls.map(([name]) => name)).toEqual(["status", "slot"]);
});

test("another error does not end a job", async () => {
  const { deps, calls } = deploymentOf(async () => {
    throw new Error("The object is not reachable");
  });
  await expect(runStepJob(deps, { jobId: "job", runId: "run" })).rejects.toThrow("not reachable");
  expect(calls).toEqual([]);
});
