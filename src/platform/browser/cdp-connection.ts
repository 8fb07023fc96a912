import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;
export type CdpMethod = keyof Commands;
export type CdpParams<M extends CdpMethod> = Commands[M]["paramsType"][0];
export type CdpResult<M extends CdpMethod> = Commands[M]["returnType"];

/** An event of the browser, with the session (page or frame) that it comes from; none for the browser itself. */
export type CdpEvent = {
  [Name in keyof Events]: { method: Name; params: Events[Name][0]; sessionId: string | undefined };
}[keyof Events];

/** The browser refused a command. */
export class CdpError extends Error {
  constructor(method: string, message: string) {
    super(`${method}: ${message}`);
    this.name = "CdpError";
  }
}

/** The browser cannot be reached, or the connection to it ended. */
export class BrowserGoneError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BrowserGoneError";
  }
}

interface Pending {
  method: string;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * One connection to a browser session, speaking the Chrome DevTools Protocol.
 * Several loads share a browser over connections of their own. A driver library that attaches to every target of the
 * browser, as Puppeteer does, would pause the pages of the other loads and see what they do; this attaches to nothing
 * that it was not told to.
 */
export class CdpConnection {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(event: CdpEvent) => void>();
  readonly #closed: Promise<BrowserGoneError>;
  #lastId = 0;
  #end: BrowserGoneError | undefined;

  /** @throws BrowserGoneError when the session does not exist any more. */
  static async open(binding: Fetcher, sessionId: string): Promise<CdpConnection> {
    const url = `https://browser/v1/devtools/browser/${encodeURIComponent(sessionId)}`;
    const response = await binding.fetch(url, { headers: { Upgrade: "websocket" } }).catch((error: unknown) => {
      throw new BrowserGoneError(`The browser session cannot be reached: ${String(error)}`);
    });
    if (response.webSocket === null) {
      await response.body?.cancel();
      throw new BrowserGoneError(`The browser session answered ${response.status}`);
    }
    return new CdpConnection(response.webSocket);
  }

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#closed = new Promise((resolve) => {
      const finish = (why: string): void => resolve(this.#finish(why));
      socket.addEventListener("close", (event) => finish(`The connection to the browser ended (${event.code})`));
      socket.addEventListener("error", () => finish("The connection to the browser failed"));
    });
    socket.addEventListener("message", (event) => this.#receive(event.data));
    socket.accept();
  }

  /** Resolves when the connection ends, whoever ended it. */
  get closed(): Promise<BrowserGoneError> {
    return this.#closed;
  }

  /** Sends a command to a session, or to the browser itself without one. */
  send<M extends CdpMethod>(method: M, params?: CdpParams<M>, sessionId?: string): Promise<CdpResult<M>> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const id = ++this.#lastId;
    return new Promise<CdpResult<M>>((resolve, reject) => {
      // What the browser answers to a method has that method's result type: the protocol's own definition.
      this.#pending.set(id, { method, reject, resolve: resolve as (result: unknown) => void });
      try {
        this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
      } catch (error) {
        this.#pending.delete(id);
        reject(this.#finish(`The connection to the browser failed: ${String(error)}`));
      }
    });
  }

  /** Calls `listener` with every event from now on. */
  onEvent(listener: (event: CdpEvent) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#finish("The connection to the browser was closed");
    try {
      this.#socket.close(1000, "done");
    } catch {
      // Already closed by the other side.
    }
  }

  #receive(data: string | ArrayBuffer | Blob): void {
    if (typeof data !== "string") return;
    const message = JSON.parse(data) as CdpMessage;
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message as unknown as CdpEvent);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    this.#pending.delete(message.id);
    if (message.error === undefined) pending.resolve(message.result);
    else pending.reject(new CdpError(pending.method, message.error.message));
  }

  #finish(why: string): BrowserGoneError {
    this.#end ??= new BrowserGoneError(why);
    this.#listeners.clear();
    for (const { reject } of this.#pending.values()) reject(this.#end);
    this.#pending.clear();
    return this.#end;
  }
}

interface CdpMessage {
  id?: number;
  result?: unknown;
  error?: { message: string };
}
