import { AppError } from "../../core/errors.ts";
import type { SessionSummary, SessionView } from "../../ports/sessions/browser-session.ts";
import type { Caller, Deps } from "../deps.ts";
import { findBrowser } from "./find-browser.ts";
import { browserSessionsOf } from "./open-browser.ts";
import { saveProfile, type ProfileDeps } from "./session-profile.ts";

/**
 * Ends a session; a repetition returns the same summary.
 * @throws AppError BROWSER_SESSION_NOT_FOUND
 */
export async function closeBrowser(
  deps: Pick<Deps, "browserSessions" | "recordings"> & ProfileDeps,
  caller: Caller,
  id: string,
): Promise<SessionSummary & { warning?: string }> {
  const view = await findBrowser(deps, caller, id);
  const warning = view.life.end === undefined ? await keepOf(deps, view) : undefined;
  const summary = await browserSessionsOf(deps).close(id, "deleted");
  if (summary === undefined) throw new AppError("BROWSER_SESSION_NOT_FOUND");
  return { ...summary, ...(warning === undefined ? {} : { warning }) };
}

/**
 * Stores the session's recording and profile. A failure does not keep the session from ending.
 * @returns a warning about what was not stored of the profile
 */
async function keepOf(deps: Pick<Deps, "recordings"> & ProfileDeps, view: SessionView): Promise<string | undefined> {
  const log = (what: string, error: unknown): void =>
    deps.log({ event: "session_not_kept", what, reason: String(error) });
  if (view.life.recordSession) {
    await deps.recordings.finish(view.life.id).catch((error: unknown) => log("recording", error));
  }
  return await saveProfile(deps, view).catch((error: unknown) => {
    log("profile", error);
    return "The profile was not saved: the browser or the storage failed.";
  });
}
