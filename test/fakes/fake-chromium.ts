import { pageFunctions } from "#page-scripts";

interface Command {
  id: number;
  method: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** What a page does instead of loading; by a word in its address. */
const FAULTS = ["hang", "crash", "die", "refuse-page", "keep-context", "alert"] as const;
type Fault = (typeof FAULTS)[number];

/**
 * The browser binding with browsers that answer the protocol and load nothing. Addresses name what goes wrong:
 * `hang` never answers, `crash` loses the page, `die` the browser, `refuse-page` opens none, `keep-context` does
 * not let its context go, and `alert` loads when its dialog is answered.
 */
export class FakeChromium {
  readonly sessions = new Map<string, FakeSession>();
  launches = 0;
  mostSessions = 0;
  mostContexts = 0;
  openSockets = 0;
  /** Statuses of the next responses to connections, instead of a connection. */
  readonly refusals: number[] = [];
  /** Methods that no browser answers. */
  readonly unanswered = new Set<string>();
  /** True when messages arrive as binary frames. */
  isBinary = false;

  /** As a binding. Node cannot make an answer with status 101, hence the cast of something that has what is read of it. */
  get binding(): Fetcher {
    return { fetch: (url: string, init?: RequestInit) => this.#fetch(url, init) } as unknown as Fetcher;
  }

  async #fetch(url: string, init: RequestInit = {}): Promise<unknown> {
    const sessionId = new URL(url).pathname.split("/")[4];
    if (init.method === "POST") return this.#launch();
    const session = this.sessions.get(sessionId ?? "");
    if (init.method === "DELETE") {
      session?.end();
      return { status: 200, body: null };
    }
    const refusal = this.refusals.shift();
    if (refusal !== undefined) return { status: refusal, webSocket: null, body: null };
    if (session === undefined) return { status: 410, webSocket: null, body: null };
    return { status: 101, webSocket: session.connect(), body: null };
  }

  #launch(): Response {
    this.launches += 1;
    const sessionId = `session-${this.launches}`;
    this.sessions.set(sessionId, new FakeSession(this, sessionId));
    this.mostSessions = Math.max(this.mostSessions, this.sessions.size);
    return Response.json({ sessionId });
  }
}

class FakeSession {
  readonly contexts = new Set<string>();
  readonly #chromium: FakeChromium;
  readonly #sessionId: string;
  readonly #sockets = new Set<FakeSocket>();
  #made = 0;

  constructor(chromium: FakeChromium, sessionId: string) {
    this.#chromium = chromium;
    this.#sessionId = sessionId;
  }

  connect(): FakeSocket {
    const socket = new FakeSocket(
      (command) => this.#answer(command, socket),
      () => this.#closed(socket),
    );
    socket.isBinary = this.#chromium.isBinary;
    this.#sockets.add(socket);
    this.#chromium.openSockets += 1;
    return socket;
  }

  end(): void {
    this.#chromium.sessions.delete(this.#sessionId);
    for (const socket of this.#sockets) socket.lose();
  }

  /** Sends an event over all connections. */
  tell(method: string, params: object): void {
    for (const socket of this.#sockets) socket.tell(method, params);
  }

  #closed(socket: FakeSocket): void {
    if (this.#sockets.delete(socket)) this.#chromium.openSockets -= 1;
  }

  #answer({ method, params = {} }: Command, socket: FakeSocket): object | undefined {
    if (this.#chromium.unanswered.has(method)) return undefined;
    switch (method) {
      case "Browser.getVersion":
        return { product: "HeadlessChrome/156.0.0.0" };
      case "Target.createBrowserContext": {
        const browserContextId = `context-${++this.#made}`;
        this.contexts.add(browserContextId);
        this.#chromium.mostContexts = Math.max(this.#chromium.mostContexts, this.contexts.size);
        return { browserContextId };
      }
      case "Target.disposeBrowserContext":
        if (socket.fault === "keep-context") return undefined;
        this.contexts.delete(String(params["browserContextId"]));
        return {};
      case "Target.getTargets":
        return { targetInfos: [{ type: "page", targetId: "target-0", url: "about:blank" }] };
      case "Target.createTarget":
        return { targetId: `target-${++this.#made}` };
      case "Target.attachToTarget":
        socket.targetId = String(params["targetId"]);
        return { sessionId: `page-${++this.#made}` };
      case "Page.navigate":
        return this.#navigate(String(params["url"]), socket);
      case "Page.handleJavaScriptDialog":
        socket.loaded();
        return {};
      case "Page.createIsolatedWorld":
        return { executionContextId: 1 };
      case "Runtime.callFunctionOn":
        return { result: { value: resultOf(String(params["functionDeclaration"]), socket.url) } };
      default:
        return {};
    }
  }

  #navigate(url: string, socket: FakeSocket): object | undefined {
    socket.url = url;
    socket.fault = FAULTS.find((fault) => url.includes(fault));
    if (socket.fault === "hang" || socket.fault === "keep-context") return undefined;
    if (socket.fault === "crash") {
      socket.tell("Inspector.targetCrashed", {});
      return undefined;
    }
    if (socket.fault === "die") {
      this.end();
      return undefined;
    }
    if (socket.fault === "alert") socket.tell("Page.javascriptDialogOpening", { type: "alert", message: "Hello" });
    else socket.loaded();
    return { frameId: socket.targetId };
  }
}

function resultOf(called: string, url: string): unknown {
  if (called === pageFunctions.quietMs) return 1_000;
  if (called === pageFunctions.readProgress) return { isOnItsWay: false, refreshMs: -1 };
  return { html: "<p>fake</p>", url, timezone: "UTC", isCut: false };
}

/** As much of a WebSocket as a connection uses. Answers come later, as they do from outside. */
class FakeSocket extends EventTarget {
  url = "";
  targetId = "";
  isBinary = false;
  fault: Fault | undefined;
  readonly #answer: (command: Command) => object | undefined;
  readonly #closed: () => void;
  #pageSession: string | undefined;
  #isOpen = true;

  constructor(answer: (command: Command) => object | undefined, closed: () => void) {
    super();
    this.#answer = answer;
    this.#closed = closed;
  }

  accept(): void {}

  send(text: string): void {
    if (!this.#isOpen) throw new Error("closed");
    const command = JSON.parse(text) as Command;
    if (command.sessionId !== undefined) this.#pageSession = command.sessionId;
    setTimeout(() => {
      const result = this.#answer(command);
      if (result !== undefined) this.#receive({ id: command.id, result });
    }, 0);
  }

  /** The page has its document. */
  loaded(): void {
    this.tell("Page.frameNavigated", { frame: { id: this.targetId } });
    this.tell("Page.domContentEventFired", {});
  }

  tell(method: string, params: object): void {
    this.#receive({ method, params, sessionId: this.#pageSession });
  }

  /** The event follows, as it does when the other side has answered. */
  close(): void {
    if (!this.#isOpen) return;
    this.#end();
    setTimeout(() => this.#tellEnd(1000), 0);
  }

  /** The other side ended. */
  lose(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#tellEnd(1006);
  }

  #end(): void {
    this.#isOpen = false;
    this.#closed();
  }

  #tellEnd(code: number): void {
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }

  #receive(message: object): void {
    const text = JSON.stringify(message);
    const data = this.isBinary ? new TextEncoder().encode(text).buffer : text;
    if (this.#isOpen) this.dispatchEvent(new MessageEvent("message", { data }));
  }
}
