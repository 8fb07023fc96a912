import type { Replay } from "../../core/sessions/browser-session.ts";
import { hasAllowedUrl } from "../../core/cdp/shown-target.ts";
import { CdpConnection } from "../browser/cdp-connection.ts";
import { answerDialog } from "../browser/page/answer-dialog.ts";
import { DeadlineError, LoadEnd } from "../browser/page/load-end.ts";
import { navigationError } from "../browser/requests/navigation-errors.ts";
import { PageActivity } from "../browser/page/page-activity.ts";
import { PageSession } from "../browser/page/page-session.ts";
import { runActions } from "../browser/actions/run-actions.ts";
import { settle } from "../browser/page/settle.ts";

const REPLAY_LIMIT_MS = 90_000;

/**
 * Restores the state of a scrape's page in a session's single tab: loads the address, waits, runs the actions. Captures
 * of the actions are discarded. Uses a separate connection, which is closed afterwards; the page stays open.
 * @returns what went wrong, for the caller; undefined on success
 */
export async function replayScrape(
  binding: Fetcher,
  browserSessionId: string,
  replay: Replay,
): Promise<string | undefined> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DeadlineError()), REPLAY_LIMIT_MS);
  try {
    const connection = await CdpConnection.open(binding, browserSessionId, controller.signal);
    void connection.closed.then((gone) => controller.abort(gone));
    const page = await attach(connection, browserSessionId, controller);
    connection.onEvent((event) => answerDialog(event, connection));
    const activity = new PageActivity(page);
    await Promise.all([page.send("Page.enable"), page.send("Network.enable"), page.send("Inspector.enable")]);
    const { errorText } = await page.send("Page.navigate", { url: replay.url });
    if (errorText !== undefined && errorText !== "") return navigationError(errorText, replay.url).message;
    await settle(page, activity);
    if (replay.waitForMs > 0) await page.sleep(replay.waitForMs);
    if (replay.actions.length > 0) {
      await runActions(replay.actions, { page, activity, mobile: replay.mobile, warnings: [] });
    }
    return undefined;
  } catch (thrown) {
    const error: unknown = controller.signal.aborted ? controller.signal.reason : thrown;
    if (error instanceof LoadEnd && error.outcome.kind === "failed") return error.outcome.message;
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
    // Closes the connection.
    controller.abort();
  }
}

async function attach(connection: CdpConnection, browserId: string, controller: AbortController): Promise<PageSession> {
  const { targetInfos } = await connection.send("Target.getTargets");
  const target = targetInfos.find((target) => target.type === "page" && hasAllowedUrl(target));
  if (target === undefined) throw new Error("The browser has no tab");
  const { targetId, browserContextId = "" } = target;
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const ids = { sessionId, frameId: targetId, contextId: browserContextId };
  return new PageSession({ connection, ids, browserId, controller, deadlineMs: Date.now() + REPLAY_LIMIT_MS });
}
