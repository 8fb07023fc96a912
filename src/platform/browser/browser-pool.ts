import { z } from "zod";
import { readReplaceable } from "../../core/stored-state.ts";
import { DurableObject } from "cloudflare:workers";
import {
  EMPTY_POOL,
  nextTickMs,
  stepPool,
  Lease,
  type LeaseOutcome,
  PooledBrowser,
  type PoolEffect,
  type PoolEvent,
  PoolSettings,
  type PoolState,
  type RefusalReason,
} from "../../core/sessions/browser-pool.ts";
import type { Owner } from "../../core/fair-order.ts";
import { within } from "./abortable.ts";
import { isOwnBrowser } from "../../core/own-browsers.ts";
import { endOwnBrowser, OwnBrowsers, withOwnBrowsers, type BrowserEnv } from "./own-browsers.ts";
import { AccountRoom, SESSION_POOL } from "./account-room.ts";
import { closeSession, disposeContext, LaunchError, launchSession } from "./browser-sessions.ts";
import { logEvent } from "../log-event.ts";
import type { MetricTargets } from "../metrics/metric-buffer.ts";
import { createTelemetry } from "../metrics/telemetry.ts";

/** A slot in a browser, or the reason why there is none. */
export type BrowserGrant =
  | { kind: "granted"; leaseId: string; sessionId: string; queuedMs: number }
  | { kind: "refused"; reason: RefusalReason; retryAfterMs?: number };

export interface AcquireRequest {
  /** Ms since the epoch until which the caller waits for a browser and then uses it. */
  deadlineMs: number;
  settings: PoolSettings & { keepAliveMs: number };
  /** The owner of the request: slots are shared fairly between teams, and between the keys of a team. */
  owner?: Owner | undefined;
}

const StoredSettings = PoolSettings.extend({ keepAliveMs: z.number() });

function listed<Value>(value: Value | undefined): Value[] {
  return value === undefined ? [] : [value];
}

interface PoolEnv extends Pick<MetricTargets, "SERVICE_METRICS">, BrowserEnv {
  BROWSER_POOL: { getByName(name: string): { status(): Promise<PoolStatus> } };
}

export interface PoolStatus {
  browsers: string[];
  leases: number;
  waiters: number;
}

/** A launch that takes longer than this counts as failed; a browser takes seconds to start. */
const LAUNCH_LIMIT_MS = 45_000;
/** Time after which a launch is tried again when the account has no browser left for page loads. */
const NO_ROOM_RETRY_MS = 3_000;
/** Time after which browsers of the operator that did not answer are asked again. */
const OWN_RETRY_MS = 2_000;
/** Interval at which they are looked for while browsers of the platform do their work. */
const OWN_LOOK_MS = 5_000;
const CLOSE_LIMIT_MS = 15_000;
/** Browsers of sessions beyond their number, for teams that have none while others hold all: one team could for an hour. */
const SHARE_BESIDE = 0.2;
/** An alarm is rescheduled only when it would fire later than needed by more than this. */
const ALARM_SLACK_MS = 250;

/**
 * The browsers of this service and their leases. The pool assigns slots and carries no traffic: the holder of a lease
 * connects to the browser directly. It knows only browsers that it started: the platform's list of sessions also names
 * those that callers hold.
 */
export class BrowserPool extends DurableObject<PoolEnv> {
  /** The stored rows: settings, browsers and leases by their names. */
  readonly #rows = new Map<string, unknown>();
  readonly #waiting = new Map<string, (grant: BrowserGrant) => void>();
  #state: PoolState = EMPTY_POOL;
  #settings: AcquireRequest["settings"] | undefined;
  #leastBrowsers = 0;
  readonly #room = new AccountRoom();
  #alarmMs: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Time from which browsers of the operator are looked for. */
  #lookAtMs = 0;
  /** Launches of browsers of the platform that have not ended. */
  #platformLaunches = 0;

  readonly #own: OwnBrowsers;
  /** True where the platform starts browsers. */
  readonly #hasPlatform: boolean;
  /** The pool of sessions, each of which has a browser of its own. */
  readonly #isForSessions: boolean;

  constructor(state: DurableObjectState, env: PoolEnv) {
    super(state, withOwnBrowsers(env));
    this.#isForSessions = state.id.name === SESSION_POOL;
    this.#own = new OwnBrowsers(this.#isForSessions ? env.BROWSER_CDP_SESSION_URLS : env.BROWSER_CDP_URLS);
    this.#hasPlatform = env.BROWSER !== undefined;
    state.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS pool (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    );
    this.#load();
  }

  /** Waits for a slot in a browser. */
  acquire(request: AcquireRequest): Promise<BrowserGrant> {
    this.#use(request.settings);
    const leaseId = crypto.randomUUID();
    return new Promise((resolve) => {
      this.#waiting.set(leaseId, resolve);
      this.#step({ kind: "asked", leaseId, deadlineMs: request.deadlineMs, owner: request.owner });
      this.#lookForOwn();
    });
  }

  /**
   * Asks at times whether a browser of the operator answers whose work browsers of the platform do: as long as these
   * suffice, none is launched, and it would stay unused. A session keeps its browser, and the next one launches another.
   */
  #lookForOwn(): void {
    const { BROWSER } = this.env;
    const used = this.#state.browsers.map(({ sessionId }) => sessionId);
    const own = used.filter(isOwnBrowser).length;
    const isMissing = own < this.#own.count && own < used.length;
    if (BROWSER === undefined || this.#isForSessions || !isMissing || Date.now() < this.#lookAtMs) return;
    this.#lookAtMs = Date.now() + OWN_LOOK_MS;
    const look = async (): Promise<void> => {
      const sessionId = await this.#own.take(BROWSER, used);
      if (sessionId !== undefined) this.#step({ kind: "found", sessionId });
    };
    this.ctx.waitUntil(look());
  }

  /** Takes the settings of a request, when they differ from the stored ones. */
  #use(settings: AcquireRequest["settings"]): void {
    const { maxBrowsers, reservedOfAccount } = settings;
    this.#leastBrowsers = maxBrowsers;
    const own = reservedOfAccount === undefined ? 0 : (this.#room.limit ?? 0) - reservedOfAccount;
    const wanted = {
      ...settings,
      maxBrowsers: this.#withOwn(Math.max(maxBrowsers, own)),
      ...(this.#isForSessions && this.#hasPlatform ? { browsersBeside: Math.ceil(maxBrowsers * SHARE_BESIDE) } : {}),
    };
    if (JSON.stringify(wanted) !== JSON.stringify(this.#settings)) this.#settings = wanted;
    if (reservedOfAccount !== undefined) this.#readLimit(settings);
  }

  /** Adds the operator's browsers to those of the platform. The number of sessions has its own setting. */
  #withOwn(platform: number): number {
    if (!this.#hasPlatform) return this.#isForSessions ? Math.min(platform, this.#own.count) : this.#own.count;
    return this.#isForSessions ? platform : platform + this.#own.count;
  }

  /** Reads the limit of the account at times, and gives waiting callers the browsers that it allows. */
  #readLimit(settings: AcquireRequest["settings"]): void {
    const { BROWSER } = this.env;
    if (BROWSER === undefined || !this.#room.isLimitDue) return;
    const read = async (): Promise<void> => {
      if (!(await this.#room.readLimit(BROWSER))) return;
      this.#use(settings);
      this.#step({ kind: "ticked" });
    };
    this.ctx.waitUntil(read());
  }

  /** Stores the browser context of a lease, so that it can be removed when the holder never releases it. */
  bind(leaseId: string, contextId: string): void {
    this.#step({ kind: "bound", leaseId, contextId });
  }

  release(leaseId: string, outcome: LeaseOutcome): void {
    this.#step({ kind: "released", leaseId, outcome });
  }

  status(): PoolStatus {
    const { browsers, leases, waiters } = this.#state;
    return { browsers: browsers.map(({ sessionId }) => sessionId), leases: leases.length, waiters: waiters.length };
  }

  override alarm(): void {
    this.#alarmMs = undefined;
    this.#step({ kind: "ticked" });
  }

  #step(event: PoolEvent): void {
    if (this.#settings === undefined) return;
    const { state, effects } = stepPool(this.#state, event, { settings: this.#settings, nowMs: Date.now() });
    this.#state = state;
    this.#save();
    for (const effect of effects) this.#perform(effect);
    this.#schedule(this.#settings);
  }

  #perform(effect: PoolEffect): void {
    switch (effect.kind) {
      case "grant": {
        const { leaseId, sessionId, queuedMs } = effect;
        return this.#answer(leaseId, { kind: "granted", leaseId, sessionId, queuedMs });
      }
      case "refuse": {
        const { leaseId, reason, retryAfterMs } = effect;
        return this.#answer(leaseId, {
          kind: "refused",
          reason,
          ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        });
      }
      case "launch":
        return this.ctx.waitUntil(this.#launch());
      case "close":
        return this.ctx.waitUntil(this.#close(effect.sessionId));
      case "lost":
        return this.#countLost(effect.leases);
      case "dispose":
        return this.ctx.waitUntil(this.#dispose(effect.sessionId, effect.contextId));
    }
  }

  #countLost(leases: number): void {
    const telemetry = createTelemetry({ targets: this.env, extend: (work) => this.ctx.waitUntil(work) });
    telemetry.count("leases_lost_total", { kind: "browser" }, leases);
  }

  #answer(leaseId: string, grant: BrowserGrant): void {
    this.#waiting.get(leaseId)?.(grant);
    this.#waiting.delete(leaseId);
  }

  async #launch(): Promise<void> {
    const { BROWSER } = this.env;
    try {
      if (BROWSER === undefined) throw new LaunchError("This deployment has no browser binding");
      const ownSessionId = await this.#own.take(
        BROWSER,
        this.#state.browsers.map(({ sessionId }) => sessionId),
      );
      if (ownSessionId !== undefined) return this.#step({ kind: "launched", sessionId: ownSessionId });
      if (!this.#hasPlatform) throw new LaunchError("No browser of BROWSER_CDP_URLS answers", OWN_RETRY_MS);
      this.#step({ kind: "launched", sessionId: await this.#launchOfPlatform(BROWSER) });
    } catch (error) {
      logEvent({ event: "browser_launch_failed", reason: String(error) });
      const retryAfterMs = error instanceof LaunchError ? error.retryAfterMs : undefined;
      this.#step({ kind: "launch_failed", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
    }
  }

  /**
   * Starts a browser of the platform.
   * @returns the id of its session
   * @throws LaunchError when it does not start, or when the room that is left is that of the operator's browsers
   */
  async #launchOfPlatform(BROWSER: Fetcher): Promise<string> {
    const { maxBrowsers = 0, browsersBeside = 0, keepAliveMs = 60_000 } = this.#settings ?? {};
    const running = this.#state.browsers.filter(({ sessionId }) => !isOwnBrowser(sessionId)).length;
    const most = maxBrowsers + browsersBeside - (this.#isForSessions ? 0 : this.#own.count);
    if (running + this.#platformLaunches >= most)
      throw new LaunchError("No browser of BROWSER_CDP_URLS answers, and the platform's are all in use", OWN_RETRY_MS);
    this.#platformLaunches++;
    try {
      await this.#takeRoom(BROWSER);
      const launching = launchSession(BROWSER, keepAliveMs);
      const sessionId = await within(launching, LAUNCH_LIMIT_MS, undefined);
      if (sessionId !== undefined) return sessionId;
      // The browser may still start, and is closed then.
      this.ctx.waitUntil(launching.then((late) => closeSession(BROWSER, late)).catch(() => undefined));
      throw new LaunchError("The browser took too long to start");
    } finally {
      this.#platformLaunches--;
    }
  }

  /** @throws LaunchError when the other pools hold every browser of the account that is not for sessions. */
  async #takeRoom(BROWSER: Fetcher): Promise<void> {
    const reserved = this.#settings?.reservedOfAccount;
    if (reserved === undefined) return;
    const { BROWSER_POOL } = this.env;
    if (await this.#room.take({ BROWSER, BROWSER_POOL }, { reserved, least: this.#leastBrowsers })) return;
    throw new LaunchError("The account has no browser left for page loads", NO_ROOM_RETRY_MS);
  }

  /** Closes a browser. A call that fails or hangs is repeated by a later tick. */
  async #close(sessionId: string): Promise<void> {
    if (this.env.BROWSER === undefined) return;
    if (isOwnBrowser(sessionId)) return await this.#closeOwn(this.env.BROWSER, sessionId);
    const closing = closeSession(this.env.BROWSER, sessionId).then(() => "closed" as const);
    const end = await within(closing, CLOSE_LIMIT_MS, "late").catch(() => "failed");
    if (end !== "closed") return;
    this.#room.giveBack();
    this.#step({ kind: "closed", sessionId });
  }

  /**
   * Ends the browser of a session; one that does not end stays taken, and a later tick tries again. A browser of page
   * loads goes on: each load has removed its context.
   */
  async #closeOwn(binding: Fetcher, sessionId: string): Promise<void> {
    if (this.#isForSessions && !(await endOwnBrowser(binding, sessionId))) return;
    this.#step({ kind: "closed", sessionId });
  }

  /** Removes a context. Best effort: its browser is closed soon after in any case. */
  async #dispose(sessionId: string, contextId: string): Promise<void> {
    if (this.env.BROWSER === undefined) return;
    await disposeContext(this.env.BROWSER, sessionId, contextId).catch(() => undefined);
  }

  /** Sets a timer for waiting callers, and an alarm that wakes the object after an eviction. */
  #schedule(settings: PoolSettings): void {
    clearTimeout(this.#timer);
    const tickMs = nextTickMs(this.#state, settings);
    if (tickMs === undefined) return;
    const dueMs = Math.max(tickMs, Date.now() + 1);
    if (this.#state.waiters.length > 0) {
      this.#timer = setTimeout(() => this.#step({ kind: "ticked" }), dueMs - Date.now());
    }
    if (this.#alarmMs !== undefined && this.#alarmMs <= dueMs + ALARM_SLACK_MS) return;
    this.#alarmMs = dueMs;
    this.ctx.waitUntil(this.ctx.storage.setAlarm(dueMs));
  }

  /** Reads the stored rows, when the object starts. The platform closes browsers whose rows cannot be read. */
  #load(): void {
    const browsers: PooledBrowser[] = [];
    const leases: Lease[] = [];
    for (const { name, value } of this.ctx.storage.sql.exec<{ name: string; value: string }>("SELECT * FROM pool")) {
      if (name === "settings") this.#settings = readReplaceable(StoredSettings, value);
      else if (name.startsWith("browser:")) browsers.push(...listed(readReplaceable(PooledBrowser, value)));
      else leases.push(...listed(readReplaceable(Lease, value)));
      // A row that cannot be read is deleted with the next change.
      this.#rows.set(name, undefined);
    }
    this.#rows.set("settings", this.#settings);
    for (const browser of browsers) this.#rows.set(`browser:${browser.sessionId}`, browser);
    for (const lease of leases) this.#rows.set(`lease:${lease.leaseId}`, lease);
    this.#state = { ...EMPTY_POOL, browsers, leases };
  }

  /** Writes the rows that changed: the state holds the same objects as before for all others. */
  #save(): void {
    const { sql } = this.ctx.storage;
    const rows = new Map<string, unknown>([["settings", this.#settings]]);
    for (const browser of this.#state.browsers) rows.set(`browser:${browser.sessionId}`, browser);
    for (const lease of this.#state.leases) rows.set(`lease:${lease.leaseId}`, lease);
    for (const [name, value] of rows) {
      if (this.#rows.get(name) === value) continue;
      sql.exec("INSERT OR REPLACE INTO pool (name, value) VALUES (?, ?)", name, JSON.stringify(value));
      this.#rows.set(name, value);
    }
    if (this.#rows.size === rows.size) return;
    for (const name of this.#rows.keys()) {
      if (rows.has(name)) continue;
      sql.exec("DELETE FROM pool WHERE name = ?", name);
      this.#rows.delete(name);
    }
  }
}
