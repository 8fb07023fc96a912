import { describe, expect, test } from "vitest";
import { Meter } from "../../../src/core/account/meter.ts";
import type { Caller } from "../../../src/services/deps.ts";
import { jobIdFor, repeatedJobId, respondOnce } from "../../../src/services/idempotency.ts";
import { createIdempotencyKeys } from "../../../src/storage/jobs/idempotency-keys.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { memoryBlobs } from "../../fakes/memory/memory-blobs.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const CALLER = { key: { id: "key", teamId: "team" } } as unknown as Caller;

function service() {
  const clock = fixedClock();
  const meter = new Meter();
  const { db, queries } = countingD1();
  const deps = testDeps({
    clock,
    meter,
    blobs: memoryBlobs(),
    idempotencyKeys: createIdempotencyKeys(db),
    /** A repeat that waits moves the clock; the sign of life of the one at work does not. */
    async sleep(ms) {
      if (ms < 4000) clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  const idempotency = { key: crypto.randomUUID(), fingerprint: "f" };
  let works = 0;
  const ask = (
    work: (workId: string) => Promise<string | undefined>,
    {
      canStore = true,
      fingerprint = "f",
      admitRepeat = async () => {},
    }: { canStore?: boolean; fingerprint?: string; admitRepeat?: () => Promise<void> } = {},
  ) =>
    respondOnce(deps, CALLER, {
      idempotency: { ...idempotency, fingerprint },
      admitRepeat,
      canStore,
      work: (workId) => (works++, work(workId)),
    }).then(async (answer) => (answer instanceof ReadableStream ? await new Response(answer).text() : answer));
  return { deps, clock, ask, idempotency, queries, works: () => works };
}

/** A database that lists its statements. */
function countingD1() {
  const db = nodeD1();
  const queries: string[] = [];
  const noting = (target: D1Database): D1Database =>
    new Proxy(target, {
      get: (of, name: keyof D1Database) => {
        if (name === "prepare") return (query: string) => (queries.push(query), of.prepare(query));
        if (name === "withSession") return (place: string) => noting(of.withSession(place) as unknown as D1Database);
        return of[name];
      },
    });
  return { db: noting(db), queries };
}

test("looking for an earlier request with a key changes nothing of one that starts at the same time", async () => {
  const { deps, clock, idempotency } = service();
  const [looked, started] = await Promise.all([
    repeatedJobId(deps, CALLER, idempotency),
    jobIdFor(deps, CALLER, idempotency),
  ]);
  expect([undefined, started]).toContain(looked);
  expect(await jobIdFor(deps, CALLER, idempotency)).toBe(started);
  expect(await repeatedJobId(deps, CALLER, idempotency)).toBe(started);
  await expect(repeatedJobId(deps, CALLER, { ...idempotency, fingerprint: "g" })).rejects.toThrow();
  clock.advance(deps.settings.resultRetentionMs + 1);
  expect(await repeatedJobId(deps, CALLER, idempotency)).toBeUndefined();
});

describe("an answer under an idempotency key", () => {
  test("is the first one's text for every repeat, and is worked for once", async () => {
    const { ask, works } = service();
    expect(await ask(async () => "first")).toBe("first");
    expect(await ask(async () => "second")).toBe("first");
    expect(works()).toBe(1);
  });

  test("is waited for by a repeat that comes while the first request is at work", async () => {
    const { ask, works } = service();
    let finish: (text: string) => void = () => {};
    const first = ask(() => new Promise<string>((resolve) => (finish = resolve)));
    await new Promise((resolve) => setImmediate(resolve));
    const second = ask(async () => "second");
    await new Promise((resolve) => setImmediate(resolve));
    finish("first");
    expect(await Promise.all([first, second])).toEqual(["first", "first"]);
    expect(works()).toBe(1);
  });

  test("is waited for when a renewal of the first request's lease has failed", async () => {
    const { deps, ask, clock, works } = service();
    const { renew } = deps.idempotencyKeys;
    let renewals = 0;
    deps.idempotencyKeys.renew = async (held) => {
      if (++renewals === 1) throw new Error("D1_ERROR: Network connection lost");
      await renew(held);
    };
    const beats = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    let end: (text: string) => void = () => undefined;
    const first = ask(() => new Promise((resolve) => (end = resolve)));
    for (let time = 0; time < 3; time++) {
      await beats();
      clock.advance(6_000);
    }
    await beats();
    const second = ask(async () => "second");
    await beats();
    end("first");
    expect(await Promise.all([first, second])).toEqual(["first", "first"]);
    expect(works()).toBe(1);
  });

  test("is worked for by the repeat when the first request was lost", async () => {
    const { ask, clock, deps, idempotency } = service();
    const startedAtMs = clock.now();
    // As a request leaves it that a crash has cut off.
    await deps.idempotencyKeys.claim({
      ...idempotency,
      teamId: "team",
      workId: "lost",
      nowMs: startedAtMs,
      leaseUntilMs: startedAtMs + 12_000,
      forgottenBeforeMs: 0,
    });
    let begunAtMs = 0;
    expect(await ask(async (workId) => ((begunAtMs = clock.now()), `second of ${workId}`))).toBe("second of lost");
    expect(begunAtMs - startedAtMs).toBe(12_000);
  });

  test("is waited for over five minutes with few queries, none of which writes", async () => {
    const { ask, clock, queries } = service();
    let finish: (text: string) => void = () => {};
    const first = ask(() => new Promise<string>((resolve) => (finish = resolve)));
    await new Promise((resolve) => setImmediate(resolve));
    const startedAtMs = clock.now();
    const second = ask(async () => "second");
    const isWrite = (query: string): boolean => !query.startsWith("SELECT") && !query.includes("work_id = ?");
    const before = queries.filter(isWrite).length;
    while (clock.now() - startedAtMs < 300_000) await new Promise((resolve) => setImmediate(resolve));
    finish("first");
    expect(await Promise.all([first, second])).toEqual(["first", "first"]);
    expect(queries.filter((query) => query.startsWith("SELECT")).length).toBeLessThan(200);
    // The claim of the repeat alone.
    expect(queries.filter(isWrite).length - before).toBeLessThanOrEqual(1);
  });

  test("is waited for by a bounded number of repeats, and each of them is counted before", async () => {
    const { ask, deps } = service();
    deps.sleep = () => new Promise((resolve) => setImmediate(resolve));
    let counted = 0;
    const admitRepeat = async (): Promise<void> => void counted++;
    let finish: (text: string) => void = () => {};
    const first = ask(() => new Promise<string>((resolve) => (finish = resolve)), { admitRepeat });
    await new Promise((resolve) => setImmediate(resolve));
    const repeats = Array.from({ length: 25 }, () => ask(async () => "second", { admitRepeat }).catch(String));
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(counted).toBe(25);
    finish("first");
    const answers = await Promise.all(repeats);
    expect(await first).toBe("first");
    expect(answers.filter((answer) => answer === "first")).toHaveLength(20);
    expect(answers.filter((answer) => answer?.includes("Too many repeats") === true)).toHaveLength(5);
    expect(await ask(async () => "later")).toBe("first");
  });

  test("is refused to a repeat that is not admitted, also where another request had its key", async () => {
    const { ask } = service();
    await ask(async () => "first");
    const admitRepeat = (): Promise<void> => Promise.reject(new Error("limited"));
    await expect(ask(async () => "second", { admitRepeat })).rejects.toThrow("limited");
    await expect(ask(async () => "other", { admitRepeat, fingerprint: "g" })).rejects.toThrow("limited");
  });

  test.each([
    { what: "the store of responses", fails: "put" },
    { what: "the database", fails: "finish" },
  ])(
    "is returned also when $what fails, and a repeat works under the same ID when the lease is over",
    async ({ fails }) => {
      const { ask, deps, clock } = service();
      const down = () => Promise.reject(new Error("down"));
      const { put } = deps.blobs;
      const { finish } = deps.idempotencyKeys;
      if (fails === "put") deps.blobs.put = down;
      else deps.idempotencyKeys.finish = down;
      const ids: string[] = [];
      const startedAtMs = clock.now();
      expect(await ask(async (workId) => (ids.push(workId), "first"))).toBe("first");
      Object.assign(deps.blobs, { put });
      Object.assign(deps.idempotencyKeys, { finish });
      expect(await ask(async (workId) => (ids.push(workId), "second"))).toBe("second");
      expect(new Set(ids).size).toBe(1);
      expect(clock.now() - startedAtMs).toBe(12_000);
      expect(await ask(async () => "third")).toBe("second");
    },
  );

  test("is not kept when it is a failure", async () => {
    const { ask } = service();
    expect(await ask(async () => undefined)).toBeUndefined();
    await expect(ask(() => Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect(await ask(async () => "third")).toBe("third");
  });

  test("is refused for another body, and where nothing may be kept", async () => {
    const { ask } = service();
    await ask(async () => "first", { canStore: false });
    await expect(ask(async () => "second", { canStore: false })).rejects.toMatchObject({
      code: "IDEMPOTENCY_KEY_USED",
    });
    await expect(ask(async () => "other", { fingerprint: "g" })).rejects.toMatchObject({
      code: "IDEMPOTENCY_KEY_USED",
    });
  });
});

test("a request that fails has its own error when its key cannot be released", async () => {
  const { deps, idempotency } = service();
  const release = async () => {
    throw new Error("The database does not answer");
  };
  const own = { ...deps, idempotencyKeys: { ...deps.idempotencyKeys, release } };
  const work = async () => {
    throw new Error("Its own error");
  };
  await expect(respondOnce(own, CALLER, { idempotency, canStore: true, work })).rejects.toThrow("Its own error");
});
