import type { LeaseOutcome } from "../../core/sessions/browser-pool.ts";
import type { EngineOutcome } from "../../core/scrape/page.ts";
import type { BrowserRequest } from "../../ports/browser.ts";
import type { OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import type { RequestSigner } from "../../ports/outbound/request-signer.ts";
import { abortable, within } from "./abortable.ts";
import { BrowserGoneError, CdpConnection, CdpError } from "./cdp-connection.ts";
import { DeadlineError, failed, LoadEnd, NoDocumentError, PageCrashedError } from "./page/load-end.ts";
import { openTab, type OpenedTab } from "./page/open-tab.ts";
import type { Emulated } from "./page/set-up-page.ts";
import { visitPage } from "./page/visit-page.ts";

export interface LoadOptions {
  binding: Fetcher;
  guard: OutboundGuard;
  /** Signs the navigations of the page. */
  signer?: RequestSigner | undefined;
  request: BrowserRequest;
  sessionId: string;
  /** Aborted when the caller has left: the load ends then. */
  callerLeft?: AbortSignal | undefined;
  /** Receives the browser context as soon as it exists, so that the pool can remove it if the load does not. */
  onContext: (contextId: string) => Promise<void>;
}

export interface FinishedLoad {
  outcome: EngineOutcome;
  /** Removes everything that the load opened. Never fails and never takes long; returns the state of the browser. */
  close: () => Promise<LeaseOutcome>;
}

/** A browser that takes longer than this to remove a context counts as unresponsive. */
const CLOSE_LIMIT_MS = 3_000;

const BROWSER_END_MS = 300;

/** Loads one page in a running browser, within the request's deadline. Never throws. */
export async function loadInBrowser(options: LoadOptions): Promise<FinishedLoad> {
  const { ended, close } = await useTab(options, (page) => visitPage(page, options));
  return { outcome: ended.kind === "done" ? ended.value : toOutcome(ended.error, options.request.url), close };
}

/** A tab to open, and what it is set up for. */
export interface TabOptions extends Pick<LoadOptions, "binding" | "sessionId" | "callerLeft" | "onContext"> {
  request: Emulated & Pick<BrowserRequest, "deadlineMs" | "owner">;
}

/** The end of work in a tab. */
export interface FinishedTab<Value> {
  ended: { kind: "done"; value: Value } | { kind: "failed"; error: unknown };
  /** Removes everything that was opened. Never fails and never takes long; returns the state of the browser. */
  close: () => Promise<LeaseOutcome>;
}

/**
 * Opens a tab in a separate context of a running browser and works in it, until the deadline or until the caller leaves.
 * Never throws. The caller closes the tab.
 */
export async function useTab<Value>(
  { binding, sessionId, callerLeft, onContext, request }: TabOptions,
  work: (page: OpenedTab) => Promise<Value>,
): Promise<FinishedTab<Value>> {
  const controller = new AbortController();
  const leave = (): void => controller.abort(new DeadlineError());
  if (callerLeft?.aborted === true) leave();
  callerLeft?.addEventListener("abort", leave, { once: true });
  const timer = setTimeout(() => controller.abort(new DeadlineError()), Math.max(0, request.deadlineMs - Date.now()));
  const opened: Opened = { connection: undefined, contextId: undefined };
  const bind = (contextId: string): void => {
    opened.contextId = contextId;
    void onContext(contextId);
  };
  try {
    const connection = await connect(binding, sessionId, controller.signal);
    opened.connection = connection;
    void connection.closed.then((gone) => controller.abort(gone));
    const page = await openTab({
      connection,
      browserId: sessionId,
      request,
      controller,
      onContext: bind,
    }).catch(notOpened);
    const value = await work(page);
    return { ended: { kind: "done", value }, close: () => close(opened, "ok") };
  } catch (thrown) {
    const error = await causeOf(controller.signal.aborted ? controller.signal.reason : thrown, opened.connection);
    return { ended: { kind: "failed", error }, close: () => close(opened, toLeaseOutcome(error)) };
  } finally {
    clearTimeout(timer);
    callerLeft?.removeEventListener("abort", leave);
  }
}

interface Opened {
  connection: CdpConnection | undefined;
  contextId: string | undefined;
}

/** Connects to the session. A connection that opens after the load was aborted is closed at once. */
function connect(binding: Fetcher, sessionId: string, signal: AbortSignal): Promise<CdpConnection> {
  const connecting = CdpConnection.open(binding, sessionId);
  return abortable(connecting, signal).catch((error: unknown) => {
    connecting.then(
      (late) => late.close(),
      () => undefined,
    );
    throw error;
  });
}

/** A browser that cannot open a page counts as gone. */
function notOpened(error: unknown): never {
  throw error instanceof CdpError ? new BrowserGoneError(error.message) : error;
}

/** Returns an error's cause. The pages of a closing browser fail a moment before the connection is lost. */
async function causeOf(error: unknown, connection: CdpConnection | undefined): Promise<unknown> {
  if (connection === undefined || error instanceof LoadEnd || error instanceof DeadlineError) return error;
  return within(connection.closed, BROWSER_END_MS, error);
}

async function close({ connection, contextId }: Opened, outcome: LeaseOutcome): Promise<LeaseOutcome> {
  if (connection === undefined || outcome === "gone") return outcome;
  if (contextId === undefined) {
    connection.close();
    return outcome;
  }
  const disposing = connection.send("Target.disposeBrowserContext", { browserContextId: contextId });
  const end = await within(
    disposing.then(() => "removed" as const),
    CLOSE_LIMIT_MS,
    "late" as const,
  ).catch(() => "late" as const);
  connection.close();
  return end === "late" && outcome === "ok" ? "hung" : outcome;
}

function toOutcome(error: unknown, url: string): EngineOutcome {
  if (error instanceof LoadEnd) return error.outcome;
  if (error instanceof NoDocumentError) return { kind: "insufficient", reason: "download" };
  if (error instanceof DeadlineError) return failed("SCRAPE_TIMEOUT", error.message);
  if (error instanceof PageCrashedError) return failed("SCRAPE_SITE_ERROR", error.message);
  if (error instanceof BrowserGoneError) {
    return failed("SCRAPE_BROWSER_UNAVAILABLE", "The browser ended while it loaded the page", error);
  }
  const host = URL.parse(url)?.host ?? url;
  return failed("SCRAPE_SITE_ERROR", `The page of ${host} could not be read in a browser`, error);
}

function toLeaseOutcome(error: unknown): LeaseOutcome {
  if (error instanceof BrowserGoneError) return "gone";
  return error instanceof PageCrashedError ? "crashed" : "ok";
}
