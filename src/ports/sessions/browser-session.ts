import type {
  EndReason,
  SessionLife,
  SessionPlan,
  SessionTokens,
  TokenScope,
} from "../../core/sessions/browser-session.ts";
import type { ExecutionOutcome, ExecutionRequest } from "../../core/sessions/execution.ts";
import type { CommandOutput } from "../../core/sessions/workspace.ts";

/** A session as shown to its holder, with the tokens of its URLs while it is active. */
export interface SessionView {
  life: SessionLife;
  /** Undefined once the session has ended. */
  tokens: SessionTokens | undefined;
}

/** Reason that no session was opened. `taken`: the scrape already has one. */
export type OpenRefusal =
  | { kind: "no_browser"; reason: "deadline" | "unavailable"; retryAfterMs?: number }
  | { kind: "taken"; bySessionId: string }
  /** A session with this id was opened before, and has ended. */
  | { kind: "ended" }
  /** The scrape's page could not be restored. */
  | { kind: "not_replayed"; reason: string };

/** `unwritten`: origins whose storage in the profile of the scrape was not restored. */
export type OpenOutcome = { kind: "opened"; view: SessionView; unwritten?: string[] } | OpenRefusal;

/** Summary of a session, returned when it is deleted. */
export interface SessionSummary {
  durationMs: number;
  credits: number;
  /** False for the first call that ended it. */
  wasEnded: boolean;
}

/** Result of a token check. */
export type Access =
  | { kind: "granted"; scope: TokenScope; browserSessionId: string }
  | { kind: "refused"; reason: "unknown" | "ended" | "token" };

/**
 * Result of running code: `unavailable` where the platform has no isolates, `foreign` for another team's session, `busy` when
 * too many runs of the session wait.
 */
export type Execution =
  | { kind: "done"; outcome: ExecutionOutcome }
  | { kind: "unknown" | "foreign" | "ended" | "unavailable" | "busy" };

export type CommandExecution =
  | { kind: "done"; output: CommandOutput }
  | { kind: "ended" }
  | { kind: "unavailable" }
  | { kind: "busy" };

/** Origins that a session has visited. */
export interface Visits {
  /** Latest first. */
  origins: string[];
  /** Id of the session's first tab, where known: a browser lists its tabs in no order. */
  firstTabId: string | undefined;
}

/** Browser sessions, one object per session. */
export interface BrowserSessions {
  /** Acquires a browser for this session alone and starts the session. Returns an active session that has the id. */
  open(plan: SessionPlan): Promise<OpenOutcome>;
  /** Returns a session; undefined for an unknown id or a session that ended long ago. */
  find(id: string): Promise<SessionView | undefined>;
  /**
   * Claims the end of a session for a caller that stores what is kept of it, and then closes it. False while another caller
   * has the claim, for two minutes at most. The same claimant claims it again.
   */
  claimEnd(id: string, claimant: string): Promise<boolean>;
  /** Ends a session; a repeated call returns the same summary. Undefined for an unknown id. */
  close(id: string, reason: EndReason): Promise<SessionSummary | undefined>;
  /** Runs code with the session's browser, in an isolate that reaches nothing else. */
  execute(id: string, request: ExecutionRequest & { teamId: string }): Promise<Execution>;
  /** Runs one `agent-browser` command in the session, such as `["click", "@e1"]`. */
  command(id: string, command: { args: string[]; timeoutMs: number }): Promise<CommandExecution>;
  /** Marks the session as prompted: the higher price of prompted sessions applies. */
  markPrompted(id: string): Promise<void>;
  /** Resolves when the guard intercepts a target's requests; then navigates it to `url`, if set. False if hidden. */
  whenIntercepted(id: string, targetId: string, url?: string): Promise<boolean>;
  /** Reports that a driver's connection has ended and the browser has reverted its settings. */
  driverLeft(id: string): Promise<void>;
  /** Reports whether the session's browser may send a request to a URL. */
  mayRequest(id: string, url: string): Promise<boolean>;
  /** Checks a token for the wanted scope; counts as activity. `drive` includes `view`. */
  authorize(id: string, token: string, wanted: TokenScope): Promise<Access>;
  /** Returns the origins that the session has visited. */
  visits(id: string): Promise<Visits>;
}

/** A session in the list. */
export interface SessionRow {
  id: string;
  teamId: string;
  keyId: string;
  status: "active" | "destroyed";
  scrapeId: string | undefined;
  streamWebView: boolean;
  name?: string | undefined;
  profile?: { name: string } | undefined;
  recordSession?: boolean;
  createdAtMs: number;
  lastActivityMs: number;
  expiresAtMs: number;
  end: { atMs: number; reason: EndReason; credits: number } | undefined;
}

/** Index of sessions, for look-ups without a session id. */
export interface BrowserSessionStore {
  /** Adds a session. @returns the id of the scrape's active session, if one exists; then nothing is written. */
  insert(row: SessionRow): Promise<string | undefined>;
  end(id: string, end: NonNullable<SessionRow["end"]>, lastActivityMs: number): Promise<void>;
  /** Lists sessions, newest first. A session long past its expiry counts as destroyed. */
  list(teamId: string, options: { status: SessionRow["status"] | undefined; nowMs: number }): Promise<SessionRow[]>;
  /** Returns the ids of up to `limit` active sessions of a key, in their order, from the one after `after` on. */
  activeOfKey(
    owner: { teamId: string; keyId: string },
    options: { after: string; limit: number; nowMs: number },
  ): Promise<string[]>;
  /** Returns the newest session of a scrape, active or not. */
  findByScrape(teamId: string, scrapeId: string): Promise<SessionRow | undefined>;
  /** Deletes up to `limit` sessions that ended before a moment. @returns the number deleted. */
  purge(endedBeforeMs: number, limit: number): Promise<number>;
}
