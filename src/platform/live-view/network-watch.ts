import { HarLog, type HarEntry, type NetworkEvent } from "../../sessions/recording/har.ts";
import type { CdpConnection, CdpEvent } from "../browser/cdp-connection.ts";

/** Attaches to out-of-process frames and workers as well, without pausing them. */
const AUTO_ATTACH = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true };

/** Takes a request that has ended. @returns false when no further one is wanted */
type TakeEntry = (tabId: string, entry: HarEntry) => boolean;

/** Watches the requests of every tab, over separate protocol sessions, until one is not wanted any more. */
export class NetworkWatch {
  readonly #connection: CdpConnection;
  readonly #done: TakeEntry;
  readonly #log = new HarLog();
  /** The tab of each session. */
  readonly #tabs = new Map<string, string>();
  readonly #watched = new Set<string>();

  #isOver = false;

  constructor(connection: CdpConnection, done: TakeEntry) {
    this.#connection = connection;
    this.#done = done;
  }

  watchTab(targetId: string): void {
    if (this.#isOver || this.#watched.has(targetId)) return;
    this.#watched.add(targetId);
    this.#connection
      .send("Target.attachToTarget", { targetId, flatten: true })
      .then(({ sessionId }) => this.#listen(sessionId, targetId))
      .catch(() => this.#watched.delete(targetId));
  }

  receive(event: CdpEvent): void {
    const tabId = event.sessionId === undefined ? undefined : this.#tabs.get(event.sessionId);
    if (tabId === undefined) return;
    if (this.#isOver) return;
    if (event.method === "Target.attachedToTarget") return this.#listen(event.params.sessionId, tabId);
    if (!isNetworkEvent(event)) return;
    const entry = this.#log.receive(tabId, event);
    if (entry !== undefined && !this.#done(tabId, entry)) this.#stop();
  }

  /** Ends the events: those of a page that makes thousands of requests take the time of other sessions. */
  #stop(): void {
    this.#isOver = true;
    for (const sessionId of this.#tabs.keys())
      this.#connection.send("Network.disable", undefined, sessionId).catch(() => undefined);
  }

  #listen(sessionId: string, tabId: string): void {
    this.#tabs.set(sessionId, tabId);
    // Request bodies are not recorded, so the browser need not buffer them.
    const limits = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 };
    this.#connection.send("Network.enable", limits, sessionId).catch(() => undefined);
    this.#connection.send("Target.setAutoAttach", AUTO_ATTACH, sessionId).catch(() => undefined);
  }
}

function isNetworkEvent(event: CdpEvent): event is CdpEvent & NetworkEvent {
  switch (event.method) {
    case "Network.requestWillBeSent":
    case "Network.responseReceived":
    case "Network.dataReceived":
    case "Network.loadingFinished":
    case "Network.loadingFailed":
      return true;
    default:
      return false;
  }
}
