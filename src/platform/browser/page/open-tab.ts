import type { Protocol } from "devtools-protocol";
import type { BrowserRequest } from "../../../ports/browser.ts";
import { abortable } from "../abortable.ts";
import type { CdpConnection, CdpEvent } from "../cdp-connection.ts";
import { setCookies } from "../set-cookies.ts";
import { PageCrashedError } from "./load-end.ts";
import { answerDialog } from "./answer-dialog.ts";
import { PageSession } from "./page-session.ts";
import { TransferWatch } from "../requests/transfer-watch.ts";
import { setUpFrame, setUpWorker, type Emulated, type Emulation } from "./set-up-page.ts";

interface OpenTabOptions {
  connection: CdpConnection;
  /** The platform's id of the browser session. */
  browserId: string;
  request: Emulated & Pick<BrowserRequest, "deadlineMs" | "owner">;
  controller: AbortController;
  onContext: (contextId: string) => void;
}

export interface OpenedTab {
  page: PageSession;
  emulation: Emulation;
  transfers: TransferWatch;
}

/**
 * Opens a blank page in a separate context: it shares no cookies, storage or cache with other loads and is removed with
 * the connection. Dialogs are dismissed, downloads denied, and out-of-process frames set up like the page itself.
 */
export async function openTab({
  connection,
  browserId,
  request,
  controller,
  onContext,
}: OpenTabOptions): Promise<OpenedTab> {
  const { signal } = controller;
  const [{ product }, { browserContextId }] = await abortable(
    Promise.all([
      connection.send("Browser.getVersion"),
      connection.send("Target.createBrowserContext", { disposeOnDetach: true }),
    ]),
    signal,
  );
  onContext(browserContextId);
  const [{ targetId }] = await abortable(
    Promise.all([
      connection.send("Target.createTarget", { url: "about:blank", browserContextId }),
      connection.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
      setCookies(connection, request.profile?.cookies ?? [], browserContextId),
    ]),
    signal,
  );
  // The order matters: the session that is attached first is nearer to the network.
  const [watching, { sessionId }] = await abortable(
    Promise.all([
      connection.send("Target.attachToTarget", { targetId, flatten: true }),
      connection.send("Target.attachToTarget", { targetId, flatten: true }),
    ]),
    signal,
  );
  const transfers = new TransferWatch(connection, watching.sessionId);
  transfers.start().catch(() => undefined);
  const ids = { sessionId, frameId: targetId, contextId: browserContextId };
  const { owner, deadlineMs } = request;
  const page = new PageSession({ connection, ids, browserId, owner, controller, deadlineMs });
  const emulation = { ...request, product };
  connection.onEvent((event) => attend(event, page, emulation));
  return { page, emulation, transfers };
}

function attend(event: CdpEvent, page: PageSession, emulation: Emulation): void {
  switch (event.method) {
    case "Page.javascriptDialogOpening":
      return answerDialog(event, page.connection);
    case "Target.attachedToTarget":
      if (event.sessionId !== undefined) admit(event.params, page, emulation);
      return;
    case "Inspector.targetCrashed":
      if (event.sessionId === page.ids.sessionId) page.end(new PageCrashedError());
      return;
    case "Target.detachedFromTarget":
      if (event.params.sessionId === page.ids.sessionId) page.end(new PageCrashedError());
  }
}

/**
 * Sets up a new target of the page and resumes it; new targets are paused until then. Failures are ignored: the target
 * may be gone already. A service worker is closed, because it would be resumed when the page closes, and outlive
 * request interception.
 */
function admit(
  { sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent,
  page: PageSession,
  emulation: Emulation,
): void {
  const { connection } = page;
  const admitted =
    targetInfo.type === "iframe"
      ? setUpFrame(page, sessionId, emulation)
      : targetInfo.type === "service_worker"
        ? connection.send("Target.closeTarget", { targetId: targetInfo.targetId })
        : setUpWorker(page, sessionId);
  admitted.catch(() => undefined);
}
