import { validate as isUuid } from "uuid";
import { AppError } from "../../core/errors.ts";
import type { SessionView } from "../../ports/sessions/browser-session.ts";
import type { Caller, Deps } from "../deps.ts";
import { browserSessionsOf } from "./open-browser.ts";

/**
 * Finds a session of the caller's team, active or ended.
 * @throws AppError BROWSER_SESSION_NOT_FOUND, also for another team's
 */
export async function findBrowser(
  deps: Pick<Deps, "browserSessions">,
  { key }: Caller,
  id: string,
): Promise<SessionView> {
  const view = isUuid(id) ? await browserSessionsOf(deps).find(id) : undefined;
  if (view === undefined || view.life.teamId !== key.teamId) throw new AppError("BROWSER_SESSION_NOT_FOUND");
  return view;
}
