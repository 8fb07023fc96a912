import type { Protocol } from "devtools-protocol";
import { hasOpenUrl, isShownTarget } from "../../core/cdp/shown-target.ts";
import type { GuardVerdict, OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import { within } from "../browser/abortable.ts";
import { CdpConnection, type CdpEvent, type CdpMethod, type CdpParams } from "../browser/cdp-connection.ts";
import { BEFORE_PAGE_SCRIPT, BLANK_POLICY_SCRIPT } from "../browser/page/page-scripts.ts";
import { canRun, guardSockets } from "../browser/requests/document-policy.ts";
import { EMPTY_PAGE, MAX_HTML_BYTES } from "../browser/requests/document-response.ts";
import { readResponseBody } from "../browser/requests/read-response-body.ts";
import { EGRESS_ERROR_REASONS, egressFailureOf } from "../outbound/egress.ts";
import { INTERCEPTED, userAgentOf } from "../browser/page/set-up-page.ts";

type Paused = Protocol.Fetch.RequestPausedEvent;

interface GuardOptions {
  binding: Fetcher;
  browserSessionId: string;
  guard: OutboundGuard;
  ownHosts: readonly string[];
  mobile: boolean;
  languages: readonly string[];
  /** The browser was never used: it is brought to exactly one tab. */
  isNew: boolean;
}

/** What a page starts with; whoever drives the session may set another size. */
const VIEWPORT = { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false };
const MOBILE_VIEWPORT = { width: 390, height: 844, deviceScaleFactor: 1, mobile: true };
const HELD = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
/** Windows of the browser's own, which cannot be closed, and become pages when somebody attaches to them. */
const BROWSER_UI = "browser_ui";
const HELD_TARGETS = { ...HELD, filter: ["browser", "tab", BROWSER_UI].map(excluded).concat({}) };
/** Longest wait for the guard to have its hand on a new target; what takes longer stays hidden. */
const ADMISSION_LIMIT_MS = 5_000;
/** A name may come to stand for another address. */
const VERDICT_LIFE_MS = 30_000;
const MAX_VISITED = 200;
/** Kinds of targets that stay closed: a service worker outlives its page, and loads with nobody looking. */
const CLOSED_TYPES = new Set(["service_worker", "shared_worker"]);
/** Kinds that cannot be closed by themselves; a frame is sent to a blank page instead. */
const UNCLOSED_TYPES = new Set(["browser", "tab", BROWSER_UI, "iframe", "worker"]);
const EVERY_TARGET = [{}];

/**
 * The service's own connection to a session's browser. It holds every page, frame and popup at its start until it sees
 * their requests, and lets none through to an address that the service itself would not call, whoever drives the
 * browser. As long as it is open the platform does not take the browser for idle; its end is the browser's end.
 */
export class SessionGuard {
  readonly connection: CdpConnection;
  /** The tab that the session began with. */
  tabId: string | undefined;
  readonly #options: GuardOptions;
  readonly #verdicts = new Map<string, Promise<GuardVerdict>>();
  #verdictsSinceMs = 0;
  /** Targets whose requests are looked at, with their sessions; tabs have none. And those that somebody waits for. */
  readonly #admitted = new Map<string, string | undefined>();
  readonly #awaited = new Map<string, (() => void)[]>();
  /** Browser contexts whose downloads were denied. */
  readonly #contexts = new Set<string | undefined>();
  readonly #product: string;
  /** Origins that documents were asked for from, the latest last: whose storage a profile keeps. */
  readonly visitedOrigins = new Set<string>();

  /** @throws BrowserGoneError, CdpError */
  static async start(options: GuardOptions): Promise<SessionGuard> {
    const connection = await CdpConnection.open(options.binding, options.browserSessionId);
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
    connection.onEvent((event) => this.#receive(event));
  }

  /**
   * A new browser has exactly one tab to begin with, whatever the platform's browser came up with. It is there before
   * targets are looked at: closing the last one would end the browser.
   */
  async #begin(): Promise<void> {
    const { connection } = this;
    const { targetInfos } = await connection.send("Target.getTargets", { filter: EVERY_TARGET });
    const pages = targetInfos.filter((target) => target.type === "page" && hasOpenUrl(target));
    const first = pages[0] ?? (await connection.send("Target.createTarget", { url: "about:blank" }));
    this.denyDownloads();
    await this.#close(targetInfos.filter(isForbidden));
    await Promise.all([
      connection.send("Target.setAutoAttach", HELD_TARGETS),
      connection.send("Target.setDiscoverTargets", { discover: true, filter: EVERY_TARGET }),
    ]);
    if (!this.#options.isNew) return;
    this.tabId = first.targetId;
    await this.#close(pages.filter(({ targetId }) => targetId !== first.targetId));
  }

  /** One that went away meanwhile is closed. */
  async #close(targets: readonly { targetId: string }[]): Promise<void> {
    await Promise.allSettled(targets.map(({ targetId }) => this.connection.send("Target.closeTarget", { targetId })));
  }

  /** Nothing is written to the browser's machine. The browser undoes it when a driver leaves that said so as well. */
  denyDownloads(): void {
    for (const browserContextId of this.#contexts.add(undefined)) {
      const context = browserContextId === undefined ? {} : { browserContextId };
      this.#send("Browser.setDownloadBehavior", { behavior: "deny", ...context }, undefined);
    }
  }

  #receive(event: CdpEvent): void {
    switch (event.method) {
      case "Target.attachedToTarget":
        return this.#admit(event.params);
      case "Target.targetCreated":
      case "Target.targetInfoChanged":
        return this.#see(event.params.targetInfo);
      case "Target.targetDestroyed":
        this.#admitted.delete(event.params.targetId);
        return;
      case "Fetch.requestPaused": {
        const { requestId } = event.params;
        this.#answer(event.params, event.sessionId).catch(() =>
          this.#send("Fetch.failRequest", { requestId, errorReason: "Failed" }, event.sessionId),
        );
        return;
      }
    }
  }

  /** Closes what stands on a URL that it may not stand on, however it came there. */
  #see(target: Protocol.Target.TargetInfo): void {
    const { type, targetId } = target;
    if (type === "tab" && hasOpenUrl(target)) return this.#noteAdmission(targetId, undefined);
    if (isForbidden(target)) {
      this.#admitted.delete(targetId);
      return this.#send("Target.closeTarget", { targetId }, undefined);
    }
    if (type !== "iframe" || hasOpenUrl(target)) return;
    const sessionId = this.#admitted.get(targetId);
    if (sessionId !== undefined) this.#send("Page.navigate", { url: "about:blank" }, sessionId);
  }

  /** Commands of one session are carried out in their order, so the target goes on with its requests being looked at. */
  #admit({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void {
    const { type, targetId, browserContextId } = targetInfo;
    if (CLOSED_TYPES.has(type)) return this.#send("Target.closeTarget", { targetId }, undefined);
    if (type === "page" && !this.#contexts.has(browserContextId)) {
      this.#contexts.add(browserContextId);
      this.denyDownloads();
    }
    const set = [
      this.connection.send("Fetch.enable", { patterns: INTERCEPTED }, sessionId),
      this.connection.send("Target.setAutoAttach", HELD, sessionId),
      ...(type === "page" || type === "iframe" ? this.#setUp(sessionId, type) : []),
    ];
    void Promise.allSettled(set).then(() => isShownTarget(targetInfo) && this.#noteAdmission(targetId, sessionId));
    this.#send("Runtime.runIfWaitingForDebugger", undefined, sessionId);
  }

  /**
   * Resolves when a target's requests are looked at and its documents have their policy. Then it is sent to a URL, if one
   * is given. False for targets that drivers may not see.
   */
  async admitted(targetId: string, url = ""): Promise<boolean> {
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

  /** Whether a request may go to a URL; drivers can change where one goes after it was looked at. */
  async mayCall(url: string): Promise<boolean> {
    return isLocalScheme(url) || (await this.#verdict(url)).kind === "allowed";
  }

  /** Ends the scripts that run in pages now, such as an endless loop; what a page has set up goes on. */
  stopScripts(): void {
    for (const sessionId of this.#admitted.values()) {
      if (sessionId !== undefined) this.#send("Runtime.terminateExecution", undefined, sessionId);
    }
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
    const looks =
      type === "page"
        ? [
            send("Emulation.setDeviceMetricsOverride", mobile ? MOBILE_VIEWPORT : VIEWPORT),
            send("Emulation.setFocusEmulationEnabled", { enabled: true }),
          ]
        : [];
    return [
      // Without this domain, scripts for new documents are kept and never run.
      send("Page.enable"),
      ...[BEFORE_PAGE_SCRIPT, BLANK_POLICY_SCRIPT].map((source) =>
        send("Page.addScriptToEvaluateOnNewDocument", { source }),
      ),
      // The document that is there already.
      send("Runtime.evaluate", { expression: BLANK_POLICY_SCRIPT }),
      send("Emulation.setUserAgentOverride", userAgentOf(asked)),
      ...looks,
    ];
  }

  async #answer(paused: Paused, sessionId: string | undefined): Promise<void> {
    const { requestId, request, resourceType } = paused;
    const isResponse = paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined;
    if (isResponse) return this.#answerResponse(paused, sessionId);
    if (resourceType === "Document") this.#noteVisit(request.url);
    if (isLocalScheme(request.url)) return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    const isServiceWorker = request.headers["Service-Worker"] !== undefined;
    const verdict = isServiceWorker ? undefined : await this.#verdict(request.url);
    if (verdict?.kind === "allowed") return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    const errorReason = verdict?.kind === "not_found" ? "NameNotResolved" : "BlockedByClient";
    this.#send("Fetch.failRequest", { requestId, errorReason }, sessionId);
  }

  /**
   * WebSockets and WebRTC do not pass through request interception: documents and the scripts of workers get a policy
   * that keeps sockets to the host that they themselves were allowed to come from, as those that the service loads do.
   */
  async #answerResponse(paused: Paused, sessionId: string | undefined): Promise<void> {
    const { requestId, request, responseStatusCode: status = 0, responseHeaders = [] } = paused;
    const failure = egressFailureOf(responseHeaders, this.#options.guard);
    if (failure !== undefined) {
      return this.#send("Fetch.failRequest", { requestId, errorReason: EGRESS_ERROR_REASONS[failure] }, sessionId);
    }
    if (!canRun(paused)) return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    const body = await readResponseBody(this.connection, requestId, { sessionId, maxBytes: MAX_HTML_BYTES });
    if (body === undefined) return this.#send("Fetch.failRequest", { requestId, errorReason: "Failed" }, sessionId);
    const headers = guardSockets(responseHeaders, request.url);
    // The viewer is a page of the browser's own inside of this one.
    if (isPdf(responseHeaders)) headers.push({ name: "Content-Disposition", value: "attachment" });
    const answer = { requestId, responseCode: status, responseHeaders: headers };
    this.#send("Fetch.fulfillRequest", { ...answer, body: toBody(body) }, sessionId);
  }

  #noteVisit(url: string): void {
    const origin = URL.parse(url)?.origin ?? "null";
    this.visitedOrigins.delete(origin);
    this.visitedOrigins.add(origin);
    const [oldest = ""] = this.visitedOrigins;
    if (this.visitedOrigins.size > MAX_VISITED) this.visitedOrigins.delete(oldest);
  }

  /** One question an origin: the guard looks at nothing behind the host, except for credentials. */
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

  /** A target or request that went away meanwhile needs nothing. */
  #send<M extends CdpMethod>(method: M, params: CdpParams<M>, sessionId: string | undefined): void {
    this.connection.send(method, params, sessionId).catch(() => undefined);
  }
}

function excluded(type: string): Protocol.Target.FilterEntry {
  return { type, exclude: true };
}

/** What is closed as soon as it is seen. */
function isForbidden(target: Protocol.Target.TargetInfo): boolean {
  return CLOSED_TYPES.has(target.type) || (!UNCLOSED_TYPES.has(target.type) && !hasOpenUrl(target));
}

/** Chromium shows a page of its own for an error status without a body. */
function toBody(body: Buffer): string {
  return body.byteLength === 0 ? EMPTY_PAGE : body.toString("base64");
}

function isPdf(headers: readonly Protocol.Fetch.HeaderEntry[]): boolean {
  return headers.some(
    ({ name, value }) => name.toLowerCase() === "content-type" && /^\s*(application|text)\/pdf/i.test(value),
  );
}

/** These stay inside the browser. `file:`, `chrome:` and others go to the guard, which knows http and https only. */
function isLocalScheme(url: string): boolean {
  return url.startsWith("data:") || url.startsWith("blob:") || url === "about:srcdoc" || url === "about:blank";
}
