import type { BrowserSessionEnv, SessionSettings, StoredSession, Unsettled } from "./stored-session.ts";
import { DurableObject } from "cloudflare:workers";
import type { EndReason, SessionLife, SessionPlan, TokenScope } from "../../core/sessions/browser-session.ts";
import type { ExecutionRequest } from "../../core/sessions/execution.ts";
import { randomToken } from "../../core/text/hash.ts";
import type {
  Access,
  CommandExecution,
  Execution,
  OpenOutcome,
  OpenRefusal,
  SessionSummary,
  SessionView,
  Visits,
} from "../../ports/sessions/browser-session.ts";
import {
  beginLife,
  countRun,
  dueEnd,
  durationMs,
  endIfDue,
  endLife,
  sessionCredits,
  touchLife,
} from "../../sessions/life.ts";
import { lastingAlarm } from "../lasting-alarm.ts";
import { ObjectAlarm } from "../object-alarm.ts";
import { createBrowserSessionStore } from "../../storage/sessions/browser-session-store.ts";
import { logEvent } from "../log-event.ts";
import { forgetTime, rowOf } from "./stored-session.ts";
import { StoredWorkspace } from "./stored-workspace.ts";
import { withOwnBrowsers } from "../browser/own-browsers.ts";
import { leaseBrowser } from "./lease-browser.ts";
import { restoreScrape, type RestoredScrape } from "./restore-scrape.ts";
import type { SessionGuard } from "./session-guard.ts";
import { createSessionRuns } from "./create-session-runs.ts";
import type { SessionRuns, Worked } from "./session-runs.ts";
import { outboundGuardOf, startGuard } from "./start-guard.ts";
import { scopeOf, sessionTokens, type TokenSeed } from "./session-tokens.ts";
import { settleEnd } from "./settle-end.ts";
import { VisitedOrigins } from "./visited-origins.ts";

/** Interval of the alarm of an active session, which checks its end, keeps the object in memory and its connection open. */
const CHECK_MS = 10_000;
const SETTLE_AGAIN_MS = 5_000;
/** Activity is stored at most this often. */
const TOUCH_WRITE_MS = 5_000;
/** Time in which a caller stores what is kept of a session, and ends it. */
const END_CLAIM_MS = 120_000;

/**
 * One browser session, from its start until its end is settled: browser released, credits charged, row written. The
 * rules are those of `sessions/life.ts`. Only the guard's browser traffic passes through this object.
 */
export class BrowserSession extends DurableObject<BrowserSessionEnv> {
  readonly #alarm = new ObjectAlarm(this.ctx.storage);
  #stored: StoredSession | undefined;
  #guard: Promise<SessionGuard> | undefined;
  #runs: SessionRuns | undefined;
  /** Runs wait for it while the scrape's page is restored. */
  #replaying: Promise<RestoredScrape> | undefined;
  #settling: Promise<void> | undefined;
  #opening: Promise<OpenOutcome> | undefined;
  #writtenMs = 0;
  #endClaim: { by: string | undefined; atMs: number } = { by: undefined, atMs: -Infinity };

  constructor(state: DurableObjectState, env: BrowserSessionEnv) {
    super(state, withOwnBrowsers(env));
    this.#stored = state.storage.kv.get<StoredSession>("session");
  }

  /** Opens the session once: calls that repeat a lost one return the same session. */
  open(plan: SessionPlan, settings: SessionSettings): Promise<OpenOutcome> {
    this.#opening ??= this.#open(plan, settings).finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(plan: SessionPlan, settings: SessionSettings): Promise<OpenOutcome> {
    if (this.#stored !== undefined) return await this.#reopen(this.#stored);
    const guard = outboundGuardOf(this.env, settings);
    const leased = await leaseBrowser(this.env, { settings: settings.pool, guard, plan });
    if (leased.kind === "no_browser") return leased;
    const { leaseId, browserSessionId } = leased;
    const life = beginLife(plan, Date.now());
    const { tabId } = leased.guard;
    this.#save({ life, settings, leaseId, browserSessionId, tabId, secret: randomToken(), unsettled: {} });
    StoredWorkspace.begin(this.ctx.storage.kv, tabId);
    this.#watch(Promise.resolve(leased.guard));
    await this.#schedule();
    try {
      const refusal = await this.#enter(life);
      if (refusal !== undefined) {
        await this.#end("deleted", { isFree: true });
        return refusal;
      }
    } catch (error) {
      await this.#end("deleted", { isFree: true });
      throw error;
    }
    this.ctx.waitUntil(this.#runsOf(this.#stored ?? fail())?.warmUp() ?? Promise.resolve());
    const { unwritten = [] } = (await this.#replaying) ?? {};
    const view = await this.#view(this.#stored ?? fail());
    return { kind: "opened", view, ...(unwritten.length === 0 ? {} : { unwritten }) };
  }

  /** Returns the session that an earlier call has opened, if it is still active. */
  async #reopen(stored: StoredSession): Promise<OpenOutcome> {
    await this.#current();
    if (stored.life.end === undefined && (await this.#guarded(stored)) !== undefined) {
      // The earlier call may have been lost before these.
      await this.#store().insert(rowOf(stored.life));
      await this.#schedule();
    }
    const { life } = this.#stored ?? stored;
    return life.end === undefined
      ? { kind: "opened", view: await this.#view(this.#stored ?? stored) }
      : { kind: "ended" };
  }

  /** Inserts the session into the list and restores its scrape's page. @returns why that failed */
  async #enter(life: SessionLife): Promise<OpenRefusal | undefined> {
    const bySessionId = await this.#store().insert(rowOf(life));
    if (bySessionId !== undefined) return { kind: "taken", bySessionId };
    this.#replaying = restoreScrape(this.env, this.#stored?.browserSessionId ?? fail(), life);
    const { failure: reason } = await this.#replaying;
    return reason === undefined ? undefined : { kind: "not_replayed", reason };
  }

  async find(): Promise<SessionView | undefined> {
    const stored = await this.#entered();
    return stored === undefined ? undefined : this.#view(stored);
  }

  /** Claims the end for one caller at a time. Callers of the release before have no name. */
  claimEnd(claimant?: string): boolean {
    const { by, atMs } = this.#endClaim;
    const isOwn = claimant !== undefined && claimant === by;
    if (!isOwn && Date.now() - atMs < END_CLAIM_MS) return false;
    this.#endClaim = { by: claimant, atMs: Date.now() };
    return true;
  }

  async close(reason: EndReason): Promise<SessionSummary | undefined> {
    const before = await this.#current();
    if (before === undefined) return undefined;
    const wasEnded = before.life.end !== undefined;
    if (!wasEnded) await this.#end(reason);
    const { life } = this.#stored ?? before;
    const nowMs = Date.now();
    return { durationMs: durationMs(life, nowMs), credits: sessionCredits(life, nowMs), wasEnded };
  }

  async authorize(token: string, wanted: TokenScope): Promise<Access> {
    const stored = await this.#entered();
    if (stored === undefined) return { kind: "refused", reason: "unknown" };
    if (stored.life.end !== undefined) return { kind: "refused", reason: "ended" };
    const scope = await scopeOf(token, this.#seed(stored), wanted);
    if (scope === undefined) return { kind: "refused", reason: "token" };
    this.#startGuard(stored);
    this.touch();
    return { kind: "granted", scope, browserSessionId: stored.browserSessionId };
  }

  /** Returns the origins of the session's documents. */
  async visits(): Promise<Visits> {
    const guard = await this.#guard?.catch(() => undefined);
    const origins = guard?.visited.latestFirst() ?? VisitedOrigins.stored(this.ctx.storage.kv);
    return { origins, firstTabId: this.#stored?.tabId };
  }

  /** Resolves when a target's requests are checked, then navigates to `url`, if given. False for hidden targets. */
  async whenIntercepted(targetId: string, url?: string): Promise<boolean> {
    return (await (await this.#activeGuard())?.whenIntercepted(targetId, url)) ?? false;
  }

  /** Called when a driver's connection has ended: the browser has reset what was set over it. */
  async driverLeft(): Promise<void> {
    (await this.#guard)?.restoreSettings();
  }

  /** Reports whether the session's browser may send a request to an address. */
  async mayRequest(url: string): Promise<boolean> {
    return (await (await this.#activeGuard())?.mayRequest(url)) ?? false;
  }

  /** The former name of `whenIntercepted`: a Worker of the release before calls it until the deployment is complete. */
  admitted(targetId: string, url?: string): Promise<boolean> {
    return this.whenIntercepted(targetId, url);
  }

  /** The former name of `mayRequest`. */
  mayCall(url: string): Promise<boolean> {
    return this.mayRequest(url);
  }

  /** Records activity of the session. */
  touch(): void {
    if (this.#stored === undefined) return;
    const nowMs = Date.now();
    this.#stored = { ...this.#stored, life: touchLife(this.#stored.life, nowMs) };
    if (nowMs - this.#writtenMs >= TOUCH_WRITE_MS) this.#save(this.#stored);
  }

  /** Runs code with the session's browser. */
  async execute({ teamId, ...request }: ExecutionRequest & { teamId: string }): Promise<Execution> {
    const stored = await this.#current();
    if (stored === undefined) return { kind: "unknown" };
    if (stored.life.teamId !== teamId) return { kind: "foreign" };
    const worked = await this.#work(stored, (runs) => runs.execute(request));
    return worked.kind === "done" ? { kind: "done", outcome: worked.value } : worked;
  }

  /** Runs one command of `agent-browser`. */
  async command({ args, timeoutMs }: { args: string[]; timeoutMs: number }): Promise<CommandExecution> {
    const stored = await this.#current();
    if (stored === undefined) return { kind: "ended" };
    const worked = await this.#work(stored, (runs) => runs.command(args, timeoutMs));
    return worked.kind === "done" ? { kind: "done", output: worked.value } : worked;
  }

  /** Works in the session's browser, which counts as use of the session until the work ends. */
  async #work<T>(
    stored: StoredSession,
    work: (runs: SessionRuns) => Promise<Worked<T>>,
  ): Promise<Worked<T> | { kind: "unavailable" }> {
    if (stored.life.end !== undefined) return { kind: "ended" };
    const runs = this.#runsOf(stored);
    if (runs === undefined) return { kind: "unavailable" };
    this.#startGuard(stored);
    this.#count(1);
    try {
      return await work(runs);
    } finally {
      this.#count(-1);
    }
  }

  /** Charges the session at the rate of sessions with prompts from now on. */
  markPrompted(): void {
    if (this.#stored !== undefined) this.#save({ ...this.#stored, life: { ...this.#stored.life, isPrompted: true } });
  }

  /** Connects running code to its browser; see `SessionBrowserBinding`. */
  override async fetch(request: Request): Promise<Response> {
    return this.#runs === undefined ? new Response("Nothing runs", { status: 403 }) : this.#runs.connect(request);
  }

  override alarm(): Promise<void> {
    return lastingAlarm(this.ctx.storage, () => this.#wake());
  }

  async #wake(): Promise<void> {
    this.#alarm.forget();
    const stored = await this.#current();
    if (stored === undefined) return;
    if (stored.life.end === undefined) {
      (await this.#guarded(stored))?.denyDownloads();
      return this.#schedule();
    }
    await this.#settle(stored);
  }

  /** The same as `#current`, for a caller from outside: sees to the alarm, which the runtime may not know after a crash. */
  async #entered(): Promise<StoredSession | undefined> {
    const stored = await this.#current();
    if (stored === undefined || !this.#alarm.isCheckDue()) return stored;
    const isSettled = stored.life.end !== undefined && Object.keys(stored.unsettled).length === 0;
    await this.#alarm.setBy(isSettled ? forgetTime(stored) : Date.now() + CHECK_MS);
    return stored;
  }

  /** Returns the stored session, after ending it if its time is up. */
  async #current(): Promise<StoredSession | undefined> {
    const stored = this.#stored;
    if (stored === undefined) return undefined;
    const { end } = endIfDue(stored.life, Date.now());
    if (end !== undefined && stored.life.end === undefined) await this.#end(end.reason, { atMs: end.atMs });
    return this.#stored;
  }

  async #end(reason: EndReason, { atMs = Date.now(), isFree = false } = {}): Promise<void> {
    const stored = this.#stored;
    if (stored === undefined || stored.life.end !== undefined) return;
    const life = endLife(stored.life, reason, atMs);
    const unsettled: Unsettled = { lease: true, row: true, slot: true, ...(isFree ? {} : { bill: true }) };
    const ended = { ...stored, life, secret: "", unsettled };
    this.#save(ended);
    VisitedOrigins.forget(this.ctx.storage.kv);
    StoredWorkspace.forget(this.ctx.storage.kv);
    this.#runs?.cutAll();
    this.#runs = undefined;
    void this.#guard?.then((guard) => guard.close()).catch(() => undefined);
    this.#guard = undefined;
    await this.#settle(ended);
  }

  /** Runs one settlement at a time, since credits must not be charged twice. */
  #settle(stored: StoredSession): Promise<void> {
    this.#settling ??= this.#settleOnce(stored).finally(() => (this.#settling = undefined));
    return this.#settling;
  }

  /** Performs the remaining steps; the alarm repeats those that fail. */
  async #settleOnce(stored: StoredSession): Promise<void> {
    const unsettled = await settleEnd(this.env, stored, (left) => this.#save({ ...stored, unsettled: left }));
    if (Object.keys(unsettled).length > 0) return this.#alarm.set(Date.now() + SETTLE_AGAIN_MS);
    const forgetAtMs = forgetTime(stored);
    if (Date.now() < forgetAtMs) return this.#alarm.set(forgetAtMs);
    this.#stored = undefined;
    await this.ctx.storage.deleteAll();
  }

  /** Returns the guard of an active session: drivers stay connected when this object restarts. */
  async #activeGuard(): Promise<SessionGuard | undefined> {
    const stored = await this.#entered();
    return stored === undefined || stored.life.end !== undefined ? undefined : await this.#guarded(stored);
  }

  /** Starts the guard, if this object has none yet, without waiting for it: until then, requests of pages are not checked. */
  #startGuard(stored: StoredSession): void {
    if (this.#guard === undefined) this.ctx.waitUntil(this.#guarded(stored).catch(() => undefined));
  }

  /** Returns the guard, reconnected after this object moved. A browser that refuses the connection counts as dead. */
  async #guarded(stored: StoredSession): Promise<SessionGuard | undefined> {
    if (this.#guard === undefined)
      this.#watch(startGuard(this.env, stored, { guard: outboundGuardOf(this.env, stored.settings), isNew: false }));
    const guard = await this.#guard?.catch((error: unknown): undefined => {
      logEvent({ event: "session_browser_gone", reason: String(error) });
    });
    if (guard === undefined) await this.#end("browser_died");
    return guard;
  }

  #runsOf(stored: StoredSession): SessionRuns | undefined {
    this.#runs ??= createSessionRuns(this.ctx, this.env, {
      stored,
      guard: {
        whenIntercepted: (targetId, url) => this.whenIntercepted(targetId, url),
        mayRequest: (url) => this.mayRequest(url),
        onLeft: () => void this.driverLeft().catch(() => undefined),
        onCommand: () => this.touch(),
      },
      stopScripts: async () => this.#guard?.then((guard) => guard.stopScripts()).catch(() => undefined),
      ready: async () => this.#replaying,
    });
    return this.#runs;
  }

  #count(change: 1 | -1): void {
    if (this.#stored !== undefined)
      this.#save({ ...this.#stored, life: countRun(this.#stored.life, change, Date.now()) });
  }

  #watch(starting: Promise<SessionGuard>): void {
    this.#guard = starting;
    const watching = starting.then(async ({ connection, visited }) => {
      if (this.#guard === starting) visited.storeIn(this.ctx.storage.kv);
      const gone = await connection.closed;
      if (this.#guard !== starting) return;
      logEvent({ event: "session_browser_gone", reason: gone.message });
      await this.#end("browser_died");
    });
    this.ctx.waitUntil(watching.catch(() => undefined));
  }

  async #view(stored: StoredSession): Promise<SessionView> {
    const { life } = stored;
    return { life, tokens: life.end === undefined ? await sessionTokens(this.#seed(stored)) : undefined };
  }

  #seed({ secret }: StoredSession): TokenSeed {
    return { secret, deploymentKey: this.env.PROFILE_ENCRYPTION_KEY };
  }

  async #schedule(): Promise<void> {
    if (this.#stored === undefined || this.#stored.life.end !== undefined) return;
    const nowMs = Date.now();
    await this.#alarm.set(Math.max(nowMs + 1, Math.min(nowMs + CHECK_MS, dueEnd(this.#stored.life).atMs)));
  }

  #save(stored: StoredSession): void {
    this.#stored = stored;
    this.#writtenMs = Date.now();
    this.ctx.storage.kv.put("session", stored);
  }

  #store() {
    return createBrowserSessionStore(this.env.DB);
  }
}

function fail(): never {
  throw new Error("The session is gone");
}
