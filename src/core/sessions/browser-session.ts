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

/** Size of a session's pages in CSS pixels. */
export interface SessionViewport {
  width: number;
  height: number;
}

/** The size of pages in a session without a viewport of its own. */
export const DEFAULT_VIEWPORT: SessionViewport = { width: 1280, height: 720 };
/** Longest side of a viewport. Pictures of the live view and of recordings are not scaled down. */
export const MAX_VIEWPORT_SIDE = 1_920;

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
  /** Name that the caller gave the session. */
  name?: string;
  /** Size of its pages in CSS pixels; absent for `DEFAULT_VIEWPORT`. */
  viewport?: SessionViewport;
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
