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
): Promise<SessionSummary> {
  const view = await findBrowser(deps, caller, id);
  if (view.life.end === undefined) await keepOf(deps, view);
  const summary = await browserSessionsOf(deps).close(id, "deleted");
  if (summary === undefined) throw new AppError("BROWSER_SESSION_NOT_FOUND");
  return summary;
}

/** Stores the session's recording and profile. A failure does not keep the session from ending. */
async function keepOf(deps: Pick<Deps, "recordings"> & ProfileDeps, view: SessionView): Promise<void> {
  const keeping = [
    ["recording", () => (view.life.recordSession ? deps.recordings.finish(view.life.id) : Promise.resolve())],
    ["profile", () => saveProfile(deps, view)],
  ] as const;
  for (const [what, keep] of keeping) {
    await keep().catch((error: unknown) => deps.log({ event: "session_not_kept", what, reason: String(error) }));
  }
}
