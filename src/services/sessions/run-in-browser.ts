import { validate as isUuid } from "uuid";
import type { ExecutionOutcome, ExecutionRequest } from "../../core/sessions/execution.ts";
import { AppError } from "../../core/errors.ts";
import type { Execution } from "../../ports/sessions/browser-session.ts";
import type { Caller, Deps } from "../deps.ts";
import { browserSessionsOf } from "./open-browser.ts";

/**
 * Runs code in a session.
 * @throws AppError BROWSER_SESSION_NOT_FOUND, BROWSER_SESSION_ENDED, NOT_AVAILABLE; RATE_LIMITED when too many runs wait
 */
export async function runInBrowser(
  deps: Pick<Deps, "browserSessions">,
  caller: Caller,
  { id, ...request }: ExecutionRequest & { id: string },
): Promise<ExecutionOutcome> {
  const sessions = browserSessionsOf(deps);
  const unknown = { kind: "unknown" } as const;
  const execution = isUuid(id) ? await sessions.execute(id, { ...request, teamId: caller.key.teamId }) : unknown;
  if (execution.kind === "done") return execution.outcome;
  throw refusalOf(execution.kind);
}

const MANY_RUNS_WAIT =
  "Too many runs are waiting at once, of this session or of all sessions. Wait for their answers before sending more.";

function refusalOf(reason: Exclude<Execution["kind"], "done">): AppError {
  switch (reason) {
    case "unknown":
    case "foreign":
      return new AppError("BROWSER_SESSION_NOT_FOUND");
    case "ended":
      return new AppError("BROWSER_SESSION_ENDED");
    case "busy":
      return new AppError("RATE_LIMITED", MANY_RUNS_WAIT, { retryAfterSeconds: 1 });
    case "unavailable":
      return new AppError(
        "NOT_AVAILABLE",
        "This deployment cannot run code: it has no worker loader. Use cdpUrl instead.",
      );
  }
}
