import { v7 as uuidv7 } from "uuid";
import type { SessionPlan } from "../../core/sessions/browser-session.ts";
import { AppError } from "../../core/errors.ts";
import { sessionSlots } from "../../core/sessions/session-slots.ts";
import type { BrowserSessions, OpenOutcome, SessionView } from "../../ports/sessions/browser-session.ts";
import { isKeyOver } from "../account/is-key-over.ts";
import type { Caller, Deps } from "../deps.ts";
import { claimProfile, releaseProfile, restoreProfile, type ProfileDeps } from "./session-profile.ts";

/** Options of a new session. */
export type BrowserSessionOptions = Pick<
  SessionPlan,
  | "ttlMs"
  | "activityTtlMs"
  | "streamWebView"
  | "recordSession"
  | "profile"
  | "name"
  | "viewport"
  | "scrapeId"
  | "replay"
> & {
  /** ID of the session; undefined for a new one. */
  id?: string | undefined;
};

type OpenDeps = Pick<Deps, "browserSessions" | "recordings" | "keyLedger" | "keys" | "settings" | "log"> & ProfileDeps;

const SLOT_GRACE_MS = 60_000;

/** `warning` is about storage of the profile that was not restored. */
export type OpenedBrowser =
  | { kind: "opened"; view: SessionView; warning?: string }
  | { kind: "taken"; bySessionId: string };

/**
 * Opens a session with its own browser, which ends with the key at the latest. With the id of an active session, which a lost request has opened, that one is
 * returned; when it has ended, a new one is opened under another id.
 * @returns the session, or the id of the one that the scrape has already
 * @throws AppError BROWSER_NOT_CONFIGURED, CONCURRENCY_LIMITED, BROWSER_SESSION_FAILED, PROFILES_NOT_CONFIGURED,
 * PROFILE_LOCKED, PROFILE_UNREADABLE; TOKEN_INVALID for a key that was revoked meanwhile
 */
export async function openBrowser(
  deps: OpenDeps,
  caller: Caller,
  { ttlMs, ...options }: BrowserSessionOptions,
): Promise<OpenedBrowser> {
  browserSessionsOf(deps);
  const keyLeftMs = (caller.key.expiresAtMs ?? Infinity) - deps.clock.now();
  const requested = { ...options, ttlMs: Math.max(1, Math.min(ttlMs, keyLeftMs)) };
  const id = requested.id ?? uuidv7();
  const claimant = { ...requested, id, teamId: caller.key.teamId };
  await claimProfile(deps, claimant);
  try {
    const opened = await openClaimed(deps, caller, { id, requested });
    if (opened.kind === "opened") return opened;
    await releaseProfile(deps, claimant);
    if (opened.kind === "taken") return opened;
  } catch (error) {
    await releaseProfile(deps, claimant);
    throw error;
  }
  return await openBrowser(deps, caller, { ...requested, id: undefined });
}

async function openClaimed(
  deps: OpenDeps,
  { key }: Caller,
  { id, requested }: { id: string; requested: BrowserSessionOptions },
): Promise<OpenedBrowser | { kind: "ended" }> {
  const sessions = browserSessionsOf(deps);
  const { keyLedger, settings } = deps;
  const limit = key.maxConcurrency ?? settings.maxConcurrency;
  const slot = { jobId: id, limit, leaseMs: requested.ttlMs + SLOT_GRACE_MS };
  if (!(await keyLedger.takeSlot(sessionSlots(key.id), slot))) {
    throw new AppError(
      "CONCURRENCY_LIMITED",
      `Queue limit reached: this key may hold ${limit} browser sessions at a time.`,
    );
  }
  const opened = await open(sessions, planOf(requested, { id, key, ownHosts: settings.ownHosts }));
  if (opened.kind === "opened") {
    const warning = await prepare(deps, key, opened);
    return { kind: "opened", view: opened.view, ...(warning === undefined ? {} : { warning }) };
  }
  if (opened.kind === "taken") return opened;
  // Its browser may have started, and the answer been lost: it would run without a slot.
  if (opened.kind === "failed") await sessions.close(id, "deleted").catch(() => undefined);
  await keyLedger.releaseSlot(sessionSlots(key.id), id);
  if (opened.kind === "ended") return opened;
  if (opened.kind === "not_replayed") {
    throw new AppError("REPLAY_FAILED", `The scrape's page could not be restored: ${opened.reason}`);
  }
  if (opened.kind === "failed") {
    deps.log({ event: "session_open_failed", message: opened.message });
    throw new AppError("BROWSER_SESSION_FAILED");
  }
  throw refusalOf(opened);
}

/**
 * Restores the profile and starts the recording. Closes the session if either fails, and when its key was revoked: an isolate
 * may have it in its cache still, and the revocation ends the sessions that it finds, of which this one may not be.
 * @returns a warning about the profile
 */
async function prepare(
  deps: OpenDeps,
  key: Caller["key"],
  opened: Extract<OpenOutcome, { kind: "opened" }>,
): Promise<string | undefined> {
  const { view } = opened;
  try {
    if (await isKeyOver(deps, key)) throw new AppError("TOKEN_INVALID");
    const warning = await restoreProfile(deps, opened);
    await record(deps, view);
    return warning;
  } catch (error) {
    await deps.browserSessions?.close(view.life.id, "deleted");
    throw error;
  }
}

/** Starts the recording before the caller receives the session, so that nothing is missed. */
async function record({ recordings, browserSessions }: OpenDeps, { life, tokens }: SessionView): Promise<void> {
  if (!life.recordSession || tokens === undefined) return;
  const access = await browserSessions?.authorize(life.id, tokens.cdp, "cdp");
  if (access?.kind !== "granted") return;
  await recordings.start(life.id, { teamId: life.teamId, browserId: access.browserSessionId });
}

/** @throws AppError BROWSER_NOT_CONFIGURED */
export function browserSessionsOf({ browserSessions }: Pick<Deps, "browserSessions">): BrowserSessions {
  if (browserSessions === undefined) throw new AppError("BROWSER_NOT_CONFIGURED");
  return browserSessions;
}

function planOf(
  requested: BrowserSessionOptions,
  { id, key, ownHosts }: Caller & { id: string; ownHosts: readonly string[] },
): SessionPlan {
  return { ...requested, id, teamId: key.teamId, keyId: key.id, monthlyCredits: key.monthlyCredits, ownHosts };
}

async function open(
  sessions: BrowserSessions,
  plan: SessionPlan,
): Promise<OpenOutcome | { kind: "failed"; message: string }> {
  try {
    return await sessions.open(plan);
  } catch (error) {
    return { kind: "failed", message: String(error) };
  }
}

function refusalOf({ reason, retryAfterMs }: Extract<OpenOutcome, { kind: "no_browser" }>): AppError {
  const later = retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) };
  if (reason === "unavailable") return new AppError("BROWSER_SESSION_FAILED", undefined, later);
  return new AppError(
    "CONCURRENCY_LIMITED",
    "Queue limit reached: no browser for sessions became free, or started, in time.",
    later,
  );
}
