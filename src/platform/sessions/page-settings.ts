import type { Protocol } from "devtools-protocol";
import { within } from "../browser/abortable.ts";
import type { CdpConnection } from "../browser/cdp-connection.ts";

/** Settings that are still not confirmed by then are set again without waiting: a page may answer nothing. */
const CONFIRM_LIMIT_MS = 500;

interface Page {
  sessionId: string;
  contextId: string | undefined;
}

/**
 * Settings that the browser resets when a driver disconnects that has set them too: downloads are denied in every context
 * that has a page, and pages have the size of the session.
 */
export class PageSettings {
  readonly #connection: Pick<CdpConnection, "send">;
  readonly #metrics: Protocol.Emulation.SetDeviceMetricsOverrideRequest;
  /** The session's pages, by target id. */
  readonly #pages = new Map<string, Page>();
  readonly #denial = new OneAtATime(() => this.#denyAll());
  readonly #sizing = new OneAtATime(() => this.#resizeAll());

  constructor(connection: Pick<CdpConnection, "send">, metrics: Protocol.Emulation.SetDeviceMetricsOverrideRequest) {
    this.#connection = connection;
    this.#metrics = metrics;
  }

  /** Number of pages. */
  get size(): number {
    return this.#pages.size;
  }

  has(targetId: string): boolean {
    return this.#pages.has(targetId);
  }

  /** Notes a page that the guard is attached to. Downloads are denied at once in a context that had none. */
  add(targetId: string, page: Page): void {
    const isKnown = this.#contexts().has(page.contextId);
    this.#pages.set(targetId, page);
    if (!isKnown) void this.#deny(page.contextId);
  }

  /** Forgets a page that is gone, and its context with the last one of it. */
  delete(targetId: string): void {
    this.#pages.delete(targetId);
  }

  /** Denies downloads to the browser's machine. */
  denyDownloads(): void {
    this.#denial.start();
  }

  restore(): void {
    this.#denial.start();
    this.#sizing.start();
  }

  /** The contexts of pages, and undefined for the browser's own. */
  #contexts(): Set<string | undefined> {
    return new Set([undefined, ...[...this.#pages.values()].map(({ contextId }) => contextId)]);
  }

  async #denyAll(): Promise<void> {
    await Promise.all([...this.#contexts()].map((contextId) => this.#deny(contextId)));
  }

  #deny(browserContextId: string | undefined): Promise<unknown> {
    const context = browserContextId === undefined ? {} : { browserContextId };
    const denied = this.#connection.send("Browser.setDownloadBehavior", { behavior: "deny", ...context });
    // The context may be gone.
    return denied.catch(() => undefined);
  }

  async #resizeAll(): Promise<void> {
    const resized = [...this.#pages.values()].map(({ sessionId }) =>
      this.#connection.send("Emulation.setDeviceMetricsOverride", this.#metrics, sessionId),
    );
    await Promise.allSettled(resized);
  }
}

/** Work that runs once at a time: if it is started while it runs, it runs once more afterwards. */
class OneAtATime {
  readonly #work: () => Promise<void>;
  #isRunning = false;
  #isDue = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  start(): void {
    this.#isDue = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isDue) {
      this.#isDue = false;
      await within(this.#work(), CONFIRM_LIMIT_MS, undefined);
    }
    this.#isRunning = false;
  }
}
