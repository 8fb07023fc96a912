import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { NO_COUNTS } from "../../../src/core/account/meter.ts";
import { createStepJobs } from "../../../src/platform/jobs/step-job-port.ts";
import type { StepJobs } from "../../../src/ports/step-jobs.ts";

afterEach(() => vi.restoreAllMocks());

/** A job of the test's own. Its specification is none, so that the runs which it asks for come to nothing. */
async function newJob(expiresAtMs = Date.now() + 60_000): Promise<{ id: string; jobs: StepJobs }> {
  const id = crypto.randomUUID();
  const jobs = createStepJobs(env.STEP_JOB);
  const firstRunAtMs = Date.now() + 3_600_000;
  await jobs.start(id, { specification: "no job", events: ["completed"], maxCredits: 5, expiresAtMs, firstRunAtMs });
  return { id, jobs };
}

/** Returns the names of the tables that a job's object has made. */
async function tablesOf(id: string): Promise<unknown[]> {
  return await runInDurableObject(env.STEP_JOB.getByName(id), (_object, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );
}

describe("the object of a job of steps", () => {
  test("that runs longer than its results are kept goes on, and they are kept from its end", async () => {
    const { id, jobs } = await newJob();
    const startedAtMs = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(startedAtMs + 7_200_000);
    await jobs.begin(id, "mine", { key: "a", credits: 0 });
    await runDurableObjectAlarm(env.STEP_JOB.getByName(id));
    expect(await jobs.progress(id)).toMatchObject({ status: "scraping" });
    await jobs.end(id, { status: "completed", costs: NO_COUNTS });
    await jobs.leave(id, "mine", { isClosed: true });
    const expiresAtMs = (await jobs.progress(id))?.expiresAtMs ?? 0;
    expect(Math.abs(expiresAtMs - (startedAtMs + 7_260_000))).toBeLessThan(5_000);
    vi.spyOn(Date, "now").mockReturnValue(expiresAtMs - 1);
    await runDurableObjectAlarm(env.STEP_JOB.getByName(id));
    expect(await jobs.progress(id)).toMatchObject({ status: "completed" });
    vi.spyOn(Date, "now").mockReturnValue(expiresAtMs);
    await runDurableObjectAlarm(env.STEP_JOB.getByName(id));
    expect(await jobs.progress(id)).toBeUndefined();
  });

  test("that expires before its end is recorded charges what it has cost, and releases its other credits and its slot", async () => {
    const [id, keyId] = [crypto.randomUUID(), crypto.randomUUID()];
    const ledger = env.KEY_LEDGER.getByName(keyId);
    const jobs = createStepJobs(env.STEP_JOB);
    const expiresAtMs = Date.now() + 60_000;
    const firstRunAtMs = Date.now() + 3_600_000;
    const payer = { keyId, slot: { limit: 1, leaseMs: 3_600_000 } };
    const createdAtMs = Date.UTC(2026, 10, 20);
    const specification = JSON.stringify({ kind: "agent", createdAtMs, record: { target: "https://a.example/" } });
    await jobs.start(id, { specification, events: [], maxCredits: 9, expiresAtMs, firstRunAtMs, payer });
    await evictDurableObject(env.STEP_JOB.getByName(id));
    await jobs.begin(id, "mine", { key: "a", credits: 2 });
    await jobs.finish(id, "mine", { key: "a", credits: 2, result: { text: "1" } });
    await jobs.begin(id, "mine", { key: "b", credits: 5 });
    await ledger.chargeJob({ jobId: id, settled: 2, reserve: 5, unit: undefined, charged: 0, monthlyCredits: 100 });
    const slot = { jobId: "next", limit: 1, leaseMs: 60_000 };
    expect(await ledger.takeSlot(slot)).toBe(false);
    await jobs.end(id, { status: "failed", costs: NO_COUNTS });
    vi.spyOn(Date, "now").mockReturnValue(expiresAtMs + 1);
    await runDurableObjectAlarm(env.STEP_JOB.getByName(id));
    expect(await jobs.progress(id)).toBeUndefined();
    expect(await ledger.usage()).toMatchObject({ creditsUsed: 2 });
    const recorded = await ledger.usageDays("2026-11-20", "2026-11-20");
    expect(recorded).toMatchObject([{ endpoint: "agent", totals: { errors: 1, receipt: { credits: 2 } } }]);
    expect(await ledger.takeSlot(slot)).toBe(true);
  });

  test("that is deleted while its run works is there until the run has released its credits and its slot", async () => {
    const [id, keyId] = [crypto.randomUUID(), crypto.randomUUID()];
    const jobs = createStepJobs(env.STEP_JOB);
    const firstRunAtMs = Date.now() + 3_600_000;
    const payer = { keyId, slot: { limit: 1, leaseMs: 3_600_000 } };
    const expiresAtMs = firstRunAtMs * 2;
    await jobs.start(id, { specification: "no job", events: [], maxCredits: 9, expiresAtMs, firstRunAtMs, payer });
    await evictDurableObject(env.STEP_JOB.getByName(id));
    await jobs.begin(id, "mine", { key: "a", credits: 5 });
    await jobs.cancel(id);
    await jobs.forget(id);
    await evictDurableObject(env.STEP_JOB.getByName(id));
    await jobs.finish(id, "mine", { key: "a", credits: 2, result: { text: "1" } });
    expect(await jobs.settle(id)).toMatchObject({ status: "cancelled", creditsUsed: 2, creditsHeld: 0 });
    await jobs.leave(id, "mine", { isClosed: true });
    expect(await tablesOf(id)).toEqual([]);
  });

  test.each(["before", "after"])(
    "that is deleted %s its end was recorded is there until its last event is sent",
    async (moment) => {
      const [id, keyId, startedAtMs] = [crypto.randomUUID(), crypto.randomUUID(), Date.now()];
      const jobs = createStepJobs(env.STEP_JOB);
      const firstRunAtMs = startedAtMs + 3_600_000;
      const job = { specification: "no job", maxCredits: 9, expiresAtMs: firstRunAtMs * 2, firstRunAtMs };
      await jobs.start(id, { ...job, events: ["cancelled"], payer: { keyId, slot: { limit: 1, leaseMs: 3_600_000 } } });
      await jobs.cancel(id);
      if (moment === "before") await jobs.forget(id);
      const [first] = await jobs.takeEvents(id, 10);
      if (first === undefined) throw new Error("No event");
      await jobs.noteSent(id, [{ ...first, kind: "failed" }]);
      await jobs.leave(id, "mine", { isClosed: true });
      if (moment === "after") await jobs.forget(id);
      await evictDurableObject(env.STEP_JOB.getByName(id));
      vi.spyOn(Date, "now").mockReturnValue(startedAtMs + 120_000);
      expect(await jobs.open(id, "next")).toMatchObject({ status: "cancelled", isUnused: true });
      const [second] = await jobs.takeEvents(id, 10);
      expect(second).toMatchObject({ event: "cancelled", webhookId: first.webhookId, attempts: 1 });
      if (second !== undefined) await jobs.noteSent(id, [{ ...second, kind: "delivered" }]);
      // The run may stop here.
      expect(await tablesOf(id)).toEqual([]);
    },
  );

  test("knows after an eviction what was done, and what it has cost", async () => {
    const { id, jobs } = await newJob();
    await evictDurableObject(env.STEP_JOB.getByName(id));
    expect(await jobs.begin(id, "mine", { key: "a", credits: 3 })).toMatchObject({ kind: "begun", isNew: true });
    await jobs.finish(id, "mine", { key: "a", credits: 2, result: { text: "[1]" } });
    await evictDurableObject(env.STEP_JOB.getByName(id));
    expect(await jobs.begin(id, "next", { key: "a", credits: 3 })).toEqual({ kind: "done", result: { text: "[1]" } });
    expect(await jobs.begin(id, "next", { key: "b", credits: 4 })).toEqual({ kind: "over_budget", creditsLeft: 3 });
    expect(await jobs.progress(id)).toMatchObject({ status: "scraping", steps: 1, creditsUsed: 2 });
  });

  test("knows after an eviction what its steps used, and what became of those that were refused", async () => {
    const { id, jobs } = await newJob();
    await evictDurableObject(env.STEP_JOB.getByName(id));
    const note = { tool: "scrape", input: { url: "https://a.example/" } };
    await jobs.begin(id, "mine", { key: "a", credits: 3, note });
    await jobs.begin(id, "mine", { key: "dear", credits: 4, note });
    await jobs.begin(id, "mine", { key: "poor", credits: 1, note });
    await jobs.finish(id, "mine", {
      key: "a",
      credits: 2,
      result: { text: "[1]" },
      end: { kind: "done", facts: { statusCode: 200 } },
    });
    await jobs.drop(id, "mine", "poor", { kind: "failed", code: "INSUFFICIENT_CREDITS", message: "none left" });
    await evictDurableObject(env.STEP_JOB.getByName(id));
    expect(await jobs.trace(id)).toMatchObject([
      { number: 1, ...note, credits: 2, end: { kind: "done", facts: { statusCode: 200 } } },
      { number: 2, credits: 0, end: { kind: "failed", code: "INSUFFICIENT_CREDITS" } },
      { number: 3, credits: 0, end: { kind: "failed", message: "none left" } },
    ]);
    await jobs.begin(id, "next", { key: "poor", credits: 1, note });
    expect((await jobs.trace(id))[2]).toMatchObject({ number: 3, credits: 1, endedAtMs: undefined, end: undefined });
  });

  test("hears one run at a time", async () => {
    const { id, jobs } = await newJob();
    await evictDurableObject(env.STEP_JOB.getByName(id));
    expect((await jobs.begin(id, "mine", { key: "a", credits: 0 })).kind).toBe("begun");
    expect(await jobs.begin(id, "other", { key: "b", credits: 0 })).toEqual({ kind: "stopped", status: "scraping" });
    expect(await jobs.report(id, "other", { costs: NO_COUNTS })).toBe("cancelled");
  });

  test("starts the next run twelve seconds after the last heartbeat, and not before", async () => {
    const id = crypto.randomUUID();
    const jobs = createStepJobs(env.STEP_JOB);
    const stub = env.STEP_JOB.getByName(id);
    const firstRunAtMs = Date.now() + 3_600_000;
    const expiresAtMs = firstRunAtMs * 2;
    await jobs.start(id, { specification: "no job", events: [], maxCredits: 5, expiresAtMs, firstRunAtMs });
    const startedAtMs = Date.now();
    const alarmAt = async (ms: number) => {
      vi.spyOn(Date, "now").mockReturnValue(startedAtMs + ms);
      await runDurableObjectAlarm(stub);
    };
    expect(await jobs.open(id, "mine")).toMatchObject({ status: "scraping", idleRuns: 0 });
    await alarmAt(11_000);
    expect(await jobs.open(id, "mine")).toMatchObject({ idleRuns: 0 });
    expect(await jobs.open(id, "other")).toBeUndefined();
    await alarmAt(22_900);
    expect(await jobs.report(id, "mine", { costs: NO_COUNTS })).toBe("scraping");
    await alarmAt(34_800);
    expect(await jobs.open(id, "other")).toBeUndefined();
    await alarmAt(35_100);
    expect(await jobs.report(id, "mine", { costs: NO_COUNTS })).not.toBe("scraping");
  });

  test.each(["lives", "leaves", "is lost"])(
    "waits after a restart for the run of its predecessor, which %s",
    async (fate) => {
      const { id, jobs } = await newJob(Date.now() + 3_600_000);
      const stub = env.STEP_JOB.getByName(id);
      const startedAtMs = Date.now();
      const alarmAt = async (ms: number) => {
        vi.spyOn(Date, "now").mockReturnValue(startedAtMs + ms);
        await runDurableObjectAlarm(stub);
      };
      const runs = async () =>
        await runInDurableObject(stub, (_object, { storage }) => {
          const { state } = storage.sql.exec<{ state: string }>("SELECT state FROM job").one();
          return (JSON.parse(state) as { idleRuns: number }).idleRuns;
        });
      await runInDurableObject(stub, (_object, { storage }) => {
        // As the object is left while a run works.
        storage.sql.exec("UPDATE job SET state = json_set(state, '$.isRunning', json('true'), '$.idleRuns', 1)");
      });
      await evictDurableObject(stub);
      await alarmAt(0);
      expect(await runs()).toBe(1);
      vi.spyOn(Date, "now").mockReturnValue(startedAtMs + 3_000);
      if (fate === "lives") expect(await jobs.report(id, "mine", { costs: NO_COUNTS })).toBe("scraping");
      if (fate === "leaves") await jobs.leave(id, "mine", { isClosed: false });
      const alarmMs = await runInDurableObject(stub, async (_object, { storage }) => storage.getAlarm());
      // An idle object is evicted after some seconds.
      if (fate === "is lost") await evictDurableObject(stub);
      if (fate === "leaves") expect(alarmMs).toBe(startedAtMs + 3_000);
      else expect(alarmMs).toBe(startedAtMs + 5_000);
      await alarmAt(fate === "leaves" ? 3_000 : 5_000);
      expect(await runs()).toBe(fate === "lives" ? 1 : 2);
      const kept = await runInDurableObject(stub, async (_object, { storage }) => [...(await storage.list()).keys()]);
      expect(kept).not.toContain("waits_until_ms");
    },
  );

  const lateCalls: Record<string, (jobs: StepJobs, id: string) => Promise<unknown>> = {
    report: async (jobs, id) => await jobs.report(id, "mine", { costs: NO_COUNTS }),
    finish: async (jobs, id) => await jobs.finish(id, "mine", { key: "a", credits: 1, result: { text: "1" } }),
    drop: async (jobs, id) => await jobs.drop(id, "mine", "a"),
    tell: async (jobs, id) => await jobs.tell(id, "action", {}),
    end: async (jobs, id) => await jobs.end(id, { status: "failed", costs: NO_COUNTS }),
    settle: async (jobs, id) => await jobs.settle(id),
    noteCharged: async (jobs, id) => await jobs.noteCharged(id, 1),
    takeEvents: async (jobs, id) => await jobs.takeEvents(id, 10),
    noteSent: async (jobs, id) => await jobs.noteSent(id, []),
    leave: async (jobs, id) => await jobs.leave(id, "mine", { isClosed: true }),
    forget: async (jobs, id) => await jobs.forget(id),
    alarm: async (jobs, id) => {
      // Another late call has created the tables.
      await jobs.progress(id);
      await runInDurableObject(env.STEP_JOB.getByName(id), (object) => object.alarm());
    },
  };

  test.each(Object.keys(lateCalls))(
    "leaves nothing behind when it is called after it was forgotten: %s",
    async (call) => {
      const { id, jobs } = await newJob();
      await jobs.forget(id);
      const result = await lateCalls[call]?.(jobs, id);
      expect(result).toEqual({ report: "cancelled", takeEvents: [] }[call]);
      expect(await tablesOf(id)).toEqual([]);
    },
  );

  test("runs at once when it is started again, and is empty when it was deleted", async () => {
    const id = crypto.randomUUID();
    const jobs = createStepJobs(env.STEP_JOB);
    const firstRunAtMs = Date.now() + 3_600_000;
    const job = { specification: "no job", events: [], maxCredits: 5, expiresAtMs: firstRunAtMs * 2 } as const;
    await jobs.start(id, { ...job, firstRunAtMs });
    const stub = env.STEP_JOB.getByName(id);
    const alarmAtMs = async () => await runInDurableObject(stub, async (_object, { storage }) => storage.getAlarm());
    expect(await alarmAtMs()).toBe(firstRunAtMs);
    await jobs.start(id, job);
    expect(await alarmAtMs()).toBeLessThan(firstRunAtMs);
    await jobs.forget(id);
    expect(await alarmAtMs()).toBeNull();
    expect(await jobs.progress(id)).toBeUndefined();
    await jobs.start(id, { ...job, firstRunAtMs });
    expect(await jobs.open(id, "mine")).toMatchObject({ status: "scraping", idleRuns: 0 });
  });

  test("keeps its end and the event that tells it", async () => {
    const { id, jobs } = await newJob();
    await jobs.end(id, { status: "completed", result: { text: "{}" }, costs: NO_COUNTS });
    await evictDurableObject(env.STEP_JOB.getByName(id));
    expect(await jobs.progress(id)).toMatchObject({ status: "completed", result: { text: "{}" } });
    expect((await jobs.takeEvents(id, 10)).map(({ event }) => event)).toEqual(["completed"]);
    expect(await jobs.cancel(id)).toBe("completed");
  });

  test("is forgotten when its time is over, and reading it makes no tables", async () => {
    const { id, jobs } = await newJob(Date.now() - 1);
    await jobs.cancel(id);
    await runDurableObjectAlarm(env.STEP_JOB.getByName(id));
    await evictDurableObject(env.STEP_JOB.getByName(id));
    expect(await jobs.progress(id)).toBeUndefined();
    expect(await jobs.cancel(id)).toBeUndefined();
    expect(await jobs.recordedOptions(id)).toBeUndefined();
    expect(await jobs.open(id, "late")).toBeUndefined();
    expect(await jobs.begin(id, "late", { key: "a", credits: 1 })).toEqual({ kind: "stopped", status: "cancelled" });
    expect(await tablesOf(id)).toEqual([]);
  });
});
