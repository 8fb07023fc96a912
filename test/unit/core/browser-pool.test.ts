import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  EMPTY_POOL,
  nextTickMs,
  stepPool,
  type LeaseOutcome,
  type PoolEffect,
  type PoolEvent,
  type PoolSettings,
  type PoolState,
} from "../../../src/core/browser-pool.ts";

const SETTINGS: PoolSettings = {
  maxBrowsers: 2,
  contextsPerBrowser: 2,
  warm: 1,
  launchIntervalMs: 1000,
  maxPages: 5,
  maxAgeMs: 600_000,
  idleCloseMs: 20_000,
  warmCloseMs: 60_000,
  leaseGraceMs: 10_000,
};

/** A pool with a clock of its own; launches and closings wait until the test lets them happen. */
class Pool {
  state: PoolState = EMPTY_POOL;
  nowMs = 1_000_000;
  effects: PoolEffect[] = [];
  #count = 0;
  readonly settings: PoolSettings;

  constructor(settings: Partial<PoolSettings> = {}) {
    this.settings = { ...SETTINGS, ...settings };
  }

  do(event: PoolEvent): PoolEffect[] {
    const { state, effects } = stepPool(this.state, event, { settings: this.settings, nowMs: this.nowMs });
    this.state = state;
    this.effects.push(...effects);
    return effects;
  }

  ask(leaseId: string, deadlineInMs = 30_000): PoolEffect[] {
    return this.do({ kind: "asked", leaseId, deadlineMs: this.nowMs + deadlineInMs });
  }

  launched(): PoolEffect[] {
    this.#count += 1;
    return this.do({ kind: "launched", sessionId: `browser-${this.#count}` });
  }

  release(leaseId: string, outcome: LeaseOutcome = "ok"): PoolEffect[] {
    return this.do({ kind: "released", leaseId, outcome });
  }

  after(ms: number): PoolEffect[] {
    this.nowMs += ms;
    return this.do({ kind: "ticked" });
  }
}

const kinds = (effects: PoolEffect[]) => effects.map(({ kind }) => kind);

describe("the browser pool", () => {
  test("launches for the first caller and hands the browser out with the time that was waited", () => {
    const pool = new Pool();
    expect(pool.ask("a")).toEqual([{ kind: "launch" }]);
    pool.nowMs += 1500;
    expect(pool.launched()).toEqual([{ kind: "grant", leaseId: "a", sessionId: "browser-1", queuedMs: 1500 }]);
  });

  test("fills one browser before it launches a second, and serves waiters in the order in which they came", () => {
    const pool = new Pool();
    pool.ask("a");
    pool.launched();
    expect(kinds(pool.ask("b"))).toEqual(["grant"]);
    pool.nowMs += 2000;
    expect(kinds(pool.ask("c"))).toEqual(["launch"]);
    expect(pool.ask("d")).toEqual([]);
    const grants = pool.launched();
    expect(grants.map((effect) => "leaseId" in effect && effect.leaseId)).toEqual(["c", "d"]);
    expect(pool.ask("e")).toEqual([]);
    expect(pool.release("a")).toMatchObject([{ kind: "grant", leaseId: "e", sessionId: "browser-1" }]);
  });

  test("keeps the launch budget: the next launch waits for its time", () => {
    const pool = new Pool({ contextsPerBrowser: 1 });
    expect(kinds(pool.ask("a"))).toEqual(["launch"]);
    expect(pool.ask("b")).toEqual([]);
    expect(nextTickMs(pool.state, pool.settings)).toBe(pool.nowMs + 1000);
    expect(kinds(pool.after(1000))).toEqual(["launch"]);
  });

  test("honours Retry-After, and tells callers at once who cannot wait that long", () => {
    const pool = new Pool();
    pool.ask("short", 5_000);
    pool.ask("long", 60_000);
    const effects = pool.do({ kind: "launch_failed", retryAfterMs: 20_000 });
    expect(effects).toEqual([{ kind: "refuse", leaseId: "short", reason: "unavailable", retryAfterMs: 20_000 }]);
    expect(pool.after(19_000)).toEqual([]);
    expect(kinds(pool.after(1_000))).toEqual(["launch"]);
  });

  test("tells every waiter when launches keep failing", () => {
    const pool = new Pool();
    pool.ask("a", 120_000);
    const effects: PoolEffect[] = [];
    for (let attempt = 0; attempt < 3; attempt++)
      effects.push(...pool.do({ kind: "launch_failed" }), ...pool.after(20_000));
    expect(effects.filter(({ kind }) => kind === "refuse")).toMatchObject([{ leaseId: "a", reason: "unavailable" }]);
  });

  test("refuses a waiter at its deadline and not before", () => {
    const pool = new Pool();
    pool.ask("a", 3_000);
    expect(pool.after(2_999)).toEqual([]);
    expect(pool.after(1)).toEqual([{ kind: "refuse", leaseId: "a", reason: "deadline" }]);
  });

  test.each<{ why: string; outcome: LeaseOutcome; pages?: number }>([
    { why: "after a crash", outcome: "crashed" },
    { why: "after a page that hung", outcome: "hung" },
    { why: "when it is gone", outcome: "gone" },
    { why: "after its last page", outcome: "ok", pages: 5 },
  ])("recycles a browser $why, once its other pages are done", ({ outcome, pages = 1 }) => {
    const pool = new Pool();
    pool.ask("other");
    pool.launched();
    for (let page = 1; page < pages - 1; page++) {
      pool.ask(`page-${page}`);
      pool.release(`page-${page}`);
    }
    pool.ask("last");
    expect(kinds(pool.release("last", outcome))).not.toContain("close");
    pool.nowMs += 2000;
    expect(kinds(pool.ask("next"))).toEqual(["launch"]);
    expect(pool.release("other")).toContainEqual({ kind: "close", sessionId: "browser-1" });
  });

  test("recycles a browser that is too old", () => {
    const pool = new Pool({ warmCloseMs: 10_000_000 });
    pool.ask("a");
    pool.launched();
    pool.nowMs += 600_000;
    expect(kinds(pool.release("a"))).toEqual(["close"]);
  });

  test("removes the context of a page that hung", () => {
    const pool = new Pool();
    pool.ask("a");
    pool.launched();
    pool.do({ kind: "bound", leaseId: "a", contextId: "context-a" });
    expect(pool.release("a", "hung")).toContainEqual({
      kind: "dispose",
      sessionId: "browser-1",
      contextId: "context-a",
    });
  });

  test("takes a lease back that nobody returned, context included", () => {
    const pool = new Pool();
    pool.ask("a", 30_000);
    pool.launched();
    pool.do({ kind: "bound", leaseId: "a", contextId: "context-a" });
    expect(pool.after(39_999)).toEqual([]);
    expect(kinds(pool.after(1))).toEqual(["dispose", "close"]);
    expect(pool.release("a")).toEqual([]);
  });

  test("does not trust idle browsers after one of them turned out dead", () => {
    const pool = new Pool({ contextsPerBrowser: 1 });
    pool.ask("a");
    pool.launched();
    pool.after(1000);
    pool.ask("b");
    pool.launched();
    pool.release("a");
    pool.release("b");
    pool.nowMs += 6000;
    pool.ask("c");
    expect(pool.release("c", "gone").filter(({ kind }) => kind === "close")).toHaveLength(2);
  });

  test("closes what rests: browsers above the warm ones soon, the warm ones later", () => {
    const pool = new Pool({ contextsPerBrowser: 1 });
    pool.ask("a");
    pool.launched();
    pool.after(1000);
    pool.ask("b");
    pool.launched();
    pool.release("a");
    pool.nowMs += 1;
    pool.release("b");
    expect(pool.after(20_000)).toEqual([{ kind: "close", sessionId: "browser-1" }]);
    pool.do({ kind: "closed", sessionId: "browser-1" });
    expect(pool.after(39_999)).toEqual([]);
    expect(pool.after(1)).toEqual([{ kind: "close", sessionId: "browser-2" }]);
    pool.do({ kind: "closed", sessionId: "browser-2" });
    expect(nextTickMs(pool.state, pool.settings)).toBeUndefined();
  });

  test("asks again to close a browser whose closing was not confirmed", () => {
    const pool = new Pool({ warmCloseMs: 1000 });
    pool.ask("a");
    pool.launched();
    pool.release("a");
    expect(kinds(pool.after(1000))).toEqual(["close"]);
    expect(pool.after(29_999)).toEqual([]);
    expect(kinds(pool.after(1))).toEqual(["close"]);
  });
});

type Move =
  | { kind: "ask"; deadlineInMs: number }
  | { kind: "release"; pick: number; outcome: LeaseOutcome }
  | { kind: "forget"; pick: number }
  | { kind: "launch"; ok: boolean; retryAfterMs: number | undefined }
  | { kind: "close"; pick: number }
  | { kind: "wait"; ms: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("ask" as const), deadlineInMs: fc.integer({ min: 0, max: 60_000 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("release" as const),
      pick: fc.nat(),
      outcome: fc.constantFrom<LeaseOutcome>("ok", "ok", "ok", "crashed", "hung", "gone"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), pick: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("launch" as const),
      ok: fc.boolean(),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("close" as const), pick: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 30_000 }) }) },
);

/** A world around the pool: launches that are under way, browsers that live, callers that hold leases or lost them. */
class World extends Pool {
  launches = 0;
  alive = new Set<string>();
  closing = new Set<string>();
  waiting = new Map<string, number>();
  holding = new Set<string>();
  launchTimes: number[] = [];
  #names = 0;

  override do(event: PoolEvent): PoolEffect[] {
    const effects = super.do(event);
    for (const effect of effects) this.#see(effect);
    this.check();
    return effects;
  }

  #see(effect: PoolEffect): void {
    if (effect.kind === "launch") {
      this.launches += 1;
      this.launchTimes.push(this.nowMs);
    }
    if (effect.kind === "close") this.closing.add(effect.sessionId);
    if (effect.kind === "grant" || effect.kind === "refuse") {
      expect(this.waiting.has(effect.leaseId)).toBe(true);
      this.waiting.delete(effect.leaseId);
    }
    if (effect.kind === "grant") {
      expect(this.alive.has(effect.sessionId) && !this.closing.has(effect.sessionId)).toBe(true);
      this.holding.add(effect.leaseId);
    }
  }

  check(): void {
    const { maxBrowsers, contextsPerBrowser, launchIntervalMs } = this.settings;
    expect(this.alive.size + this.launches).toBeLessThanOrEqual(maxBrowsers);
    for (const { sessionId } of this.state.browsers) {
      const leases = this.state.leases.filter((lease) => lease.sessionId === sessionId);
      expect(leases.length).toBeLessThanOrEqual(contextsPerBrowser);
    }
    for (const deadlineMs of this.waiting.values()) expect(deadlineMs).toBeGreaterThan(this.nowMs);
    expect(this.state.waiters.length).toBe(this.waiting.size);
    const [last, before] = this.launchTimes.toReversed();
    if (last !== undefined && before !== undefined) expect(last - before).toBeGreaterThanOrEqual(launchIntervalMs);
  }

  play(step: Move): void {
    if (step.kind === "ask") {
      this.#names += 1;
      const leaseId = `lease-${this.#names}`;
      this.waiting.set(leaseId, this.nowMs + step.deadlineInMs);
      this.ask(leaseId, step.deadlineInMs);
    }
    if (step.kind === "release") this.#pick(this.holding, step.pick, (leaseId) => this.release(leaseId, step.outcome));
    if (step.kind === "forget") this.#pick(this.holding, step.pick, () => undefined);
    if (step.kind === "close") this.#pick(this.closing, step.pick, (sessionId) => this.#closed(sessionId));
    if (step.kind === "launch" && this.launches > 0) this.#launch(step);
    if (step.kind === "wait") this.#wait(step.ms);
  }

  #pick(names: Set<string>, pick: number, act: (name: string) => void): void {
    const name = [...names][pick % Math.max(1, names.size)];
    if (name === undefined) return;
    names.delete(name);
    act(name);
  }

  #closed(sessionId: string): void {
    this.alive.delete(sessionId);
    this.do({ kind: "closed", sessionId });
  }

  #launch({ ok, retryAfterMs }: { ok: boolean; retryAfterMs: number | undefined }): void {
    this.launches -= 1;
    if (!ok) {
      this.do({ kind: "launch_failed", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
      return;
    }
    this.#names += 1;
    const sessionId = `session-${this.#names}`;
    this.alive.add(sessionId);
    this.do({ kind: "launched", sessionId });
  }

  /** Time passes as it does around the real machine: it is woken whenever it asked to be. */
  #wait(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (let ticks = 0; ticks < 1000; ticks++) {
      const tickMs = nextTickMs(this.state, this.settings);
      if (tickMs === undefined || tickMs > untilMs) break;
      this.nowMs = Math.max(this.nowMs, tickMs);
      this.do({ kind: "ticked" });
    }
    this.nowMs = untilMs;
    this.check();
  }

  /** Everyone goes home. */
  rest(): void {
    while (this.holding.size > 0) this.play({ kind: "release", pick: 0, outcome: "ok" });
    for (let round = 0; round < 20; round++) {
      while (this.launches > 0) this.play({ kind: "launch", ok: true, retryAfterMs: undefined });
      while (this.holding.size > 0) this.play({ kind: "release", pick: 0, outcome: "ok" });
      while (this.closing.size > 0) this.play({ kind: "close", pick: 0 });
      this.play({ kind: "wait", ms: 30_000 });
    }
  }
}

const settings: fc.Arbitrary<Partial<PoolSettings>> = fc.record({
  maxBrowsers: fc.integer({ min: 1, max: 4 }),
  contextsPerBrowser: fc.integer({ min: 1, max: 4 }),
  warm: fc.integer({ min: 0, max: 2 }),
  launchIntervalMs: fc.constantFrom(1, 334, 20_000),
  maxPages: fc.integer({ min: 1, max: 6 }),
});

test("whatever happens, the pool keeps its limits, answers every waiter in time and is empty at rest", () => {
  fc.assert(
    fc.property(settings, fc.array(move, { maxLength: 120 }), (given, moves) => {
      const world = new World(given);
      for (const step of moves) world.play(step);
      world.rest();
      expect({ waiting: world.waiting.size, alive: world.alive.size, leases: world.state.leases }).toEqual({
        waiting: 0,
        alive: 0,
        leases: [],
      });
    }),
    { numRuns: 500 },
  );
});

describe("spare browsers", () => {
  const settings = {
    maxBrowsers: 4,
    contextsPerBrowser: 1,
    maxPages: 1,
    warm: 1,
    spare: 1,
    spareDelayMs: 500,
    idleCloseMs: 0,
  };
  const launches = (effects: PoolEffect[]): number => effects.filter(({ kind }) => kind === "launch").length;

  test("are started a moment after somebody asked, and not before", () => {
    const pool = new Pool(settings);
    expect(launches(pool.ask("first"))).toBe(1);
    pool.launched();
    expect(launches(pool.after(400))).toBe(0);
    expect(nextTickMs(pool.state, pool.settings)).toBe(pool.nowMs + 600);
    expect(launches(pool.after(600))).toBe(1);
    pool.launched();
    expect(launches(pool.after(5_000))).toBe(0);
    expect(pool.ask("second")).toContainEqual(expect.objectContaining({ kind: "grant", sessionId: "browser-2" }));
  });

  test("are closed when nobody comes", () => {
    const pool = new Pool(settings);
    pool.ask("first");
    pool.launched();
    pool.after(1_000);
    pool.launched();
    expect(pool.release("first")).toContainEqual({ kind: "close", sessionId: "browser-1" });
    expect(pool.after(60_000)).toContainEqual({ kind: "close", sessionId: "browser-2" });
  });

  test("never go over the limit, and are not owed for ever", () => {
    const pool = new Pool({ ...settings, maxBrowsers: 1 });
    pool.ask("first");
    pool.launched();
    expect(launches(pool.after(10_000))).toBe(0);
    expect(pool.state.sparesDueMs).toBeUndefined();
  });
});
