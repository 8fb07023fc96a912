import type {
  EndReason,
  SessionLife,
  SessionPlan,
  SessionTokens,
  TokenScope,
} from "../../core/sessions/browser-session.ts";
import type { ExecutionOutcome, ExecutionRequest } from "../../core/sessions/execution.ts";
import type { CommandOutput } from "../../core/sessions/workspace.ts";

/** A session as its holder sees it: what its URLs are made of is there while it lives. */
export interface SessionView {
  life: SessionLife;
  /** Undefined once the session has ended. */
  tokens: SessionTokens | undefined;
}

/** Why no session was opened. `taken`: the scrape has one already. */
export type OpenRefusal =
  | { kind: "no_browser"; reason: "deadline" | "unavailable"; retryAfterMs?: number }
  | { kind: "taken"; bySessionId: string }
  /** The scrape's page could not be brought back; says why. */
  | { kind: "not_replayed"; reason: string };

export type OpenOutcome = { kind: "opened"; view: SessionView } | OpenRefusal;

/** How a session went, told when it is deleted. */
export interface SessionSummary {
  durationMs: number;
  credits: number;
  /** False for the first call that ended it. */
  wasEnded: boolean;
}

/** Somebody came with a token. */
export type Access =
  | { kind: "granted"; scope: TokenScope; browserSessionId: string }
  | { kind: "refused"; reason: "unknown" | "ended" | "token" };

/** What came of running code: `unavailable` where the platform starts no isolates, `foreign` for another team's session. */
export type Execution =
  | { kind: "done"; outcome: ExecutionOutcome }
  | { kind: "unknown" | "foreign" | "ended" | "unavailable" };

export type CommandExecution = { kind: "done"; output: CommandOutput } | { kind: "ended" } | { kind: "unavailable" };

/** Where a session's pages came from. */
export interface Visits {
  /** The latest first. */
  origins: string[];
  /** The tab that the session began with, where it is known: a browser lists its tabs in no order. */
  firstTabId: string | undefined;
}

/** Browsers that people hold, one object a session. */
export interface BrowserSessions {
  /** Takes a browser of its own and begins the session's life. */
  open(plan: SessionPlan): Promise<OpenOutcome>;
  /** Undefined for an id that was never given out, or whose session ended long ago. */
  find(id: string): Promise<SessionView | undefined>;
  /** Ends it; again for one that has ended tells the same. Undefined for an unknown id. */
  close(id: string, reason: EndReason): Promise<SessionSummary | undefined>;
  /** Runs code with the session's browser, in an isolate that reaches nothing else. */
  execute(id: string, request: ExecutionRequest & { teamId: string }): Promise<Execution>;
  /** One command of `agent-browser` in the session, such as `["click", "@e1"]`. */
  command(id: string, command: { args: string[]; timeoutMs: number }): Promise<CommandExecution>;
  /** A prompt is worked on: from now on the session costs what such sessions cost. */
  markPrompted(id: string): Promise<void>;
  /** Resolves when a target's requests are looked at; then it is sent to a URL, if one is given. False for hidden ones. */
  admitted(id: string, targetId: string, url?: string): Promise<boolean>;
  /** A driver's connection has ended, and the browser has undone what was set over it. */
  driverLeft(id: string): Promise<void>;
  /** Whether a request of the session's browser may go to an address. */
  mayCall(id: string, url: string): Promise<boolean>;
  /** Checks a token for what it is to be used for, and counts as activity. `drive` also opens what `view` opens. */
  authorize(id: string, token: string, wanted: TokenScope): Promise<Access>;
  /** Where the session's pages came from. */
  visits(id: string): Promise<Visits>;
}

/** A session as it is listed. */
export interface SessionRow {
  id: string;
  teamId: string;
  keyId: string;
  status: "active" | "destroyed";
  scrapeId: string | undefined;
  streamWebView: boolean;
  createdAtMs: number;
  lastActivityMs: number;
  expiresAtMs: number;
  end: { atMs: number; reason: EndReason; credits: number } | undefined;
}

/** The list of sessions, for those who look for one without its id. */
export interface BrowserSessionStore {
  /** @returns the id of the active session that this scrape has already; then nothing is written. */
  insert(row: SessionRow): Promise<string | undefined>;
  end(id: string, end: NonNullable<SessionRow["end"]>, lastActivityMs: number): Promise<void>;
  /** Newest first. One that should have expired long ago counts as destroyed. */
  list(teamId: string, options: { status: SessionRow["status"] | undefined; nowMs: number }): Promise<SessionRow[]>;
  /** The newest session of a scrape, active or not. */
  findByScrape(teamId: string, scrapeId: string): Promise<SessionRow | undefined>;
  /** Forgets up to `limit` sessions that ended before a moment. @returns how many. */
  purge(endedBeforeMs: number, limit: number): Promise<number>;
}
