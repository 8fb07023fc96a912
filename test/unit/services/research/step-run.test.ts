import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { CreditSource } from "../../../../src/services/deps.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { StepSpecification } from "../../../../src/jobs/step-kind.ts";
import { runStepBatch } from "../../../../src/services/research/run-step-batch.ts";
import { createStepTools } from "../../../../src/services/research/step-tools.ts";
import { StepRun, RunEnded, RunInterrupted } from "../../../../src/services/research/step-run.ts";
import { V2_DEFAULTS } from "../../../../src/services/scrape/scrape-plan.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { memoryStepJobs } from "../../../fakes/memory/memory-step-jobs.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const MONTHLY = 50;

async function newRun({
  id = "job",
  maxCredits = undefined as number | undefined,
  deps = newDeps(),
  input = {} as object,
} = {}) {
  const specification: StepSpecification = {
    id,
    kind: "extract",
    apiVersion: "v2",
    key: {
      id: "key", teamId: "team", name: "k", scopes: { admin: false }, limits: {}, monthlyCredits: MONTHLY,
      maxConcurrency: undefined, createdAtMs: 0, expiresAtMs: undefined, revokedAtMs: undefined, hint: "",
    } as unknown as StepSpecification["key"],
    scrapeDefaults: V2_DEFAULTS,
    zeroDataRetention: false,
    publicOrigin: "https://here.example",
    ownHosts: [],
    webhook: undefined,
    createdAtMs: 0,
    deadlineMs: Infinity,
    maxCredits,
    input,
  }; // prettier-ignore
  await deps.stepJobs.start(id, {
    specification: JSON.stringify(specification),
    events: [],
    maxCredits,
    expiresAtMs: 1e15,
  });
  const again = async (): Promise<StepRun> => {
    const runId = await deps.stepJobs.beginRun(id);
    await deps.stepJobs.open(id, runId);
    return new StepRun(deps, { specification, runId });
  };
  /** Cancels the job, as a caller does, and closes it, as a worker run does. */
  const cancel = async (): Promise<void> => {
    await deps.stepJobs.cancel(id);
    const runId = deps.stepJobs.currentRun(id) ?? "";
    await runStepBatch(deps, { specification, status: "cancelled", runId });
  };
  return { turn: await again(), again, cancel, deps, id };
}

function newDeps() {
  const clock = fixedClock();
  const stepJobs = memoryStepJobs(clock);
  const jobs = { setStatus: async () => undefined } as never;
  return { ...testDeps({ clock, keyLedger: memoryKeyLedger(clock), stepJobs, jobs }), stepJobs };
}

async function used(deps: ReturnType<typeof newDeps>): Promise<number> {
  return (await deps.keyLedger.usage("key")).creditsUsed;
}

const Times = z.object({ times: z.number() });

describe("a step", () => {
  test("is done once, also by the run after", async () => {
    const { turn: run, again } = await newRun();
    let times = 0;
    const work = async () => ({ value: { times: ++times }, credits: 0 });
    expect(await run.step("a", work, { result: Times })).toEqual({ times: 1 });
    const next = await again();
    expect(await next.step("a", work, { result: Times })).toEqual({ times: 1 });
    await expect(run.step("b", work, { result: Times })).rejects.toBeInstanceOf(RunEnded);
  });

  test("whose stored result another version has written in an unknown form fails, without doing the work again", async () => {
    const { turn: run, again } = await newRun();
    await run.step("a", async () => ({ value: { count: "one" }, credits: 0 }), { result: z.unknown() });
    let times = 0;
    const work = async () => ({ value: { times: ++times }, credits: 0 });
    const next = await again();
    await expect(next.step("a", work, { result: Times })).rejects.toMatchObject({ code: "STORED_STATE_UNREADABLE" });
    await expect(next.tried("a", work, { result: Times })).rejects.toMatchObject({ code: "STORED_STATE_UNREADABLE" });
    expect(times).toBe(0);
  });

  test("is paid before it begins, and settled when it is done", async () => {
    const { turn: run, deps } = await newRun();
    await run.step(
      "a",
      async () => {
        expect(await used(deps)).toBe(6);
        return { value: 1, credits: 2 };
      },
      { result: z.number(), credits: 6 },
    );
    expect(await used(deps)).toBe(2);
  });

  test("gives back what was set aside beyond what its work settles", async () => {
    const { turn: run, deps } = await newRun({ maxCredits: 10 });
    const settling = async (owed: number, creditSource: CreditSource) => {
      // The work begins from the three credits that it knows of, as a scrape does.
      if (creditSource.kind === "job" && owed > 3) expect(await creditSource.take(owed - 3)).toBe(true);
      return { value: owed, credits: owed };
    };
    await run.step("a", (creditSource) => settling(5, creditSource), { result: z.number(), credits: 8, spare: 5 });
    expect(await used(deps)).toBe(5);
    expect(await deps.stepJobs.progress("job")).toMatchObject({ creditsUsed: 5, creditsHeld: 0 });
    expect(
      await run.tried("b", (creditSource) => settling(5, creditSource), { result: z.number(), credits: 8, spare: 5 }),
    ).toMatchObject({
      code: "INSUFFICIENT_CREDITS",
    });
    expect(
      await run.tried("b", (creditSource) => settling(3, creditSource), { result: z.number(), credits: 3 }),
    ).toMatchObject({
      kind: "done",
    });
    expect(await used(deps)).toBe(8);
  });

  test("takes more while it is under way, as far as the key and the job have credits", async () => {
    const { turn: run, deps } = await newRun({ maxCredits: 20 });
    const taking = (credits: number) => async (creditSource: CreditSource) => {
      const isTaken = creditSource.kind === "job" && (await creditSource.take(credits));
      return { value: isTaken, credits: isTaken ? 1 + credits : 1 };
    };
    expect(await run.step("a", taking(4), { result: z.boolean(), credits: 1 })).toBe(true);
    expect(await run.step("b", taking(20), { result: z.boolean(), credits: 1 })).toBe(false);
    await deps.keyLedger.adjustCredits("key", { credits: MONTHLY - 8, monthlyCredits: MONTHLY });
    expect(await run.step("c", taking(2), { result: z.boolean(), credits: 1 })).toBe(false);
    expect(await used(deps)).toBe(MONTHLY - 8 + 7);
  });

  test("that throws costs nothing, and may be tried again", async () => {
    const { turn: run, deps } = await newRun();
    const fails = run.step("a", async () => Promise.reject(new Error("lost")), { result: z.unknown(), credits: 5 });
    await expect(fails).rejects.toThrow("lost");
    expect(await used(deps)).toBe(0);
    expect(await run.step("a", async () => ({ value: 1, credits: 5 }), { result: z.number(), credits: 5 })).toBe(1);
  });

  test("that was settled and could not be kept gives back what it had taken, and no more", async () => {
    const { turn: run, deps } = await newRun();
    const { finish } = deps.stepJobs;
    deps.stepJobs.finish = async () => Promise.reject(new Error("lost"));
    const lost = run.step("a", async () => ({ value: 1, credits: 7 }), { result: z.number(), credits: 5 });
    await expect(lost).rejects.toThrow("lost");
    expect(await used(deps)).toBe(0);
    deps.stepJobs.finish = finish;
    expect(await run.step("a", async () => ({ value: 1, credits: 7 }), { result: z.number(), credits: 5 })).toBe(1);
    expect(await used(deps)).toBe(7);
  });

  test("that ends or fails after its job was closed reserves and charges nothing", async () => {
    const { turn: run, cancel, deps } = await newRun();
    const closed = Promise.withResolvers<void>();
    const taking = async (creditSource: CreditSource) => {
      await closed.promise;
      expect(creditSource.kind === "job" && (await creditSource.take(4))).toBe(false);
      return { value: 1, credits: 2 };
    };
    await run.step("done", async () => ({ value: 1, credits: 3 }), { result: z.number(), credits: 3 });
    const late = [
      run.step("a", taking, { result: z.number(), credits: 6 }),
      run.step("b", () => closed.promise.then(() => Promise.reject(new Error("lost"))), { result: z.number(), credits: 7 }),
    ]; // prettier-ignore
    const ended = Promise.allSettled(late);
    await vi.waitFor(async () => expect(await used(deps)).toBe(16));
    await cancel();
    expect(await used(deps)).toBe(3);
    closed.resolve();
    expect((await ended).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(await used(deps)).toBe(3);
    expect(await deps.stepJobs.progress("job")).toMatchObject({ creditsUsed: 3, creditsHeld: 0, charged: 3, steps: 1 });
  });

  test("that may fail has its failure as a result, which is not tried again", async () => {
    const { turn: run } = await newRun();
    let times = 0;
    const work = async (): Promise<{ value: number; credits: number }> => {
      times++;
      throw new AppError("SCRAPE_TIMEOUT");
    };
    const failure = { kind: "failed", code: "SCRAPE_TIMEOUT", message: expect.any(String) };
    expect(await run.tried("a", work, { result: z.number() })).toEqual(failure);
    expect(await run.tried("a", work, { result: z.number() })).toEqual(failure);
    expect(times).toBe(1);
  });

  test("that finds the service busy is tried again", async () => {
    const { turn: run } = await newRun();
    let times = 0;
    const work = async (): Promise<{ value: number; credits: number }> => {
      if (++times === 1) throw new AppError("SERVICE_UNAVAILABLE");
      return { value: 7, credits: 0 };
    };
    expect(await run.tried("a", work, { result: z.number() })).toEqual({ kind: "done", value: 7 });
    const busy = () => Promise.reject(new AppError("SERVICE_UNAVAILABLE"));
    expect(await run.tried("b", busy, { result: z.number() })).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });
});

test("a hundred jobs at once on one key with a small budget never spend a credit over it", async () => {
  const deps = newDeps();
  const results = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const { turn: run } = await newRun({ id: `job ${index}`, maxCredits: 9, deps });
      const steps = ["a", "b", "c", "d"].map((key) =>
        run.tried(key, async () => ({ value: key, credits: 3 }), { result: z.string(), credits: 3 }),
      );
      return (await Promise.all(steps)).filter(({ kind }) => kind === "done").length;
    }),
  );
  const done = results.reduce((sum, count) => sum + count, 0);
  expect(done).toBe(Math.floor(MONTHLY / 3));
  expect(await used(deps)).toBe(done * 3);
  expect(Math.max(...results)).toBeLessThanOrEqual(3);
});

describe("the room for the pages of a job", () => {
  const roomOf = (run: StepRun) => createStepTools(run).roomForPages();

  test("is less the more jobs of the team run, and bounded for all of them together", async () => {
    const deps = newDeps();
    const rooms: number[] = [];
    const runs: StepRun[] = [];
    for (let at = 0; at < 50; at++) {
      const { turn: run } = await newRun({ id: `job ${at}`, deps });
      runs.push(run);
      rooms.push(await roomOf(run));
    }
    expect(rooms.slice(0, 8)).toEqual([16, 16, 16, 8, 4, 2, 2, 2].map((millions) => millions * 1_000_000));
    expect(rooms.reduce((sum, room) => sum + room, 0)).toBeLessThan(155_000_000);
    for (const run of runs) run.release();
    const { turn: next } = await newRun({ id: "next", deps });
    expect(await roomOf(next)).toBe(16_000_000);
  });

  test("is bounded for jobs that begin at once", async () => {
    const deps = newDeps();
    const started = await Promise.all(Array.from({ length: 20 }, (_, at) => newRun({ id: `job ${at}`, deps })));
    const rooms = await Promise.all(started.map(({ turn }) => roomOf(turn)));
    expect(rooms.reduce((sum, room) => sum + room, 0)).toBeLessThan(95_000_000);
  });

  test("stays the same for the next run, is held once, and ends with the run", async () => {
    const { turn: run, again, deps } = await newRun();
    const tools = createStepTools(run);
    expect(await tools.roomForPages()).toBe(await tools.roomForPages());
    expect(deps.stepPages.bytesOf("team")).toBe(16_000_000);
    run.release();
    deps.stepPages.hold({ teamId: "team", keyId: "key" }, 60_000_000);
    const next = await again();
    expect(await roomOf(next)).toBe(16_000_000);
    expect(deps.stepPages.bytesOf("team")).toBe(76_000_000);
    next.release();
    expect(deps.stepPages.bytesOf("team")).toBe(60_000_000);
  });
});

test("progress that is too long for the job's state is reported without the data found so far", async () => {
  const { turn: run, deps, id } = await newRun();
  const shown = async (): Promise<unknown> => {
    await run.report();
    return JSON.parse((await deps.stepJobs.progress(id))?.progress ?? "null");
  };
  const partial = { result: "x".repeat(500_000) };
  run.show({ partial, partialSchemaValid: true, warning: "Some values are missing." });
  expect(await shown()).toEqual({ warning: "Some values are missing." });
  run.show({ activities: ["x".repeat(500_000)] });
  expect(await shown()).toEqual({ warning: "Some values are missing." });
});

test("a report that takes more of the job's row than its specification leaves is stored without its data", async () => {
  const reported = async (schemaChars: number, partial: string): Promise<object> => {
    const { turn: run, deps, id } = await newRun({ input: { schema: "x".repeat(schemaChars) } });
    run.show({ partial, warning: "Some values are missing." });
    await run.report();
    return JSON.parse((await deps.stepJobs.progress(id))?.progress ?? "null") as object;
  };
  const warning = "Some values are missing.";
  expect(await reported(1_400_000, "漢".repeat(160_000))).toHaveProperty("partial");
  expect(await reported(1_400_000, "漢".repeat(180_000))).toEqual({ warning });
  expect(await reported(1_000, "漢".repeat(490_000))).toHaveProperty("partial");
  // Each quote of the data is escaped twice: in the report, and in the row.
  expect(await reported(1_400_000, '"'.repeat(160_000))).toEqual({ warning });
});

test("costs of a report that fails are part of the next one", async () => {
  const { turn: run, deps, id } = await newRun();
  const report = deps.stepJobs.report.bind(deps.stepJobs);
  deps.stepJobs.report = async () => Promise.reject(new Error("lost"));
  deps.meter.add("pages", 3);
  await expect(run.report()).rejects.toThrow("lost");
  deps.stepJobs.report = report;
  deps.meter.add("pages", 1);
  await run.report();
  expect((await deps.stepJobs.progress(id))?.costs.pages).toBe(4);
});

test("an earlier job that does not answer interrupts the run, and one that is gone is none", async () => {
  const { turn, again, deps } = await newRun();
  Object.assign(deps.jobs, { find: async () => ({ teamId: "team" }) });
  const { progress } = deps.stepJobs;
  const failing = (error: Error): void => {
    deps.stepJobs.progress = async (id) => (id === "earlier" ? Promise.reject(error) : await progress(id));
  };
  const recall = async (run: StepRun, key: string) => await createStepTools(run).recall(key, "earlier");
  failing(new AppError("SERVICE_UNAVAILABLE"));
  await expect(recall(turn, "a")).rejects.toBeInstanceOf(RunInterrupted);
  failing(new Error("The database is away"));
  await expect(recall(await again(), "a")).rejects.toThrow("The database is away");
  const next = await again();
  deps.stepJobs.progress = async (id) =>
    id === "earlier" ? ({ result: { text: '"found"' } } as never) : await progress(id);
  expect(await recall(next, "a")).toBe("found");
  failing(new AppError("JOB_NOT_FOUND"));
  expect(await recall(next, "b")).toBeNull();
});
