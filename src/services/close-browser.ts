import { AppError } from "../core/errors.ts";
import type { SessionSummary } from "../ports/browser-session.ts";
import type { Caller, Deps } from "./deps.ts";
import { findBrowser } from "./find-browser.ts";
import { browserSessionsOf } from "./open-browser.ts";

/**
 * Ends a session; doing it again tells how it went.
 * @throws AppError BROWSER_SESSION_NOT_FOUND, FORBIDDEN
 */
export async function closeBrowser(
  deps: Pick<Deps, "browserSessions" | "recordings">,
  caller: Caller,
  id: string,
): Promise<SessionSummary> {
  const { life } = await findBrowser(deps, caller, id);
  if (life.recordSession && life.end === undefined) await deps.recordings.finish(id);
  const summary = await browserSessionsOf(deps).close(id, "deleted");
  if (summary === undefined) throw new AppError("BROWSER_SESSION_NOT_FOUND");
  return summary;
}
