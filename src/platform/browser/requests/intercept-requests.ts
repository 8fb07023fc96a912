import type { Protocol } from "devtools-protocol";
import { Budget } from "../../../core/waits/budget.ts";
import { isAdRequest } from "../../../core/scrape/ad-hosts.ts";
import type { BrowserRequest } from "../../../ports/browser.ts";
import type { EgressFailure } from "../../../core/egress-failure.ts";
import type { GuardVerdict, OutboundGuard } from "../../../ports/outbound/outbound-guard.ts";
import type { RequestSigner } from "../../../ports/outbound/request-signer.ts";
import { EGRESS_ERROR_REASONS, egressFailureOf } from "../../outbound/egress.ts";
import type { CdpEvent, CdpMethod, CdpParams } from "../cdp-connection.ts";
import { respondWithDocument, MAX_HTML_BYTES, type DocumentResponse } from "./document-response.ts";
import { canRun, guardWorker } from "./document-policy.ts";
import { within } from "../abortable.ts";
import { failed, LoadEnd } from "../page/load-end.ts";
import { REFUSED_BY_EGRESS } from "./navigation-errors.ts";
import type { PageSession } from "../page/page-session.ts";
import { ResponseBody } from "./read-response-body.ts";
import { isWritten } from "./request-headers.ts";
import { endsEarly } from "./ends-early.ts";
import type { TransferWatch } from "./transfer-watch.ts";

type Paused = Protocol.Fetch.RequestPausedEvent;

/** Methods whose requests may be sent before the addresses of their host are known. */
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Time in ms for which a page that has loaded waits for checks that run beside its requests. */
const VERDICT_WAIT_MS = 2_000;
/** Characters of the addresses and bodies of a page's requests at once and in a second. The browser sends a body up to four times. */
const SENT_AT_ONCE = 64_000_000;
const SENT_PER_SECOND = 8_000_000;
/** Origins that a page may request, each of which is checked. */
const MAX_ORIGINS = 1_000;
const TOO_MANY_ORIGINS = `The page requests more than ${MAX_ORIGINS} origins`;
/** Hosts that a load names as refused. */
const MAX_REFUSED_HOSTS = 100;

export interface Interception {
  /** Returns the latest response for the main document. */
  document(): DocumentResponse | undefined;
  /** Hosts whose requests were refused, for the response's warnings. */
  refusedHosts: ReadonlySet<string>;
  /** Why the egress proxy did not forward the request for the page itself; undefined when it did, or through a tunnel. */
  documentFailure: EgressFailure | undefined;
  /** Returns, as a clause, why the main document is incomplete; undefined when it is complete. */
  brokenOff(): string | undefined;
  /** Notes that the first document is loaded: a later one that cannot be displayed no longer ends the load. */
  firstDocumentLoaded(): void;
  /** Fails all further requests for these URLs. */
  leaveOut(urls: readonly string[]): void;
  /**
   * Waits until the hosts of all requests are checked, for `VERDICT_WAIT_MS` at most.
   * @throws LoadEnd when the page itself is refused
   */
  verdictsKnown(): Promise<void>;
}

interface InterceptOptions {
  page: PageSession;
  request: Pick<BrowserRequest, "url" | "headers" | "blockAds" | "ownHosts">;
  guard: OutboundGuard;
  /** Signs the requests for the main document. */
  signer?: RequestSigner | undefined;
  transfers: TransferWatch;
}

/**
 * Checks every request of the page, its frames and its workers before it is sent: each redirect hop, images as well as
 * navigations. Popups and WebSockets, which bypass interception, are forbidden by the documents' policy.
 */
export function interceptRequests(options: InterceptOptions): Interception {
  const interceptor = new Interceptor(options);
  options.page.connection.onEvent((event) => interceptor.receive(event));
  return interceptor;
}

class Interceptor implements Interception {
  readonly refusedHosts = new Set<string>();
  documentFailure: EgressFailure | undefined;
  readonly #page: PageSession;
  readonly #request: InterceptOptions["request"];
  readonly #guard: OutboundGuard;
  readonly #signer: RequestSigner | undefined;
  readonly #transfers: TransferWatch;
  readonly #verdicts = new Map<string, Promise<GuardVerdict>>();
  /** Checks of requests that were sent before their verdict. */
  readonly #pending = new Set<Promise<void>>();
  /** URLs that are not requested any more. */
  readonly #leftOut = new Set<string>();
  readonly #sent = new Budget({ most: SENT_AT_ONCE, perSecond: SENT_PER_SECOND });
  /** End of a load whose main document was refused. */
  #refusal: LoadEnd | undefined;
  readonly #origin: string;
  #document: DocumentResponse | undefined;
  #brokenOff: string | undefined;
  #isFirstDocument = true;

  constructor({ page, request, guard, signer, transfers }: InterceptOptions) {
    this.#page = page;
    this.#request = request;
    this.#guard = guard;
    this.#signer = signer;
    this.#transfers = transfers;
    this.#origin = new URL(request.url).origin;
  }

  document(): DocumentResponse | undefined {
    return this.#document;
  }

  brokenOff(): string | undefined {
    return this.#brokenOff;
  }

  firstDocumentLoaded(): void {
    this.#isFirstDocument = false;
  }

  leaveOut(urls: readonly string[]): void {
    for (const url of urls) this.#leftOut.add(url);
  }

  async verdictsKnown(): Promise<void> {
    if (this.#pending.size > 0) await within(Promise.all(this.#pending), VERDICT_WAIT_MS, undefined);
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  receive(event: CdpEvent): void {
    if (this.#transfers.owns(event)) return;
    if (event.method === "Fetch.authRequired") {
      const { requestId } = event.params;
      this.#send(
        "Fetch.continueWithAuth",
        { requestId, authChallengeResponse: { response: "CancelAuth" } },
        event.sessionId,
      );
    }
    if (event.method !== "Fetch.requestPaused" || !this.#mayReceive(event.params)) return;
    const isResponse = event.params.responseStatusCode !== undefined || event.params.responseErrorReason !== undefined;
    const answered = isResponse
      ? this.#answerResponse(event.params, event.sessionId)
      : this.#answerRequest(event.params, event.sessionId);
    answered.catch(() => this.#fail(event.params.requestId, "Failed", event.sessionId));
  }

  /** Counts a request. @returns false after it has ended the load, since the page sends more than the service reads */
  #mayReceive({ request: { url, postData = "", postDataEntries = [] } }: Paused): boolean {
    const chars = postDataEntries.reduce((sum, { bytes = "" }) => sum + bytes.length, url.length + postData.length);
    if (this.#sent.take(chars, Date.now())) return true;
    this.#page.end(new LoadEnd(failed("SCRAPE_SITE_ERROR", "The page sends more data than a page may send")));
    return false;
  }

  async #answerRequest(paused: Paused, sessionId: string | undefined): Promise<void> {
    const { requestId, request, resourceType } = paused;
    const isMain = this.#isMainDocument(paused);
    if (!isMain && isLocalScheme(request.url)) return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    if (request.headers["Service-Worker"] !== undefined) return this.#fail(requestId, "BlockedByClient", sessionId);
    if (!isMain && this.#leftOut.has(request.url)) return this.#fail(requestId, "Aborted", sessionId);
    if (!isMain && this.#request.blockAds && isAdRequest(request.url, this.#document?.url ?? this.#request.url)) {
      return this.#fail(requestId, "BlockedByClient", sessionId);
    }
    const verdict = await this.#verdictInTime(request.url, isMain && resourceType === "Document", request.method);
    if (verdict.kind === "allowed") {
      const headers = this.#headersFor(request, isMain ? await this.#signer?.headersFor(request.url) : undefined);
      return this.#send(
        "Fetch.continueRequest",
        { requestId, ...(headers === undefined ? {} : { headers }) },
        sessionId,
      );
    }
    this.#fail(requestId, verdict.kind === "refused" ? "BlockedByClient" : "NameNotResolved", sessionId);
    if (verdict.kind === "refused")
      this.#noteRefusal(request.url, verdict.reason, isMain && resourceType === "Document");
  }

  #failedEgress(paused: Paused, failure: EgressFailure, sessionId: string | undefined): void {
    const { requestId, request, resourceType } = paused;
    this.#fail(requestId, EGRESS_ERROR_REASONS[failure], sessionId);
    const isMain = this.#isMainDocument(paused) && resourceType === "Document";
    if (isMain) this.documentFailure = failure;
    if (failure !== "refused") return;
    this.#noteRefusal(request.url, REFUSED_BY_EGRESS, isMain);
  }

  #noteRefusal(url: string, reason: string, isMain: boolean): void {
    if (!isMain) {
      if (this.refusedHosts.size < MAX_REFUSED_HOSTS) this.refusedHosts.add(URL.parse(url)?.host ?? url);
      return;
    }
    this.#refusal = new LoadEnd(failed("SAFE_MODE_BLOCKED", reason));
    this.#page.end(this.#refusal);
  }

  /**
   * Returns the verdict on a request: where names are resolved beside loads, that on its text unless the other one is
   * known, which follows otherwise.
   */
  async #verdictInTime(url: string, isMain: boolean, method: string): Promise<GuardVerdict> {
    const verdict = this.#verdict(url);
    if (this.#guard.checkText === undefined || !SAFE_METHODS.has(method)) return await verdict;
    // Verdicts that are there settle within a few microtasks.
    const known = await within(verdict, 0, undefined);
    if (known !== undefined) return known;
    const noted = verdict
      .then((later) => (later.kind === "refused" ? this.#noteRefusal(url, later.reason, isMain) : undefined))
      .catch(() => undefined)
      .finally(() => this.#pending.delete(noted));
    this.#pending.add(noted);
    return this.#guard.checkText(url, this.#request.ownHosts);
  }

  /** Returns the guard's verdict, cached per origin: beyond the host the guard checks only credentials. */
  #verdict(url: string): Promise<GuardVerdict> {
    const parsed = URL.parse(url);
    if (parsed === null) return Promise.resolve({ kind: "refused", reason: "Invalid URL" });
    const key = `${parsed.protocol}//${parsed.username}@${parsed.host}`;
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    if (this.#verdicts.size >= MAX_ORIGINS) return Promise.resolve({ kind: "refused", reason: TOO_MANY_ORIGINS });
    const verdict = this.#guard.check(url, this.#request.ownHosts);
    this.#verdicts.set(key, verdict);
    return verdict;
  }

  /**
   * Returns the headers of a request with the caller's, which are for the page's own origin alone, and with its
   * signature; undefined when there are none of either.
   */
  #headersFor(
    request: Protocol.Network.Request,
    signature: Record<string, string> = {},
  ): Protocol.Fetch.HeaderEntry[] | undefined {
    const isOwn = URL.parse(request.url)?.origin === this.#origin;
    const given = isOwn ? Object.entries(this.#request.headers).filter(([name]) => isWritten(name)) : [];
    const own = [...given, ...Object.entries(signature)];
    if (own.length === 0) return undefined;
    const replaced = new Set(own.map(([name]) => name.toLowerCase()));
    const kept = Object.entries(request.headers).filter(([name]) => !replaced.has(name.toLowerCase()));
    return [...kept, ...own].map(([name, value]) => ({ name, value }));
  }

  async #answerResponse(paused: Paused, sessionId: string | undefined): Promise<void> {
    const { requestId, responseStatusCode: status = 0, responseHeaders = [], resourceType } = paused;
    const failure = egressFailureOf(responseHeaders, this.#guard);
    if (failure !== undefined) return this.#failedEgress(paused, failure, sessionId);
    const isEmptyDocument = resourceType === "Document" && (status === 204 || status === 205);
    if (!canRun(paused) && !isEmptyDocument) return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    const { connection } = this.#page;
    const body = new ResponseBody({ connection, paused, sessionId, maxBytes: MAX_HTML_BYTES });
    try {
      if (resourceType === "Document") await this.#respondWithDocument(paused, body, sessionId);
      else await this.#respondWithScript(paused, body, sessionId);
    } finally {
      body.release();
    }
  }

  async #respondWithScript(paused: Paused, body: ResponseBody, sessionId: string | undefined): Promise<void> {
    const { requestId, responseStatusCode: responseCode = 0, responseHeaders = [], request } = paused;
    const script = await body.read();
    if (script === undefined) return this.#fail(requestId, "Failed", sessionId);
    const headers = guardWorker(responseHeaders, request.url);
    await body.fulfill({ requestId, responseCode, responseHeaders: headers, body: script.toString("base64") });
  }

  async #respondWithDocument(paused: Paused, body: ResponseBody, sessionId: string | undefined): Promise<void> {
    const isMain = this.#isMainDocument(paused);
    const { requestId, responseHeaders = [] } = paused;
    let isCut = false;
    const answer = await respondWithDocument(paused, {
      readBody: async () => {
        const bytes = await body.read();
        isCut = bytes !== undefined && endsEarly(bytes, responseHeaders);
        return bytes;
      },
      mayBeText: isMain && !this.#isFirstDocument,
    });
    const error = await this.#transfers.errorOf(paused, answer);
    if (isMain && this.#isFirstDocument && error !== undefined && answer.isEmpty) {
      const message = `The response is incomplete: the connection was lost before any of it could be read (${error})`;
      return this.#page.end(new LoadEnd(failed("SCRAPE_SITE_ERROR", message)));
    }
    const early = error === undefined ? undefined : `The site closed the connection early (${error})`;
    if (isMain) this.#brokenOff = early ?? (isCut ? "The compressed page of the site ends early" : undefined);
    if (isMain && answer.kind !== "unreadable") this.#document = answer.document;
    if (answer.kind === "fulfill") return body.fulfill(answer.params);
    if (answer.kind === "empty") return this.#send("Fetch.continueRequest", { requestId }, sessionId);
    this.#fail(requestId, "Aborted", sessionId);
    if (isMain && this.#isFirstDocument) this.#page.end(new LoadEnd(answer.outcome));
  }

  #isMainDocument({ frameId, resourceType }: Paused): boolean {
    return resourceType === "Document" && frameId === this.#page.ids.frameId;
  }

  #fail(requestId: string, errorReason: Protocol.Network.ErrorReason, sessionId: string | undefined): void {
    this.#send("Fetch.failRequest", { requestId, errorReason }, sessionId);
  }

  /** Sends a command and ignores its failure: the request may be gone already. */
  #send<M extends CdpMethod>(method: M, params: CdpParams<M>, sessionId: string | undefined): void {
    this.#page.connection.send(method, params, sessionId).catch(() => undefined);
  }
}

/** Reports whether a URL stays in the browser. `file:`, `chrome:` and others go to the guard, which refuses them. */
function isLocalScheme(url: string): boolean {
  return url.startsWith("data:") || url.startsWith("blob:") || url === "about:srcdoc" || url === "about:blank";
}
