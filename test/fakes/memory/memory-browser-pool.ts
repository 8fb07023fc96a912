import {
  EMPTY_POOL,
  nextTickMs,
  stepPool,
  type PoolEffect,
  type PoolEvent,
  type PoolState,
} from "../../../src/core/sessions/browser-pool.ts";
import type { AcquireRequest, BrowserGrant } from "../../../src/platform/browser/browser-pool.ts";
import { closeSession, disposeContext, launchSession } from "../../../src/platform/browser/browser-sessions.ts";

/** The pool without its Durable Object: the same machine, with the effects carried out on a binding. */
export class MemoryBrowserPool {
  state: PoolState = EMPTY_POOL;
  readonly #binding: Fetcher;
  readonly #waiting = new Map<string, (grant: BrowserGrant) => void>();
  #settings: AcquireRequest["settings"] | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;

  constructor(binding: Fetcher) {
    this.#binding = binding;
  }

  acquire({ deadlineMs, owner, settings }: AcquireRequest): Promise<BrowserGrant> {
    this.#settings = settings;
    const leaseId = `lease-${++this.#count}`;
    return new Promise((resolve) => {
      this.#waiting.set(leaseId, resolve);
      this.do({ kind: "asked", leaseId, deadlineMs, owner });
    });
  }

  async bind(leaseId: string, contextId: string): Promise<void> {
    this.do({ kind: "bound", leaseId, contextId });
  }

  async release(leaseId: string, outcome: "ok" | "crashed" | "hung" | "gone"): Promise<void> {
    this.do({ kind: "released", leaseId, outcome });
  }

  /** Stops the timer. Without this, a test's fake clock leaves one that is due at once for ever. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#settings = undefined;
  }

  do(event: PoolEvent): void {
    if (this.#settings === undefined) return;
    const settings = this.#settings;
    const { state, effects } = stepPool(this.state, event, { settings, nowMs: Date.now() });
    this.state = state;
    for (const effect of effects) void this.#perform(effect);
    clearTimeout(this.#timer);
    const tickMs = nextTickMs(this.state, settings);
    if (tickMs !== undefined)
      this.#timer = setTimeout(() => this.do({ kind: "ticked" }), Math.max(1, tickMs - Date.now()));
  }

  async #perform(effect: PoolEffect): Promise<void> {
    if (effect.kind === "grant") this.#waiting.get(effect.leaseId)?.({ ...effect, kind: "granted" });
    if (effect.kind === "refuse") this.#waiting.get(effect.leaseId)?.({ ...effect, kind: "refused" });
    if (effect.kind === "launch") {
      this.do({ kind: "launched", sessionId: await launchSession(this.#binding, 60_000) });
    }
    if (effect.kind === "dispose") {
      await disposeContext(this.#binding, effect.sessionId, effect.contextId).catch(() => undefined);
    }
    if (effect.kind === "close") {
      await closeSession(this.#binding, effect.sessionId);
      this.do({ kind: "closed", sessionId: effect.sessionId });
    }
  }
}
