import { DurableObject } from "cloudflare:workers";
import type { PoolSettings } from "../../core/sessions/browser-pool.ts";
import type { EndReason, SessionLife, SessionPlan, TokenScope } from "../../core/sessions/browser-session.ts";
import type { ExecutionRequest } from "../../core/sessions/execution.ts";
import { randomToken } from "../../core/text/hash.ts";
import { Meter } from "../../core/account/meter.ts";
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
import { createBrowserSessionStore } from "../../storage/sessions/browser-session-store.ts";
import type { BrowserPool } from "../browser/browser-pool.ts";
import { createDohResolver, noResolver } from "../outbound/doh-resolver.ts";
import { createCodeRunner } from "../code-runner/create-code-runner.ts";
import { egressReport, namedWayOut } from "../outbound/egress.ts";
import type { KeyLedger } from "../account/key-ledger.ts";
import { createOutboundGuard } from "../outbound/outbound-guard.ts";
import { StoredWorkspace } from "./stored-workspace.ts";
import { leaseBrowser } from "./lease-browser.ts";
import { replayScrape } from "./replay-scrape.ts";
import type { SessionGuard } from "./session-guard.ts";
import { SessionRuns } from "./session-runs.ts";
import { startGuard } from "./start-guard.ts";
import { scopeOf, sessionTokens, type TokenSeed } from "./session-tokens.ts";
import { settleEnd, type Unsettled } from "./settle-end.ts";

/** What every session needs to know of the deployment; handed in when it is opened, and kept with it. */
export interface SessionSettings {
  pool: PoolSettings & { keepAliveMs: number };
  allowPrivateHosts: readonly string[];
  /** DNS over HTTPS, or `off`. */
  resolverUrl: string;
}

export interface BrowserSessionEnv {
  BROWSER?: Fetcher;
  EGRESS?: Fetcher;
  BROWSER_POOL: DurableObjectNamespace<BrowserPool>;
  KEY_LEDGER: DurableObjectNamespace<KeyLedger>;
  DB: D1Database;
  LOADER?: WorkerLoader;
  ASSETS?: Fetcher;
  /** Local services run code in processes beside them; see `code-runner/sandbox-host.ts`. */
  SANDBOX_URL?: string;
  /** Tokens are made with it as well; see `session/session-tokens.ts`. */
  PROFILE_ENCRYPTION_KEY?: string;
}

/** Everything that is kept of a session. */
export interface StoredSession {
  life: SessionLife;
  settings: SessionSettings;
  leaseId: string;
  browserSessionId: string;
  /** What its tokens are made from. */
  secret: string;
  /** What is still to be done about its end. */
  unsettled: Unsettled;
}

/** While a session lives, its object looks after it this often: it stays in memory, and sees to its connection. */
const LOOK_MS = 10_000;
const SETTLE_AGAIN_MS = 5_000;
/** Activity is written down this often at most. */
const TOUCH_WRITE_MS = 5_000;
/** A session that has ended is remembered for this long, so that its holder is told so. */
const MEMORY_MS = 24 * 3_600_000;

/**
 * One browser session, from its start until its end is settled: its browser given back, its bill paid, its row written.
 * The rules are those of `sessions/life.ts`. Traffic to the browser does not pass through here, but for the guard's.
 */
export class BrowserSession extends DurableObject<BrowserSessionEnv> {
  #kept: StoredSession | undefined;
  #guard: Promise<SessionGuard> | undefined;
  #runs: SessionRuns | undefined;
  /** Whoever comes while the scrape's page is brought back waits for it. */
  #replaying: Promise<string | undefined> | undefined;
  #settling: Promise<void> | undefined;
  #writtenMs = 0;

  constructor(state: DurableObjectState, env: BrowserSessionEnv) {
    super(state, env);
    this.#kept = state.storage.kv.get<StoredSession>("session");
  }

  async open(plan: SessionPlan, settings: SessionSettings): Promise<OpenOutcome> {
    if (this.#kept !== undefined) throw new Error("This session was opened before");
    const guard = guardOf(this.env, settings);
    const leased = await leaseBrowser(this.env, { settings: settings.pool, guard, plan });
    if (leased.kind === "no_browser") return leased;
    const { leaseId, browserSessionId } = leased;
    const life = beginLife(plan, Date.now());
    this.#keep({ life, settings, leaseId, browserSessionId, secret: randomToken(), unsettled: {} });
    StoredWorkspace.begin(this.ctx.storage.kv, leased.guard.tabId);
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
    this.ctx.waitUntil(this.#runsOf(this.#kept ?? fail())?.warmUp() ?? Promise.resolve());
    return { kind: "opened", view: await this.#view(this.#kept ?? fail()) };
  }

  /** Writes the session into the list and brings its scrape's page back. @returns why it cannot be */
  async #enter(life: SessionLife): Promise<OpenRefusal | undefined> {
    const row = { ...life, scrapeId: life.scrapeId, status: "active" as const, end: undefined };
    const bySessionId = await this.#store().insert(row);
    if (bySessionId !== undefined) return { kind: "taken", bySessionId };
    const reason = await this.#replay(life);
    return reason === undefined ? undefined : { kind: "not_replayed", reason };
  }

  async find(): Promise<SessionView | undefined> {
    const kept = await this.#current();
    return kept === undefined ? undefined : this.#view(kept);
  }

  async close(reason: EndReason): Promise<SessionSummary | undefined> {
    const before = await this.#current();
    if (before === undefined) return undefined;
    const wasEnded = before.life.end !== undefined;
    if (!wasEnded) await this.#end(reason);
    const { life } = this.#kept ?? before;
    const nowMs = Date.now();
    return { durationMs: durationMs(life, nowMs), credits: sessionCredits(life, nowMs), wasEnded };
  }

  async authorize(token: string, wanted: TokenScope): Promise<Access> {
    const kept = await this.#current();
    if (kept === undefined) return { kind: "refused", reason: "unknown" };
    if (kept.life.end !== undefined) return { kind: "refused", reason: "ended" };
    const scope = await scopeOf(token, this.#seed(kept), wanted);
    if (scope === undefined) return { kind: "refused", reason: "token" };
    this.touch();
    return { kind: "granted", scope, browserSessionId: kept.browserSessionId };
  }

  /** Where its pages came from since this object began to look. */
  async visits(): Promise<Visits> {
    const guard = await this.#guard?.catch(() => undefined);
    return { origins: [...(guard?.visitedOrigins ?? [])].toReversed(), firstTabId: guard?.tabId };
  }

  /** Resolves when a target's requests are looked at; then it is sent to a URL, if one is given. False for hidden ones. */
  async admitted(targetId: string, url?: string): Promise<boolean> {
    return (await (await this.#guard)?.admitted(targetId, url)) ?? false;
  }

  /** A driver's connection has ended, and the browser has undone what was set over it. */
  async driverLeft(): Promise<void> {
    (await this.#guard)?.denyDownloads();
  }

  /** Whether a request of the session's browser may go to an address. */
  async mayCall(url: string): Promise<boolean> {
    return (await (await this.#guard)?.mayCall(url)) ?? false;
  }

  /** Somebody used the session. */
  touch(): void {
    if (this.#kept === undefined) return;
    const nowMs = Date.now();
    this.#kept = { ...this.#kept, life: touchLife(this.#kept.life, nowMs) };
    if (nowMs - this.#writtenMs >= TOUCH_WRITE_MS) this.#keep(this.#kept);
  }

  /** Runs code with the session's browser. */
  async execute({ teamId, ...request }: ExecutionRequest & { teamId: string }): Promise<Execution> {
    const kept = await this.#current();
    if (kept === undefined) return { kind: "unknown" };
    if (kept.life.teamId !== teamId) return { kind: "foreign" };
    const worked = await this.#work(kept, (runs) => runs.execute(request));
    return worked.kind === "done" ? { kind: "done", outcome: worked.value } : worked;
  }

  /** One command of `agent-browser`. */
  async command({ args, timeoutMs }: { args: string[]; timeoutMs: number }): Promise<CommandExecution> {
    const kept = await this.#current();
    if (kept === undefined) return { kind: "ended" };
    const worked = await this.#work(kept, (runs) => runs.command(args, timeoutMs));
    return worked.kind === "done" ? { kind: "done", output: worked.value } : worked;
  }

  /** Work in the session's browser, which counts as use of the session for as long as it goes on. */
  async #work<T>(
    kept: StoredSession,
    work: (runs: SessionRuns) => Promise<T>,
  ): Promise<{ kind: "done"; value: T } | { kind: "ended" | "unavailable" }> {
    if (kept.life.end !== undefined) return { kind: "ended" };
    const runs = this.#runsOf(kept);
    if (runs === undefined) return { kind: "unavailable" };
    await this.#replaying;
    this.#count(1);
    try {
      return { kind: "done", value: await work(runs) };
    } finally {
      this.#count(-1);
    }
  }

  /** From now on the session costs what those with prompts cost. */
  markPrompted(): void {
    if (this.#kept !== undefined) this.#keep({ ...this.#kept, life: { ...this.#kept.life, isPrompted: true } });
  }

  /** The way of running code to its browser; see `SessionGate`. */
  override async fetch(request: Request): Promise<Response> {
    return this.#runs === undefined ? new Response("Nothing runs", { status: 403 }) : this.#runs.connect(request);
  }

  override async alarm(): Promise<void> {
    const kept = await this.#current();
    if (kept === undefined) return;
    if (kept.life.end === undefined) {
      (await this.#guarded(kept))?.denyDownloads();
      return this.#schedule();
    }
    await this.#settle(kept);
  }

  /** What is kept, after its time was looked at. */
  async #current(): Promise<StoredSession | undefined> {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    const { end } = endIfDue(kept.life, Date.now());
    if (end !== undefined && kept.life.end === undefined) await this.#end(end.reason, { atMs: end.atMs });
    return this.#kept;
  }

  async #end(reason: EndReason, { atMs = Date.now(), isFree = false } = {}): Promise<void> {
    const kept = this.#kept;
    if (kept === undefined || kept.life.end !== undefined) return;
    const life = endLife(kept.life, reason, atMs);
    const unsettled: Unsettled = { lease: true, row: true, slot: true, ...(isFree ? {} : { bill: true }) };
    const ended = { ...kept, life, secret: "", unsettled };
    this.#keep(ended);
    this.#runs?.cutAll();
    this.#runs = undefined;
    void this.#guard?.then(({ connection }) => connection.close()).catch(() => undefined);
    this.#guard = undefined;
    await this.#settle(ended);
  }

  /** One at a time, since a bill must not be paid twice. */
  #settle(kept: StoredSession): Promise<void> {
    this.#settling ??= this.#settleOnce(kept).finally(() => (this.#settling = undefined));
    return this.#settling;
  }

  /** Does what is left to do; what fails is tried again by the alarm. */
  async #settleOnce(kept: StoredSession): Promise<void> {
    const unsettled = await settleEnd(this.env, kept, (left) => this.#keep({ ...kept, unsettled: left }));
    if (Object.keys(unsettled).length > 0) return this.ctx.storage.setAlarm(Date.now() + SETTLE_AGAIN_MS);
    const forgetAtMs = (kept.life.end?.atMs ?? 0) + MEMORY_MS;
    if (Date.now() < forgetAtMs) return this.ctx.storage.setAlarm(forgetAtMs);
    this.#kept = undefined;
    await this.ctx.storage.deleteAll();
  }

  /** The guard's connection, made anew after this object moved. A browser that does not take it is dead. */
  async #guarded(kept: StoredSession): Promise<SessionGuard | undefined> {
    if (this.#guard === undefined)
      this.#watch(startGuard(this.env, kept, { guard: guardOf(this.env, kept.settings), isNew: false }));
    const guard = await this.#guard?.catch(() => undefined);
    if (guard === undefined) await this.#end("browser_died");
    return guard;
  }

  #runsOf({ life, browserSessionId }: StoredSession): SessionRuns | undefined {
    if (this.#runs !== undefined) return this.#runs;
    const { BROWSER } = this.env;
    const runner = createCodeRunner(this.env, () => gateOf(this.ctx, life.id));
    if (BROWSER === undefined || runner === undefined) return undefined;
    return (this.#runs = new SessionRuns({
      binding: BROWSER,
      runner,
      guard: {
        admitted: (targetId, url) => this.admitted(targetId, url),
        mayCall: (url) => this.mayCall(url),
        onLeft: () => void this.driverLeft().catch(() => undefined),
        onCommand: () => this.touch(),
      },
      stopScripts: () => void this.#guard?.then((guard) => guard.stopScripts()).catch(() => undefined),
      sessionId: life.id,
      browserSessionId,
      workspace: new StoredWorkspace(this.ctx.storage.kv),
    }));
  }

  async #replay({ replay }: SessionPlan): Promise<string | undefined> {
    const { BROWSER } = this.env;
    if (replay === undefined || BROWSER === undefined || this.#kept === undefined) return undefined;
    this.#replaying = replayScrape(BROWSER, this.#kept.browserSessionId, replay).catch(String);
    return this.#replaying;
  }

  #count(change: 1 | -1): void {
    if (this.#kept !== undefined) this.#keep({ ...this.#kept, life: countRun(this.#kept.life, change, Date.now()) });
  }

  #watch(starting: Promise<SessionGuard>): void {
    this.#guard = starting;
    const watching = starting.then(async ({ connection }) => {
      await connection.closed;
      if (this.#guard === starting) await this.#end("browser_died");
    });
    this.ctx.waitUntil(watching.catch(() => undefined));
  }

  async #view(kept: StoredSession): Promise<SessionView> {
    const { life } = kept;
    return { life, tokens: life.end === undefined ? await sessionTokens(this.#seed(kept)) : undefined };
  }

  #seed({ secret }: StoredSession): TokenSeed {
    return { secret, deploymentKey: this.env.PROFILE_ENCRYPTION_KEY };
  }

  async #schedule(): Promise<void> {
    if (this.#kept === undefined || this.#kept.life.end !== undefined) return;
    const nowMs = Date.now();
    await this.ctx.storage.setAlarm(Math.max(nowMs + 1, Math.min(nowMs + LOOK_MS, dueEnd(this.#kept.life).atMs)));
  }

  #keep(kept: StoredSession): void {
    this.#kept = kept;
    this.#writtenMs = Date.now();
    this.ctx.storage.kv.put("session", kept);
  }

  #store() {
    return createBrowserSessionStore(this.env.DB, new Meter());
  }
}

function guardOf(env: Pick<BrowserSessionEnv, "EGRESS">, { allowPrivateHosts, resolverUrl }: SessionSettings) {
  const clock = { now: () => Date.now() };
  const { fetcher } = namedWayOut(env);
  const resolver = resolverUrl === "off" ? noResolver : createDohResolver({ url: resolverUrl, clock, fetcher });
  return createOutboundGuard({ allowPrivateHosts, resolver, egress: egressReport(env) });
}

/** The Worker's own entry point, bound to one session. The generated types do not know the Worker's exports. */
function gateOf({ exports }: DurableObjectState, sessionId: string): Fetcher {
  const { SessionGate } = exports as unknown as { SessionGate: (bound: { props: { sessionId: string } }) => Fetcher };
  return SessionGate({ props: { sessionId } });
}

function fail(): never {
  throw new Error("The session is gone");
}
