import { AppError } from "../../core/errors.ts";
import type { SessionSummary, SessionView } from "../../ports/sessions/browser-session.ts";
import type { Caller, Deps } from "../deps.ts";
import { findBrowser } from "./find-browser.ts";
import { browserSessionsOf } from "./open-browser.ts";
import { releaseProfile, saveProfile, type ProfileDeps } from "./session-profile.ts";

type CloseDeps = Pick<Deps, "browserSessions" | "recordings" | "sleep"> & ProfileDeps;

/** Interval at which a caller looks whether another one has ended the session: two calls of its object each. */
const LOOK_MS = 1_000;
/** Longer than a claim lasts. */
const MAX_LOOKS = 150;

/**
 * Ends a session; a repetition returns the same summary, also one that comes while the session is being ended.
 * @param options.savesProfile false when its user did not ask for the end.
 * @param options.claimant names the caller, so that a repetition does not wait for its own claim.
 * @throws AppError BROWSER_SESSION_NOT_FOUND
 */
export async function closeBrowser(
  deps: CloseDeps,
  caller: Caller,
  id: string,
  { savesProfile = true, claimant = crypto.randomUUID() }: { savesProfile?: boolean; claimant?: string } = {},
): Promise<SessionSummary & { warning?: string }> {
  const view = await findBrowser(deps, caller, id);
  const isOurs = view.life.end === undefined && (await claimEnd(deps, id, claimant));
  const warning = isOurs ? await keepOf(deps, view, savesProfile) : undefined;
  const summary = await browserSessionsOf(deps).close(id, "deleted");
  if (summary === undefined) throw new AppError("BROWSER_SESSION_NOT_FOUND");
  return { ...summary, ...(warning === undefined ? {} : { warning }) };
}

/** Resolves to true when this caller is to end the session, to false when another one has ended it. */
async function claimEnd(deps: CloseDeps, id: string, claimant: string): Promise<boolean> {
  const sessions = browserSessionsOf(deps);
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if (await sessions.claimEnd(id, claimant)) return true;
    await deps.sleep(LOOK_MS);
    const view = await sessions.find(id);
    if (view === undefined || view.life.end !== undefined) return false;
  }
  return false;
}

/**
 * Stores the session's recording and, if asked to, its profile. A failure does not keep the session from ending.
 * @returns a warning about what was not stored of them
 */
async function keepOf(
  deps: Pick<Deps, "recordings"> & ProfileDeps,
  view: SessionView,
  savesProfile: boolean,
): Promise<string | undefined> {
  const log = (what: string, error: unknown): void =>
    deps.log({ event: "session_not_kept", what, reason: String(error) });
  const recorded = view.life.recordSession ? deps.recordings.finish(view.life.id) : Promise.resolve();
  const unfinished = await recorded.then(
    () => undefined,
    (error: unknown) => {
      log("recording", error);
      return "The recording may lack its end: it could not be finished.";
    },
  );
  const ended = savesProfile ? saveProfile(deps, view) : releaseProfile(deps, view.life).then(() => undefined);
  const unsaved = await ended.catch((error: unknown) => {
    log("profile", error);
    return "The profile was not saved: the browser or the storage failed.";
  });
  const warnings = [unfinished, unsaved].filter((warning) => warning !== undefined);
  return warnings.length === 0 ? undefined : warnings.join(" ");
}
