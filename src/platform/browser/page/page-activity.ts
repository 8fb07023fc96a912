import type { Protocol } from "devtools-protocol";
import type { CdpEvent } from "../cdp-connection.ts";
import type { PageSession } from "./page-session.ts";

/** Request types that may stay open indefinitely. */
const ENDLESS = new Set(["EventSource", "WebSocket", "Media", "Ping", "Preflight", "CSPViolationReport"]);

/** A request that takes longer than this is a long poll, or one that the page does not wait for. */
const LONG_REQUEST_MS = 2500;

/** Request types that hold up a document while they are open. */
const BLOCKING = new Set(["Script", "Stylesheet"]);

/** Requests after which a page is not watched any more: its events would take the time of other requests. */
const MAX_REQUESTS = 5_000;

/** The activity of a page, derived from its events: whether it is loading, and which requests it waits for. */
export class PageActivity {
  isLoading = false;
  hasDom = false;
  /** Number of navigations to other documents so far. */
  navigations = 0;
  readonly #page: PageSession;
  readonly #open = new Map<string, { startMs: number; url: string; isBlocking: boolean }>();
  readonly #changed = new Set<() => void>();
  #lastRequestMs = 0;
  #requests = 0;
  #isGivenUp = false;

  constructor(page: PageSession) {
    this.#page = page;
    page.connection.onEvent((event) => this.#receive(event));
  }

  /** True while the page loads, unless its load event was given up. */
  get isAwaitingLoad(): boolean {
    return this.isLoading && !this.#isGivenUp;
  }

  /** Ends the waits for this document's load event, which one file can hold up for ever. The next document is waited for again. */
  giveUpLoad(): void {
    this.#isGivenUp = true;
  }

  /** Returns the ms since the last request started or ended; 0 while a request is open that the page waits for. */
  quietMs(): number {
    const nowMs = Date.now();
    const isBusy = [...this.#open.values()].some(({ startMs }) => nowMs - startMs < LONG_REQUEST_MS);
    return isBusy ? 0 : nowMs - this.#lastRequestMs;
  }

  /** URLs of scripts and style sheets that take long. */
  lateFiles(): string[] {
    const nowMs = Date.now();
    return [...this.#open.values()].flatMap(({ startMs, url, isBlocking }) =>
      isBlocking && nowMs - startMs >= LONG_REQUEST_MS ? [url] : [],
    );
  }

  /** Resolves at the next event that changes the state, or after `ms`. */
  async nextChange(ms: number): Promise<void> {
    let wake: () => void = () => undefined;
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
      this.#changed.add(wake);
    });
    try {
      await Promise.race([changed, this.#page.sleep(ms)]);
    } finally {
      this.#changed.delete(wake);
    }
  }

  #receive(event: CdpEvent): void {
    if (event.sessionId !== this.#page.ids.sessionId || !this.#apply(event)) return;
    for (const wake of this.#changed) wake();
  }

  /** Ends the events of requests: a page that makes thousands of them never is quiet. */
  #stopWatching(): boolean {
    if (this.#requests === MAX_REQUESTS + 1) this.#page.trySend("Network.disable").catch(() => undefined);
    const wasBusy = this.#open.size > 0;
    this.#open.clear();
    return wasBusy;
  }

  #begin({ requestId, request: { url }, type = "Other" }: Protocol.Network.RequestWillBeSentEvent): boolean {
    // Nothing is loaded for an address that has its content.
    if (ENDLESS.has(type) || url.startsWith("data:")) return false;
    this.#lastRequestMs = Date.now();
    this.#open.set(requestId, { startMs: this.#lastRequestMs, url, isBlocking: BLOCKING.has(type) });
    return true;
  }

  #apply(event: CdpEvent): boolean {
    switch (event.method) {
      case "Network.requestWillBeSent":
        if (event.params.type === "Document" && event.params.frameId === this.#page.ids.frameId)
          this.#isGivenUp = false;
        if (++this.#requests > MAX_REQUESTS) return this.#stopWatching();
        return this.#begin(event.params);
      case "Network.loadingFinished":
      case "Network.loadingFailed":
        if (this.#open.delete(event.params.requestId)) this.#lastRequestMs = Date.now();
        return true;
      case "Page.frameStartedLoading":
      case "Page.frameStoppedLoading":
        if (event.params.frameId !== this.#page.ids.frameId) return false;
        this.isLoading = event.method === "Page.frameStartedLoading";
        if (!this.isLoading) this.#isGivenUp = false;
        return true;
      case "Page.frameNavigated":
        if (event.params.frame.parentId !== undefined) return false;
        this.#open.clear();
        this.#isGivenUp = false;
        this.hasDom = false;
        this.navigations += 1;
        this.#page.forgetWorld();
        return true;
      case "Page.domContentEventFired":
        this.hasDom = true;
        return true;
      default:
        return false;
    }
  }
}
