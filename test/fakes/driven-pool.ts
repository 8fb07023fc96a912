import {
  EMPTY_POOL,
  stepPool,
  type LeaseOutcome,
  type PoolEffect,
  type PoolEvent,
  type PoolSettings,
  type PoolState,
} from "../../src/core/sessions/browser-pool.ts";

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
export class DrivenPool {
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
