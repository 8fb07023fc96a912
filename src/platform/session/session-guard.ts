import type { Protocol } from "devtools-protocol";
import type { GuardVerdict, OutboundGuard } from "../../ports/outbound-guard.ts";
import { within } from "../browser/abortable.ts";
import { CdpConnection, type CdpEvent, type CdpMethod, type CdpParams } from "../browser/cdp-connection.ts";
import { BEFORE_PAGE_SCRIPT, BLANK_POLICY_SCRIPT } from "../browser/page-scripts.ts";
import { guardSockets } from "../browser/document-policy.ts";
import { EMPTY_PAGE, MAX_HTML_BYTES } from "../browser/document-response.ts";
import { readResponseBody } from "../browser/read-response-body.ts";
import { EGRESS_ERROR_REASONS, egressFailureOf } from "../egress.ts";
import { INTERCEPTED, userAgentOf } from "../browser/set-up-page.ts";

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
/** Longest wait for the guard to have its hand on a new target. */
const ADMISSION_LIMIT_MS = 2_000;
/** A name may come to stand for another address. */
const VERDICT_LIFE_MS = 30_000;
const MAX_VISITED = 200;
/** Kinds of targets that stay closed: a service worker outlives its page, and loads with nobody looking. */
const CLOSED_TYPES = new Set(["service_worker", "shared_worker"]);

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
  /** Targets whose requests are looked at, with their sessions; and those that somebody waits for. */
  readonly #admitted = new Map<string, string>();
  readonly #awaited = new Map<string, (() => void)[]>();
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

  /** A new browser has exactly one tab to begin with, whatever the platform's browser came up with. */
  async #begin(): Promise<void> {
    const { connection } = this;
    const [, { targetInfos }] = await Promise.all([
      connection.send("Target.setAutoAttach", HELD),
      connection.send("Target.getTargets"),
      connection.send("Target.setDiscoverTargets", { discover: true }),
    ]);
    const [first, ...others] = targetInfos.filter(({ type }) => type === "page");
    if (!this.#options.isNew) return;
    const made = first ?? (await connection.send("Target.createTarget", { url: "about:blank" }));
    this.tabId = made.targetId;
    await Promise.all(others.map(({ targetId }) => connection.send("Target.closeTarget", { targetId })));
  }

  #receive(event: CdpEvent): void {
    switch (event.method) {
      case "Target.attachedToTarget":
        return this.#admit(event.params);
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

  /** Commands of one session are carried out in their order, so the target goes on with its requests being looked at. */
  #admit({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void {
    const { type, targetId } = targetInfo;
    if (CLOSED_TYPES.has(type)) return this.#send("Target.closeTarget", { targetId }, undefined);
    const enabled = this.connection.send("Fetch.enable", { patterns: INTERCEPTED }, sessionId);
    const isAdmitted = (): void => this.#noteAdmission(targetId, sessionId);
    enabled.then(isAdmitted, isAdmitted);
    this.#send("Target.setAutoAttach", HELD, sessionId);
    if (type === "page" || type === "iframe") this.#setUp(sessionId, type);
    this.#send("Runtime.runIfWaitingForDebugger", undefined, sessionId);
  }

  /**
   * Resolves when a target's requests are looked at; at the latest after a moment, for kinds that load nothing. Then it
   * is sent to an address, if one is given.
   */
  async admitted(targetId: string, url = ""): Promise<void> {
    if (!this.#admitted.has(targetId)) {
      const admission = new Promise<void>((resolve) => {
        this.#awaited.set(targetId, [...(this.#awaited.get(targetId) ?? []), resolve]);
      });
      await within(admission, ADMISSION_LIMIT_MS, undefined);
      this.#awaited.delete(targetId);
    }
    const sessionId = this.#admitted.get(targetId);
    if (url !== "" && url !== "about:blank" && sessionId !== undefined) this.#send("Page.navigate", { url }, sessionId);
  }

  /** Whether a request may go to an address; drivers can change where one goes after it was looked at. */
  async mayCall(url: string): Promise<boolean> {
    return isLocalScheme(url) || (await this.#verdict(url)).kind === "allowed";
  }

  #noteAdmission(targetId: string, sessionId: string): void {
    this.#admitted.set(targetId, sessionId);
    for (const resolve of this.#awaited.get(targetId) ?? []) resolve();
  }

  #setUp(sessionId: string, type: string): void {
    const { mobile, languages } = this.#options;
    const asked = { mobile, languages, headers: {}, skipTlsVerification: false, product: this.#product };
    // Without this domain, scripts for new documents are kept and never run.
    this.#send("Page.enable", undefined, sessionId);
    for (const source of [BEFORE_PAGE_SCRIPT, BLANK_POLICY_SCRIPT]) {
      this.#send("Page.addScriptToEvaluateOnNewDocument", { source }, sessionId);
    }
    // The document that is there already.
    this.#send("Runtime.evaluate", { expression: BLANK_POLICY_SCRIPT }, sessionId);
    this.#send("Emulation.setUserAgentOverride", userAgentOf(asked), sessionId);
    if (type !== "page") return;
    this.#send("Emulation.setDeviceMetricsOverride", mobile ? MOBILE_VIEWPORT : VIEWPORT, sessionId);
    this.#send("Emulation.setFocusEmulationEnabled", { enabled: true }, sessionId);
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
    const hasBody = paused.responseErrorReason === undefined && status >= 200 && ![204, 205].includes(status);
    if (!hasBody || (status >= 300 && status < 400) || !isGuarded(responseHeaders)) {
      return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    }
    const body = await readResponseBody(this.connection, requestId, { sessionId, maxBytes: MAX_HTML_BYTES });
    if (body === undefined) return this.#send("Fetch.failRequest", { requestId, errorReason: "Failed" }, sessionId);
    const answer = { requestId, responseCode: status, responseHeaders: guardSockets(responseHeaders, request.url) };
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

/** Chromium shows a page of its own for an error status without a body. */
function toBody(body: Buffer): string {
  return body.byteLength === 0 ? EMPTY_PAGE : body.toString("base64");
}

/** Pages and scripts can open sockets; what is downloaded cannot. */
function isGuarded(headers: readonly Protocol.Fetch.HeaderEntry[]): boolean {
  const has = (wanted: string, pattern: RegExp): boolean =>
    headers.some(({ name, value }) => name.toLowerCase() === wanted && pattern.test(value));
  return has("content-type", /html|svg|xml|(java|ecma)script/i) && !has("content-disposition", /^\s*attachment/i);
}

/** These stay inside the browser. `file:`, `chrome:` and others go to the guard, which knows http and https only. */
function isLocalScheme(url: string): boolean {
  return url.startsWith("data:") || url.startsWith("blob:") || url === "about:srcdoc" || url === "about:blank";
}
