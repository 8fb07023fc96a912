import { describe, expect, test } from "vitest";
import { batchEntries } from "../../../src/core/crawl/dispatch.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { JobSpecification } from "../../../src/jobs/kind.ts";
import { JobCharges, type KeyLedgers } from "../../../src/platform/account/job-charges.ts";
import { JobStart } from "../../../src/platform/jobs/job-start.ts";
import type { Frontiers, NewFrontier } from "../../../src/ports/crawl/frontier.ts";
import type { NewStepJob, StepJobs } from "../../../src/ports/step-jobs.ts";
import type { Caller, Deps } from "../../../src/services/deps.ts";
import { keepJobRecord } from "../../../src/services/jobs/keep-job-record.ts";
import { startJob } from "../../../src/services/jobs/start-job.ts";
import { startStepJob } from "../../../src/services/research/start-step-job.ts";
import { V2_DEFAULTS } from "../../../src/services/scrape/scrape-plan.ts";
import { Frontier } from "../../../src/storage/crawl/frontier.ts";
import { createIdempotencyKeys } from "../../../src/storage/jobs/idempotency-keys.ts";
import { createJobStore } from "../../../src/storage/jobs/jobs.ts";
import { StepJobRecord } from "../../../src/storage/jobs/step-job.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../fakes/memory/memory-key-ledger.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";
import { nodeSql, type NodeSql } from "../../fakes/memory/node-sql.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const CALLER = { key: { id: "key", teamId: "team", limits: {}, scopes: {} } } as unknown as Caller;
const LIMIT = 2;

class Crash extends Error {}

/** A service whose process dies before or after its n-th call to the outside; what was written stays. */
function world() {
  const clock = fixedClock();
  const jobs = createJobStore(nodeD1());
  const keys = createIdempotencyKeys(nodeD1());
  const gate = memoryKeyLedger(clock);
  const objects = new Map<string, { sql: NodeSql; kind: "frontier" | "steps" }>();
  let callsLeft = Infinity;
  let isDead = false;
  /** One call of the process: it may die before the call is made, or before the answer comes. */
  const call = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    const die = () => {
      if (isDead || callsLeft-- <= 0) {
        isDead = true;
        throw new Crash();
      }
    };
    die();
    const result = await work();
    die();
    return result;
  };
  const calling = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...words: unknown[]) => unknown;
        return (...words: unknown[]) => call(() => method.apply(target, words));
      },
    });

  /** The object of a job, as its class opens it: what it knows is in its database. */
  const open = (id: string, kind: "frontier" | "steps") => {
    const known = objects.get(id) ?? { sql: nodeSql(), kind };
    objects.set(id, known);
    const frontier = known.kind === "frontier" ? new Frontier(known.sql) : undefined;
    const steps = known.kind === "steps" ? new StepJobRecord(known.sql) : undefined;
    const ledgers: KeyLedgers = {
      getByName: (keyId) => ({
        takeSlot: (slot) => call(() => gate.takeSlot(keyId, slot)),
        releaseSlot: (jobId) => call(() => gate.releaseSlot(keyId, jobId)),
        held: async () => 0,
        chargeJob: (charge) => call(() => gate.chargeJob(keyId, charge)),
      }),
    };
    const charges = new JobCharges(ledgers, { id: () => id, state: () => frontier?.state() });
    const start = new JobStart(
      ledgers,
      {
        id: () => id,
        wantedSlot: () => {
          const state = frontier?.state() ?? steps?.state();
          if (state === undefined || state.isStarting !== true) return undefined;
          const slot = "payer" in state.config ? state.config.payer?.slot : (state.config as never as NewFrontier["config"]).slot;
          return slot && { keyId: CALLER.key.id, ...slot };
        },
        reserve: () => charges.reserveAll(0),
        noteSlot: () => (frontier === undefined ? steps?.noteSlot() : frontier.noteSlot(clock.now())),
        forget: async () => void objects.delete(id),
      },
    ); // prettier-ignore
    return { frontier, steps, start };
  };
  const specifications = new Map<string, string>();
  const begin = (id: string, job: NewFrontier | NewStepJob, kind: "frontier" | "steps") =>
    call(async () => {
      const object = open(id, kind);
      if ("seeds" in job) object.frontier?.start(job.config, job.seeds, clock.now());
      else object.steps?.start(job, clock.now());
      // In the transaction of the start, as the specification's row and the alarm are.
      specifications.set(id, job.specification);
      const outcome = await object.start.finish();
      return kind === "frontier" ? outcome : outcome === "started";
    });
  const deps = testDeps({
    clock,
    settings: { maxConcurrency: LIMIT },
    jobs: calling(jobs),
    idempotencyKeys: calling(keys),
    keyLedger: gate,
    frontiers: {
      start: (id: string, job: NewFrontier) => begin(id, job, "frontier"),
      cancel: (id: string) => call(() => open(id, "frontier").frontier?.cancel(clock.now())),
      progress: async (id: string) => {
        const state = objects.has(id) ? open(id, "frontier").frontier?.state() : undefined;
        return state && { status: state.status, endedAtMs: state.endedAtMs, completed: 0 };
      },
    } as unknown as Frontiers,
    stepJobs: { start: (id: string, job: NewStepJob) => begin(id, job, "steps") } as unknown as StepJobs,
  });
  return {
    deps,
    jobs,
    gate,
    objects,
    /** @returns whether the process died on the way. */
    async dieAfter(calls: number, work: () => Promise<unknown>): Promise<boolean> {
      callsLeft = calls;
      await work().catch((error: unknown) => {
        if (!(error instanceof Crash) && !(error instanceof AppError)) throw error;
      });
      const hasDied = isDead;
      callsLeft = Infinity;
      isDead = false;
      return hasDied;
    },
    /** The alarms of all objects, as they come after a restart: each job that has its slot works, and ends. */
    async runAlarms(): Promise<void> {
      for (const [id, { kind }] of objects) {
        if ((await open(id, kind).start.finish()) !== "started") continue;
        await keepJobRecord({ jobs }, JSON.parse(specifications.get(id) ?? "") as JobSpecification);
        await jobs.setStatus(id, "completed", clock.now());
        await gate.releaseSlot(CALLER.key.id, id);
      }
    },
  };
}

const COMMON = {
  apiVersion: "v2" as const,
  scrapeDefaults: V2_DEFAULTS,
  zeroDataRetention: false,
  publicOrigin: "https://here.example",
  webhook: undefined,
  events: [],
  target: "https://a.example/",
  options: {},
  input: {},
};
const KINDS: Record<string, (deps: Deps, key: string | undefined) => Promise<string>> = {
  "a crawl": (deps, key) =>
    startJob(deps, CALLER, {
      ...COMMON, kind: "crawl", scrapeOptions: {}, seeds: batchEntries(["https://a.example/"], 0), limit: 1,
      maxConcurrency: undefined, delayMs: 0, hasSeed: false, idempotency: key === undefined ? undefined : { key, fingerprint: "f" },
    }),
  "an extract": (deps, key) =>
    startStepJob(deps, CALLER, {
      ...COMMON, kind: "extract", maxCredits: undefined, timeMs: 1000,
      idempotency: key === undefined ? undefined : { key, fingerprint: "f" },
    }),
}; // prettier-ignore

describe.each(Object.entries(KINDS))("%s whose start is cut off by a crash", (_, start) => {
  test("holds no slot and leaves no record that never ends, wherever the crash comes; a repeat gets the same job", async () => {
    let crashes = 0;
    for (let calls = 0; ; calls++) {
      const { deps, dieAfter, runAlarms, jobs, gate, objects } = world();
      const key = crypto.randomUUID();
      const hasDied = await dieAfter(calls, () => start(deps, key));
      const begun = [...objects.keys()];
      expect(begun.length).toBeLessThanOrEqual(1);
      await runAlarms();
      expect(await gate.usage("key")).toMatchObject({ runningJobs: 0 });
      expect(await jobs.listRunning("team", "crawl", 0)).toEqual([]);
      expect(await jobs.listRunning("team", "extract", 0)).toEqual([]);

      const id = await start(deps, key);
      expect(begun.every((each) => each === id)).toBe(true);
      expect(objects.size).toBe(1);
      await runAlarms();
      expect(await jobs.find(id)).toMatchObject({ status: "completed", target: COMMON.target });
      expect(await gate.usage("key")).toMatchObject({ runningJobs: 0 });
      if (!hasDied) break;
      crashes++;
    }
    // The claim of the key, the object's start with the slot inside it, and the record: before and after each.
    expect(crashes).toBe(8);
  });

  test("is not started again by a repeat of its request when it has ended and its object is deleted", async () => {
    const { deps, runAlarms, objects, jobs, gate } = world();
    const key = crypto.randomUUID();
    const id = await start(deps, key);
    await runAlarms();
    objects.clear();
    expect(await start(deps, key)).toBe(id);
    // A job that was deleted with its thread, or that has expired while it ran.
    await jobs.setStatus(id, "scraping", undefined);
    await jobs.expire(id, 0);
    expect(await start(deps, key)).toBe(id);
    expect(objects.size).toBe(0);
    expect(await gate.usage("key")).toMatchObject({ runningJobs: 0 });
  });

  test("is refused when all slots are taken, and leaves nothing behind then", async () => {
    let crashes = 0;
    for (let calls = 0; ; calls++) {
      const { deps, dieAfter, runAlarms, gate, objects } = world();
      for (const jobId of ["one", "two"]) await gate.takeSlot("key", { jobId, limit: LIMIT, leaseMs: 60_000 });
      const hasDied = await dieAfter(calls, () => start(deps, undefined));
      await runAlarms();
      expect(objects.size).toBe(0);
      expect(await gate.usage("key")).toMatchObject({ runningJobs: LIMIT });
      if (!hasDied) break;
      crashes++;
    }
    expect(crashes).toBe(4);
  });
});

describe("a crawl whose record cannot be inserted", () => {
  const failing = (jobs: Deps["jobs"], failures: number): Deps["jobs"] => ({
    ...jobs,
    insert: async (...words) => {
      if (failures-- > 0) throw new Error("The database is full");
      await jobs.insert(...words);
    },
  });
  const statusOf = ({ objects }: ReturnType<typeof world>) =>
    [...objects.values()].map(({ sql }) => new Frontier(sql).state()?.status);

  test("is started after a failure that passes", async () => {
    const service = world();
    const id = await KINDS["a crawl"]?.({ ...service.deps, jobs: failing(service.jobs, 1) }, undefined);
    expect([...service.objects.keys()]).toEqual([id]);
    expect(statusOf(service)).toEqual(["scraping"]);
  });

  test("is cancelled without an idempotency key, and kept for a repeat with one", async () => {
    for (const key of [undefined, crypto.randomUUID()]) {
      const service = world();
      const start = KINDS["a crawl"]?.({ ...service.deps, jobs: failing(service.jobs, 2) }, key);
      await expect(start).rejects.toThrow("The database is full");
      expect(statusOf(service)).toEqual([key === undefined ? "cancelled" : "scraping"]);
    }
  });

  test("has the end in its record that came before a repeat of its request inserted it", async () => {
    const service = world();
    const key = crypto.randomUUID();
    await KINDS["a crawl"]?.({ ...service.deps, jobs: failing(service.jobs, 2) }, key).catch(() => undefined);
    for (const { sql } of service.objects.values()) new Frontier(sql).cancel(service.deps.clock.now());
    const id = await KINDS["a crawl"]?.(service.deps, key);
    expect(await service.jobs.find(id ?? "")).toMatchObject({ status: "cancelled" });
  });
});

describe("a batch of a key with a budget", () => {
  const batch = (deps: Deps, pages: number) =>
    startJob(deps, { ...CALLER, key: { ...CALLER.key, monthlyCredits: 10 } }, {
      ...COMMON, kind: "batch_scrape", scrapeOptions: {}, limit: undefined, maxConcurrency: undefined, delayMs: 0,
      seeds: batchEntries(Array.from({ length: pages }, (_, page) => `https://a.example/${page}`), 0),
      hasSeed: false, idempotency: undefined,
    }); // prettier-ignore
  const used = async ({ gate }: ReturnType<typeof world>) => (await gate.usage("key")).creditsUsed;

  test("has the credits of all its pages, of two that start at once one", async () => {
    const service = world();
    const outcomes = await Promise.allSettled([batch(service.deps, 6), batch(service.deps, 6)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "INSUFFICIENT_CREDITS" },
    });
    expect(service.objects.size).toBe(1);
    expect(await used(service)).toBe(6);
    expect(await service.gate.usage("key")).toMatchObject({ runningJobs: 1 });
    await expect(batch(service.deps, 4)).resolves.toEqual(expect.any(String));
    expect(await used(service)).toBe(10);
  });

  test("which cannot pay leaves nothing behind, wherever a crash comes", async () => {
    let crashes = 0;
    for (let calls = 0; ; calls++) {
      const service = world();
      const hasDied = await service.dieAfter(calls, () => batch(service.deps, 11));
      await service.runAlarms();
      expect(service.objects.size).toBe(0);
      expect(await used(service)).toBe(0);
      expect(await service.gate.usage("key")).toMatchObject({ runningJobs: 0 });
      if (!hasDied) break;
      crashes++;
    }
    expect(crashes).toBeGreaterThan(4);
  });
});

test("another request with the same key is refused, and one with a key that is no UUID", async () => {
  const { deps } = world();
  const key = crypto.randomUUID();
  const job = (fingerprint: string, text = key) =>
    startStepJob(deps, CALLER, {
      ...COMMON, kind: "agent", maxCredits: undefined, timeMs: 1000, idempotency: { key: text, fingerprint },
    }); // prettier-ignore
  const id = await job("one");
  expect(await job("one")).toBe(id);
  await expect(job("another")).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_USED" });
  await expect(job("one", "no uuid")).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_USED" });
});
