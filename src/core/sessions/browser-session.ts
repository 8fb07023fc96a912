import type { Action } from "../scrape/actions.ts";

/** Options and actions of a scrape, to restore its page. */
export interface Replay {
  url: string;
  waitForMs: number;
  actions: readonly Action[];
  mobile: boolean;
  /** BCP 47 tags, best first. */
  languages: readonly string[];
}

/** Options of a browser session. Times in ms. */
export interface SessionPlan {
  id: string;
  teamId: string;
  keyId: string;
  /** The key's credits per calendar month, for the charge at the end; undefined for no limit. */
  monthlyCredits: number | undefined;
  /** Time to live; the session ends after it, also when active. */
  ttlMs: number;
  /** Time without activity after which the session ends. */
  activityTtlMs: number;
  streamWebView: boolean;
  recordSession: boolean;
  profile?: { name: string; saveChanges: boolean };
  /** Id of the scrape whose page the session continues with. */
  scrapeId?: string;
  /** Replayed in the first tab when the session starts. */
  replay?: Replay;
  /** `host:port` of the service itself, from which no page may be loaded. */
  ownHosts: readonly string[];
}

export type EndReason = "deleted" | "ttl" | "idle" | "browser_died";

/** One session, from its start to after its end. Times in ms since the epoch. */
export interface SessionLife extends SessionPlan {
  createdAtMs: number;
  expiresAtMs: number;
  lastActivityMs: number;
  /** Number of running operations: a session is not idle while one runs. */
  running: number;
  /** True once a prompt was run, which costs more. */
  isPrompted: boolean;
  end?: { atMs: number; reason: EndReason };
}

/** Scopes of a session token: CDP access, live view, or live view with input. */
export const TOKEN_SCOPES = ["cdp", "view", "drive"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];
export type SessionTokens = Record<TokenScope, string>;
