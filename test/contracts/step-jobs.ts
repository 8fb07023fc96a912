import { describe, expect, test } from "vitest";
import { NO_COUNTS } from "../../src/core/account/meter.ts";
import type { NewStepJob, StepJobs } from "../../src/ports/step-jobs.ts";

/** Step jobs with a clock that tests advance. */
export interface StepJobsWorld {
  jobs: StepJobs;
  /** Ms since the epoch. */
  now(): number;
  /** Advances the clock by this many ms and lets the alarm of the job run. */
  pass(jobId: string, ms: number): Promise<void>;
}

/** Starts a job whose first worker run is far away, and opens it for the run “mine”. */
async function openJob({ jobs, now }: StepJobsWorld, fields: Partial<NewStepJob> = {}): Promise<string> {
  const id = crypto.randomUUID();
  const [firstRunAtMs, expiresAtMs] = [now() + 3_600_000, now() + 86_400_000];
  await jobs.start(id, { specification: "no job", events: [], maxCredits: 5, expiresAtMs, firstRunAtMs, ...fields });
  expect(await jobs.open(id, "mine")).toEqual({ specification: "no job", status: "scraping", idleRuns: 0 });
  return id;
}

/** Requirements of all step jobs. */
export function stepJobsContract(name: string, makeWorld: () => StepJobsWorld): void {
  const step = (key: string, credits = 1) => ({ key, credits });
  const done = (key: string, credits: number, text = "1") => ({ key, credits, result: { text } });

  describe(`${name} as step jobs`, () => {
    test("take one slot of the key that pays, and store nothing without one", async () => {
      const { jobs, now } = makeWorld();
      const keyId = crypto.randomUUID();
      const job: NewStepJob = {
        specification: "no job",
        events: [],
        payer: { keyId, slot: { limit: 1, leaseMs: 60_000 } },
        expiresAtMs: now() + 86_400_000,
        firstRunAtMs: now() + 3_600_000,
      };
      const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
      expect(await jobs.start(first, job)).toBe(true);
      expect(await jobs.start(second, job)).toBe(false);
      expect(await jobs.progress(second)).toBeUndefined();
      expect(await jobs.start(first, job)).toBe(true);
      expect(await jobs.progress(first)).toMatchObject({ status: "scraping" });
    });

    test("have the options of their record, unless their specification has none", async () => {
      const { jobs, now } = makeWorld();
      const optionsJson = JSON.stringify({ prompt: '“Quoted” "words"' });
      const [id, other] = [crypto.randomUUID(), crypto.randomUUID()];
      const times = { expiresAtMs: now() + 86_400_000, firstRunAtMs: now() + 3_600_000 };
      await jobs.start(id, { specification: JSON.stringify({ record: { optionsJson } }), events: [], ...times });
      await jobs.start(other, { specification: "no job", events: [], ...times });
      expect(await jobs.recordedOptions(id)).toBe(optionsJson);
      expect(await jobs.recordedOptions(other)).toBeUndefined();
      expect(await jobs.recordedOptions(crypto.randomUUID())).toBeUndefined();
    });

    test("accept one worker run at a time", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const id = await openJob(world);
      expect(await jobs.open(id, "other")).toBeUndefined();
      expect(await jobs.begin(id, "other", step("a"))).toEqual({ kind: "stopped", status: "scraping" });
      expect(await jobs.report(id, "other", { costs: NO_COUNTS })).toBe("cancelled");
      expect(await jobs.report(id, "mine", { costs: NO_COUNTS })).toBe("scraping");
      expect(await jobs.open(id, "mine")).toMatchObject({ status: "scraping" });
    });

    test.each(["open", "begin", "finish", "report"] as const)("renew a run at %s", async (call) => {
      const world = makeWorld();
      const { jobs, pass } = world;
      const id = await openJob(world);
      await jobs.begin(id, "mine", step("a"));
      await pass(id, 11_000);
      if (call === "open") await jobs.open(id, "mine");
      else if (call === "begin") await jobs.begin(id, "mine", step("a"));
      else if (call === "finish") await jobs.finish(id, "mine", done("a", 1));
      else await jobs.report(id, "mine", { costs: NO_COUNTS });
      await pass(id, 11_000);
      expect(await jobs.report(id, "mine", { costs: NO_COUNTS })).toBe("scraping");
    });

    test("replace a run without a heartbeat for twelve seconds", async () => {
      const world = makeWorld();
      const { jobs, pass } = world;
      const id = await openJob(world);
      await pass(id, 11_900);
      expect(await jobs.open(id, "other")).toBeUndefined();
      await pass(id, 200);
      expect(await jobs.report(id, "mine", { costs: NO_COUNTS })).not.toBe("scraping");
      expect(await jobs.open(id, "mine")).toBeUndefined();
    });

    test("do a step once, and return its first result", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const id = await openJob(world);
      const totals = { creditsUsed: 0, creditsHeld: 3, charged: 0 };
      expect(await jobs.begin(id, "mine", step("a", 3))).toEqual({ kind: "begun", isNew: true, credits: 3, totals });
      expect(await jobs.begin(id, "mine", step("a", 4))).toEqual({ kind: "begun", isNew: false, credits: 3, totals });
      await jobs.finish(id, "mine", done("a", 2, "first"));
      await jobs.finish(id, "mine", done("a", 4, "second"));
      expect(await jobs.begin(id, "mine", step("a", 3))).toEqual({ kind: "done", result: { text: "first" } });
      expect(await jobs.progress(id)).toMatchObject({ steps: 1, creditsUsed: 2, creditsHeld: 0, charged: 0 });
      await jobs.noteCharged(id, 2);
      expect(await jobs.progress(id)).toMatchObject({ charged: 2 });
    });

    test("reserve no more credits than the job has left", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const id = await openJob(world);
      await jobs.begin(id, "mine", step("a", 2));
      expect(await jobs.begin(id, "mine", step("b", 4))).toEqual({ kind: "over_budget", creditsLeft: 3 });
      expect(await jobs.raise(id, "a", 4)).toBe(false);
      expect(await jobs.raise(id, "a", 3)).toBe(true);
      expect(await jobs.raise(id, "none", 0)).toBe(false);
      await jobs.drop(id, "mine", "a");
      expect(await jobs.progress(id)).toMatchObject({ creditsHeld: 0, steps: 0 });
      expect(await jobs.begin(id, "mine", step("a", 5))).toMatchObject({ kind: "begun", isNew: true });
    });

    test("discard a step for the run that works on the job alone", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const id = await openJob(world);
      await jobs.begin(id, "mine", step("a", 2));
      await jobs.drop(id, "other", "a");
      expect(await jobs.progress(id)).toMatchObject({ creditsHeld: 2 });
      await jobs.drop(id, "mine", "a");
      expect(await jobs.progress(id)).toMatchObject({ creditsHeld: 0 });
    });

    test("trace the steps that have a note, in the order in which they began", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const id = await openJob(world);
      const note = { tool: "scrape", input: { url: "https://a.example/" } };
      const end = { kind: "done", facts: { statusCode: 200 } } as const;
      await jobs.begin(id, "mine", { ...step("b"), note });
      await jobs.begin(id, "mine", step("unnoted"));
      await jobs.begin(id, "mine", { ...step("a"), note });
      await jobs.finish(id, "mine", { ...done("b", 2), end });
      expect(await jobs.trace(id)).toMatchObject([
        { number: 1, ...note, credits: 2, end },
        { number: 2, ...note, credits: 1, end: undefined },
      ]);
      expect(await jobs.tracedResult(id, 1)).toEqual({ text: "1" });
      for (const number of [0, 2, 3]) expect(await jobs.tracedResult(id, number)).toBeUndefined();
    });

    test("add up costs, and store the last progress", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const id = await openJob(world);
      await jobs.report(id, "mine", { costs: { ...NO_COUNTS, pages: 2 }, progress: "first" });
      await jobs.report(id, "mine", { costs: { ...NO_COUNTS, pages: 3 }, progress: "second" });
      await jobs.report(id, "mine", { costs: NO_COUNTS });
      expect(await jobs.progress(id)).toMatchObject({ progress: "second", costs: { pages: 5 } });
    });

    test("end once, with the event that reports the end", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const id = await openJob(world, { events: ["completed", "page"] });
      await jobs.tell(id, "page", { data: 1 });
      await jobs.end(id, { status: "completed", result: { text: "{}" }, costs: NO_COUNTS });
      await jobs.end(id, { status: "failed", error: "late", costs: NO_COUNTS });
      await jobs.tell(id, "page", { data: 2 });
      expect(await jobs.cancel(id)).toBe("completed");
      const progress = await jobs.progress(id);
      expect(progress).toMatchObject({ status: "completed", result: { text: "{}" } });
      expect([progress?.error, progress?.endedAtMs]).toEqual([undefined, world.now()]);
      expect(await jobs.begin(id, "mine", step("a"))).toEqual({ kind: "stopped", status: "completed" });
      expect(await jobs.begin(id, "other", step("a"))).toEqual({ kind: "stopped", status: "completed" });
      expect((await jobs.takeEvents(id, 10)).map(({ event }) => event)).toEqual(["page", "completed"]);
      expect(await jobs.takeEvents(id, 10)).toEqual([]);
    });

    test("count the results of running steps until their end is settled, and hold no credits afterwards", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const id = await openJob(world);
      for (const key of ["a", "b", "c"]) await jobs.begin(id, "mine", step(key));
      expect(await jobs.settle(id)).toBeUndefined();
      await jobs.cancel(id);
      expect(await jobs.raise(id, "b", 1)).toBe(false);
      await jobs.finish(id, "mine", done("a", 2));
      const account = { status: "cancelled", creditsUsed: 2, creditsHeld: 0, steps: 1 };
      expect(await jobs.settle(id)).toMatchObject(account);
      await jobs.finish(id, "mine", done("b", 2));
      await jobs.drop(id, "mine", "c");
      for (const credits of [1, -1]) expect(await jobs.raise(id, "c", credits)).toBe(false);
      expect(await jobs.settle(id)).toMatchObject(account);
      expect(await jobs.open(id, "mine")).toMatchObject({ status: "cancelled" });
    });

    test("have no work left when they are closed, and ignore later costs", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const id = await openJob(world);
      await jobs.begin(id, "mine", step("a", 3));
      expect(await jobs.cancel(id)).toBe("scraping");
      await jobs.leave(id, "mine", { isClosed: true });
      await jobs.finish(id, "mine", done("a", 3));
      expect(await jobs.progress(id)).toMatchObject({ status: "cancelled", creditsUsed: 0, creditsHeld: 0, steps: 0 });
      expect(await jobs.open(id, "next")).toBeUndefined();
    });

    test("know nothing of a job that was deleted or never started", async () => {
      const world = makeWorld();
      const { jobs } = world;
      const [id, none] = [await openJob(world), crypto.randomUUID()];
      await jobs.forget(id);
      for (const each of [id, none]) {
        expect(await jobs.open(each, "mine")).toBeUndefined();
        expect(await jobs.begin(each, "mine", step("a"))).toEqual({ kind: "stopped", status: "cancelled" });
        expect(await jobs.progress(each)).toBeUndefined();
        expect(await jobs.cancel(each)).toBeUndefined();
        expect(await jobs.settle(each)).toBeUndefined();
        expect(await jobs.trace(each)).toEqual([]);
      }
    });
  });
}
