import type { Action } from "../scrape/actions.ts";

/** What a scrape did with its page, to be done again. */
export interface Replay {
  url: string;
  waitForMs: number;
  actions: readonly Action[];
  mobile: boolean;
  /** BCP 47 tags, best first. */
  languages: readonly string[];
}

/** What a browser session is opened with. Times in ms. */
export interface SessionPlan {
  id: string;
  teamId: string;
  keyId: string;
  /** The key's credits a month, for the bill at the end; undefined for no limit. */
  monthlyCredits: number | undefined;
  /** The session ends after this time, whatever happens in it. */
  ttlMs: number;
  /** It ends earlier when nothing happened for this time. */
  activityTtlMs: number;
  streamWebView: boolean;
  recordSession: boolean;
  profile?: { name: string; saveChanges: boolean };
  /** The scrape whose page the session goes on with. */
  scrapeId?: string;
  /** What is done in its tab before anything else. */
  replay?: Replay;
  /** `host:port` of the service itself, which no page may be loaded from. */
  ownHosts: readonly string[];
}

export type EndReason = "deleted" | "ttl" | "idle" | "browser_died";

/** One session, from its start to after its end. Times in ms since the epoch. */
export interface SessionLife extends SessionPlan {
  createdAtMs: number;
  expiresAtMs: number;
  lastActivityMs: number;
  /** Pieces of work that are going on: a session is not idle while it runs something. */
  running: number;
  /** Whether a prompt was given, which costs more. */
  isPrompted: boolean;
  end?: { atMs: number; reason: EndReason };
}

/** What a token of a session is good for: speaking CDP, watching, or watching and taking the mouse. */
export const TOKEN_SCOPES = ["cdp", "view", "drive"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];
export type SessionTokens = Record<TokenScope, string>;
