import type { ExecutionOutcome, ExecutionRequest } from "../core/execution.ts";
import { AppError } from "../core/errors.ts";
import type { Caller, Deps } from "./deps.ts";
import { findBrowser } from "./find-browser.ts";
import { browserSessionsOf } from "./open-browser.ts";

/**
 * Runs code in a session.
 * @throws AppError BROWSER_SESSION_NOT_FOUND, FORBIDDEN, BROWSER_SESSION_ENDED, NOT_AVAILABLE
 */
export async function runInBrowser(
  deps: Pick<Deps, "browserSessions">,
  caller: Caller,
  { id, ...request }: ExecutionRequest & { id: string },
): Promise<ExecutionOutcome> {
  const { life } = await findBrowser(deps, caller, id);
  if (life.end !== undefined) throw new AppError("BROWSER_SESSION_ENDED");
  const execution = await browserSessionsOf(deps).execute(id, request);
  if (execution.kind === "ended") throw new AppError("BROWSER_SESSION_ENDED");
  if (execution.kind === "unavailable") {
    throw new AppError(
      "NOT_AVAILABLE",
      "This deployment cannot run code: it has no worker loader. Use cdpUrl instead.",
    );
  }
  return execution.outcome;
}
