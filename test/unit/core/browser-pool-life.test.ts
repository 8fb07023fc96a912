import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  nextTickMs,
  type LeaseOutcome,
  type PoolEffect,
  type PoolEvent,
  type PoolSettings,
} from "../../../src/core/sessions/browser-pool.ts";
import { DrivenPool } from "../../fakes/driven-pool.ts";

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
class World extends DrivenPool {
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
