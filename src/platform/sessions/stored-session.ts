import type { SessionLife } from "../../core/sessions/browser-session.ts";
import type { SessionRow } from "../../ports/sessions/browser-session.ts";
import type { BrowserPool } from "../browser/browser-pool.ts";
import type { KeyLedger } from "../account/key-ledger.ts";
import type { PoolSettings } from "../../core/sessions/browser-pool.ts";

/** Settings of the deployment that a session needs; passed when it is opened, and stored with it. */
export interface SessionSettings {
  pool: PoolSettings & { keepAliveMs: number };
  allowPrivateHosts: readonly string[];
  /** URL of the DNS over HTTPS resolver, or `off`. */
  resolverUrl: string;
}

/** How long an ended session is stored, so that later requests get the reason. */
const RETENTION_MS = 24 * 3_600_000;

/** A step of a session's end. */
export type SettlementStep = "lease" | "bill" | "row" | "slot";
/** The remaining steps of a session's end. */
export type Unsettled = Partial<Record<SettlementStep, true>>;

/** The bindings of a session's object. */
export interface BrowserSessionEnv {
  BROWSER?: Fetcher;
  EGRESS?: Fetcher;
  BROWSER_POOL: DurableObjectNamespace<BrowserPool>;
  KEY_LEDGER: DurableObjectNamespace<KeyLedger>;
  DB: D1Database;
  BUCKET: R2Bucket;
  LOADER?: WorkerLoader;
  ASSETS?: Fetcher;
  /** Local services run code in separate processes; see `code-runner/sandbox-host.ts`. */
  SANDBOX_URL?: string;
  /** Also part of the tokens' key; see `sessions/session-tokens.ts`. */
  PROFILE_ENCRYPTION_KEY?: string;
}

/** The stored state of a session. */
export interface StoredSession {
  life: SessionLife;
  settings: SessionSettings;
  leaseId: string;
  browserSessionId: string;
  /** The initial tab; absent where an earlier version has opened the session. */
  tabId?: string | undefined;
  /** The secret from which its tokens are derived. */
  secret: string;
  /** The steps of its end that are not done yet. */
  unsettled: Unsettled;
}

/** Returns the time at which an ended session is deleted, in ms since the epoch. */
export function forgetTime({ life }: StoredSession): number {
  return (life.end?.atMs ?? 0) + RETENTION_MS;
}

/** Returns the row of an active session. */
export function rowOf(life: SessionLife): SessionRow {
  return { ...life, scrapeId: life.scrapeId, status: "active", end: undefined };
}
