import type { Protocol } from "devtools-protocol";
import type { SessionViewport } from "../../core/sessions/browser-session.ts";
import { hasAllowedUrl, isShownTarget } from "../../core/cdp/shown-target.ts";
import type { GuardVerdict, OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import { within } from "../browser/abortable.ts";
import { CdpConnection, type CdpEvent, type CdpMethod, type CdpParams } from "../browser/cdp-connection.ts";
import { pageFunctions } from "#page-scripts";
import { callExpression } from "../browser/page/call-function.ts";
import { canRun, guardSockets } from "../browser/requests/document-policy.ts";
import { EMPTY_PAGE, MAX_HTML_BYTES } from "../browser/requests/document-response.ts";
import { ResponseBody } from "../browser/requests/read-response-body.ts";
import { PageSettings } from "./page-settings.ts";
import { PausedRequests, type Paused } from "./paused-requests.ts";
import { EGRESS_ERROR_REASONS, egressFailureOf } from "../outbound/egress.ts";
import { INTERCEPTED, userAgentOf } from "../browser/page/set-up-page.ts";
import { VisitedOrigins } from "./visited-origins.ts";

interface GuardOptions {
  binding: Fetcher;
  browserSessionId: string;
  guard: OutboundGuard;
  ownHosts: readonly string[];
  mobile: boolean;
  /** Initial size of pages; a driver may set another one. */
  viewport: SessionViewport;
  languages: readonly string[];
  /** True for an unused browser, which is reduced to exactly one tab. */
  isNew: boolean;
  /** Ends the start, and closes its connection. */
  signal?: AbortSignal;
}

/** The initial device metrics of a page, without its size; a driver may set others. */
const DESKTOP = { deviceScaleFactor: 1, mobile: false };
const MOBILE_VIEWPORT = { width: 390, height: 844, deviceScaleFactor: 1, mobile: true };
const HELD = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
/** The browser's own windows, which cannot be closed, and become pages when a client attaches to them. */
const BROWSER_UI = "browser_ui";
const HELD_TARGETS = { ...HELD, filter: ["browser", "tab", BROWSER_UI].map(excluded).concat({}) };
/** Longest wait until the guard controls a new target; a target that takes longer stays hidden. Drivers wait for 30 s. */
const ADMISSION_LIMIT_MS = 15_000;
/** A page that does not confirm by then is left to itself. */
const STOP_LIMIT_MS = 5_000;
/** A name may resolve to another address later. */
const VERDICT_LIFE_MS = 30_000;
const BEFORE_WORKER = { expression: callExpression(pageFunctions.beforeWorker) };
/** Target types that are closed: a service worker outlives its page, and its requests would not be checked. */
const CLOSED_TYPES = new Set(["service_worker", "shared_worker"]);
/** Target types that cannot be closed alone; a frame navigates to a blank page instead. */
const UNCLOSED_TYPES = new Set(["browser", "tab", BROWSER_UI, "iframe", "worker"]);
const EVERY_TARGET = [{}];

/**
 * The service's own connection to a session's browser. It pauses every page, frame and popup at its start until their
 * requests are intercepted, and blocks those to addresses that the service itself would not call, for any driver. While
 * the connection is open the platform does not count the browser as idle; when it ends, the browser ends.
 */
export class SessionGuard {
  readonly connection: CdpConnection;
  /** The initial tab of a new session. */
  tabId: string | undefined;
  readonly #options: GuardOptions;
  readonly #verdicts = new Map<string, Promise<GuardVerdict>>();
  #verdictsSinceMs = 0;
  /** Intercepted targets, with their sessions (undefined for tabs), and callbacks that wait for a target. */
  readonly #admitted = new Map<string, string | undefined>();
  readonly #awaited = new Map<string, (() => void)[]>();
  /** The pages among them. */
  readonly #pages: PageSettings;
  /** The page whose window is measured, before it has the guard's settings. */
  #measuredId: string | undefined;
  readonly #product: string;
  readonly #paused = new PausedRequests({
    answer: (paused, sessionId) => this.#answer(paused, sessionId),
    fail: (requestId, sessionId) => this.#send("Fetch.failRequest", { requestId, errorReason: "Failed" }, sessionId),
  });
  readonly visited = new VisitedOrigins();

  /** @throws BrowserGoneError, CdpError */
  static async start(options: GuardOptions): Promise<SessionGuard> {
    const connection = await CdpConnection.open(options.binding, options.browserSessionId, options.signal);
    try {
      const { product } = await connection.send("Browser.getVersion");
      const guard = new SessionGuard(connection, options, product);
      await guard.#begin();
      return guard;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  private constructor(connection: CdpConnection, options: GuardOptions, product: string) {
    this.connection = connection;
    this.#options = options;
    this.#product = product;
    this.#pages = new PageSettings(connection, this.#metrics());
    connection.onEvent((event) => this.#receive(event));
    void connection.closed.then(() => this.#paused.close());
  }

  /** Ends the guard of a session that has ended. */
  close(): void {
    this.visited.close();
    this.connection.close();
  }

  /**
   * Brings a new browser to exactly one tab, whatever it started with. The tab exists before targets are intercepted:
   * closing the last one would end the browser.
   */
  async #begin(): Promise<void> {
    const { connection } = this;
    const { targetInfos } = await connection.send("Target.getTargets", { filter: EVERY_TARGET });
    const pages = targetInfos.filter((target) => target.type === "page" && hasAllowedUrl(target));
    const first = pages[0] ?? (await connection.send("Target.createTarget", { url: "about:blank" }));
    if (this.#options.isNew) await this.#sizeWindow(first.targetId).catch(() => undefined);
    this.denyDownloads();
    await this.#close(targetInfos.filter(isForbidden));
    await Promise.all([
      connection.send("Target.setAutoAttach", HELD_TARGETS),
      connection.send("Target.setDiscoverTargets", { discover: true, filter: EVERY_TARGET }),
    ]);
    if (!this.#options.isNew) return;
    this.tabId = first.targetId;
    await this.#close(pages.filter(({ targetId }) => targetId !== first.targetId));
    // A browser of the operator may hold those of an earlier session.
    await connection.send("Storage.clearCookies");
  }

  /**
   * Gives the window the size at which its pages have theirs without an override: a driver's override ends with its
   * connection, and pages have the size of the window until the guard's is set again.
   */
  async #sizeWindow(targetId: string): Promise<void> {
    const { connection } = this;
    const { windowId, bounds } = await connection.send("Browser.getWindowForTarget", { targetId });
    this.#measuredId = targetId;
    const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
    try {
      const { cssLayoutViewport } = await connection.send("Page.getLayoutMetrics", undefined, sessionId);
      const { width, height } = this.#metrics();
      await connection.send("Browser.setWindowBounds", {
        windowId,
        bounds: {
          width: width + (bounds.width ?? 0) - cssLayoutViewport.clientWidth,
          height: height + (bounds.height ?? 0) - cssLayoutViewport.clientHeight,
        },
      });
    } finally {
      await connection.send("Target.detachFromTarget", { sessionId });
      this.#measuredId = undefined;
    }
  }

  /** Closes targets; one that is gone already counts as closed. */
  async #close(targets: readonly { targetId: string }[]): Promise<void> {
    await Promise.allSettled(targets.map(({ targetId }) => this.connection.send("Target.closeTarget", { targetId })));
  }

  /** Denies downloads to the browser's machine. The browser resets this when a driver that also set it disconnects. */
  denyDownloads(): void {
    this.#pages.denyDownloads();
  }

  /** Sets again what the browser resets when a driver disconnects that has set it too: downloads, and sizes of pages. */
  restoreSettings(): void {
    this.#pages.restore();
  }

  #metrics(): Protocol.Emulation.SetDeviceMetricsOverrideRequest {
    const { mobile, viewport } = this.#options;
    return mobile ? MOBILE_VIEWPORT : { ...DESKTOP, ...viewport };
  }

  #receive(event: CdpEvent): void {
    switch (event.method) {
      case "Target.attachedToTarget":
        return this.#admit(event.params);
      case "Target.targetCreated":
      case "Target.targetInfoChanged":
        return this.#see(event.params.targetInfo);
      case "Target.targetCrashed":
        return this.#replace(event.params.targetId);
      case "Target.targetDestroyed":
        this.#admitted.delete(event.params.targetId);
        this.#pages.delete(event.params.targetId);
        return;
      case "Fetch.requestPaused":
        return this.#paused.add(event.params, event.sessionId);
    }
  }

  /** Closes a page whose renderer has ended: calls of it have no answer. Another page takes the place of the only one. */
  #replace(targetId: string): void {
    if (!this.#pages.has(targetId)) return;
    const isOnly = this.#pages.size === 1;
    const replace = async (): Promise<void> => {
      if (isOnly) await this.connection.send("Target.createTarget", { url: "about:blank" });
      await this.#close([{ targetId }]);
    };
    replace().catch(() => undefined);
  }

  /** Closes a target with a forbidden URL, however it got there, or navigates it to a blank page if it is a frame. */
  #see(target: Protocol.Target.TargetInfo): void {
    const { type, targetId } = target;
    if (type === "tab" && hasAllowedUrl(target)) return this.#noteAdmission(targetId, undefined);
    if (isForbidden(target)) {
      this.#admitted.delete(targetId);
      return this.#send("Target.closeTarget", { targetId }, undefined);
    }
    if (type !== "iframe" || hasAllowedUrl(target)) return;
    const sessionId = this.#admitted.get(targetId);
    if (sessionId !== undefined) this.#send("Page.navigate", { url: "about:blank" }, sessionId);
  }

  /** Intercepts a new target, then resumes it: commands of one session run in order. */
  #admit({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void {
    const { type, targetId, browserContextId } = targetInfo;
    if (targetId === this.#measuredId) return;
    if (CLOSED_TYPES.has(type)) return this.#send("Target.closeTarget", { targetId }, undefined);
    if (type === "page") this.#pages.add(targetId, { sessionId, contextId: browserContextId });
    const set = [
      this.connection.send("Fetch.enable", { patterns: INTERCEPTED }, sessionId),
      this.connection.send("Target.setAutoAttach", HELD, sessionId),
      ...(type === "page" || type === "iframe" ? this.#setUp(sessionId, type) : []),
      ...(type === "worker" ? [this.connection.send("Runtime.evaluate", BEFORE_WORKER, sessionId)] : []),
    ];
    void Promise.allSettled(set).then(() => isShownTarget(targetInfo) && this.#noteAdmission(targetId, sessionId));
    this.#send("Runtime.runIfWaitingForDebugger", undefined, sessionId);
  }

  /**
   * Resolves when a target's requests are intercepted and its documents have their policy; then it navigates to `url`,
   * if given. Returns false for targets that drivers may not see.
   */
  async whenIntercepted(targetId: string, url = ""): Promise<boolean> {
    if (!this.#admitted.has(targetId)) {
      const admission = new Promise<void>((resolve) => {
        this.#awaited.set(targetId, [...(this.#awaited.get(targetId) ?? []), resolve]);
      });
      await within(admission, ADMISSION_LIMIT_MS, undefined);
      this.#awaited.delete(targetId);
    }
    const sessionId = this.#admitted.get(targetId);
    if (url !== "" && url !== "about:blank" && sessionId !== undefined) this.#send("Page.navigate", { url }, sessionId);
    return this.#admitted.has(targetId);
  }

  /** Reports whether a request may go to a URL; drivers can change the URL after the request was checked. */
  async mayRequest(url: string): Promise<boolean> {
    return isLocalScheme(url) || (await this.#verdict(url)).kind === "allowed";
  }

  /**
   * Stops the scripts that run in pages now, such as an endless loop; timers and listeners of the pages continue. Resolves
   * when the pages have confirmed it: until then, a page would stop the next script instead.
   */
  async stopScripts(): Promise<void> {
    const sessionIds = [...this.#admitted.values()].filter((sessionId) => sessionId !== undefined);
    const stops = sessionIds.map((sessionId) =>
      this.connection.send("Runtime.terminateExecution", undefined, sessionId),
    );
    await within(Promise.allSettled(stops), STOP_LIMIT_MS, undefined);
  }

  #noteAdmission(targetId: string, sessionId: string | undefined): void {
    this.#admitted.set(targetId, sessionId);
    for (const resolve of this.#awaited.get(targetId) ?? []) resolve();
  }

  #setUp(sessionId: string, type: string): Promise<unknown>[] {
    const { mobile, languages } = this.#options;
    const asked = { mobile, languages, headers: {}, skipTlsVerification: false, product: this.#product };
    const send = <M extends CdpMethod>(method: M, params?: CdpParams<M>): Promise<unknown> =>
      this.connection.send(method, params, sessionId);
    const forbidSockets = callExpression(pageFunctions.forbidSockets);
    const looks =
      type === "page"
        ? [
            send("Emulation.setDeviceMetricsOverride", this.#metrics()),
            send("Emulation.setFocusEmulationEnabled", { enabled: true }),
          ]
        : [];
    return [
      // Without this domain, scripts for new documents are registered and never run.
      send("Page.enable"),
      ...[callExpression(pageFunctions.beforePage), forbidSockets].map((source) =>
        send("Page.addScriptToEvaluateOnNewDocument", { source }),
      ),
      // Applies to the document that exists already.
      send("Runtime.evaluate", { expression: forbidSockets }),
      send("Emulation.setUserAgentOverride", userAgentOf(asked)),
      ...looks,
    ];
  }

  async #answer(paused: Paused, sessionId: string | undefined): Promise<void> {
    const { requestId, request, resourceType } = paused;
    const isResponse = paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined;
    if (isResponse) return this.#answerResponse(paused, sessionId);
    if (resourceType === "Document") this.visited.note(request.url);
    if (isLocalScheme(request.url)) return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    const isServiceWorker = request.headers["Service-Worker"] !== undefined;
    const verdict = isServiceWorker ? undefined : await this.#verdict(request.url);
    if (verdict?.kind === "allowed") return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    const errorReason = verdict?.kind === "not_found" ? "NameNotResolved" : "BlockedByClient";
    this.#send("Fetch.failRequest", { requestId, errorReason }, sessionId);
  }

  /**
   * Adds the policy to documents and worker scripts. WebSockets and WebRTC bypass request interception: the policy
   * restricts sockets to the host that the document or script was loaded from, as for pages that the service loads.
   */
  async #answerResponse(paused: Paused, sessionId: string | undefined): Promise<void> {
    const { requestId, responseStatusCode: status = 0, responseHeaders = [] } = paused;
    const failure = egressFailureOf(responseHeaders, this.#options.guard);
    if (failure !== undefined) {
      return this.#send("Fetch.failRequest", { requestId, errorReason: EGRESS_ERROR_REASONS[failure] }, sessionId);
    }
    if (!canRun(paused)) return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    const { connection } = this;
    const response = new ResponseBody({ connection, paused, sessionId, maxBytes: MAX_HTML_BYTES });
    try {
      const body = await response.read();
      if (body === undefined) return this.#send("Fetch.failRequest", { requestId, errorReason: "Failed" }, sessionId);
      await response.fulfill({
        requestId,
        responseCode: status,
        responseHeaders: headersOf(paused),
        body: toBody(body),
      });
    } finally {
      response.release();
    }
  }

  /** Returns the guard's verdict, cached per origin: beyond the host the guard checks only credentials. */
  #verdict(url: string): Promise<GuardVerdict> {
    const parsed = URL.parse(url);
    if (parsed === null) return Promise.resolve({ kind: "refused", reason: "Invalid URL" });
    const key = `${parsed.protocol}//${parsed.username}@${parsed.host}`;
    if (Date.now() - this.#verdictsSinceMs > VERDICT_LIFE_MS) {
      this.#verdicts.clear();
      this.#verdictsSinceMs = Date.now();
    }
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const verdict = this.#options.guard.check(url, this.#options.ownHosts);
    this.#verdicts.set(key, verdict);
    return verdict;
  }

  /** Sends a command and ignores its failure: the target or request may be gone already. */
  #send<M extends CdpMethod>(method: M, params: CdpParams<M>, sessionId: string | undefined): void {
    this.connection.send(method, params, sessionId).catch(() => undefined);
  }
}

function excluded(type: string): Protocol.Target.FilterEntry {
  return { type, exclude: true };
}

/** Reports whether a target must be closed as soon as it appears. */
function isForbidden(target: Protocol.Target.TargetInfo): boolean {
  return CLOSED_TYPES.has(target.type) || (!UNCLOSED_TYPES.has(target.type) && !hasAllowedUrl(target));
}

/** Returns the headers of a response with the policy. PDFs become downloads: their viewer is a browser page inside of this one. */
function headersOf({ responseHeaders = [], request }: Paused): Protocol.Fetch.HeaderEntry[] {
  const headers = guardSockets(responseHeaders, request.url);
  if (isPdf(responseHeaders)) headers.push({ name: "Content-Disposition", value: "attachment" });
  return headers;
}

/** Returns the body in base64. Chromium displays an error page for an error status without a body. */
function toBody(body: Buffer): string {
  return body.byteLength === 0 ? EMPTY_PAGE : body.toString("base64");
}

function isPdf(headers: readonly Protocol.Fetch.HeaderEntry[]): boolean {
  return headers.some(
    ({ name, value }) => name.toLowerCase() === "content-type" && /^\s*(application|text)\/pdf/i.test(value),
  );
}

/** Reports whether a URL stays in the browser. `file:`, `chrome:` and others go to the guard, which refuses them. */
function isLocalScheme(url: string): boolean {
  return url.startsWith("data:") || url.startsWith("blob:") || url === "about:srcdoc" || url === "about:blank";
}
