import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";
import { abortable } from "./abortable.ts";

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;
export type CdpMethod = keyof Commands;
export type CdpParams<M extends CdpMethod> = Commands[M]["paramsType"][0];
export type CdpResult<M extends CdpMethod> = Commands[M]["returnType"];

/** A browser event, with the session (page or frame) that it belongs to; undefined for the browser itself. */
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

/** The browser cannot be reached, or its connection ended. */
export class BrowserGoneError extends Error {
  /** HTTP status of the response in place of a connection. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = "BrowserGoneError";
    this.status = status;
  }
}

/** Tries to connect to a session, and the pause after the first one, which doubles. */
const MAX_CONNECTS = 4;
const FIRST_PAUSE_MS = 200;

interface Pending {
  method: string;
  sessionId: string | undefined;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * A connection to a browser session over the Chrome DevTools Protocol. Several loads share a browser, each over a
 * separate connection. A driver library that attaches to every target of the browser, as Puppeteer does, would pause
 * the pages of the other loads and observe them; this class attaches only to the targets that it is given.
 */
export class CdpConnection {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, Pending>();
  /** The sessions that were attached through another one, with that one. */
  readonly #parents = new Map<string, string>();
  readonly #listeners = new Set<(event: CdpEvent) => void>();
  readonly #closed: Promise<BrowserGoneError>;
  #lastId = 0;
  #end: BrowserGoneError | undefined;

  /**
   * Connects to a session, again after a response that says nothing about the session (429, 5xx) and after a lost connection.
   * @param signal closes the connection when it is aborted, also one that opens later
   * @throws BrowserGoneError when the session does not exist, or has accepted no connection for about two seconds; the
   * reason of the signal
   */
  static async open(binding: Fetcher, sessionId: string, signal?: AbortSignal): Promise<CdpConnection> {
    const connecting = CdpConnection.#connect(binding, sessionId, signal);
    if (signal === undefined) return await connecting;
    const watching = connecting.then((connection) => {
      if (signal.aborted) connection.close();
      else signal.addEventListener("abort", () => connection.close(), { once: true });
      return connection;
    });
    return await abortable(watching, signal);
  }

  static async #connect(binding: Fetcher, sessionId: string, signal: AbortSignal | undefined): Promise<CdpConnection> {
    const init = { headers: { Upgrade: "websocket" }, ...(signal && { signal }) };
    const url = `https://browser/v1/devtools/browser/${encodeURIComponent(sessionId)}`;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const failure = await binding.fetch(url, init).then(
        async ({ webSocket, body, status }) => {
          if (webSocket !== null) return webSocket;
          await body?.cancel();
          return new BrowserGoneError(`The browser session answered ${status}`, status);
        },
        (error: unknown) => new BrowserGoneError(`The browser session cannot be reached: ${String(error)}`),
      );
      if (!(failure instanceof BrowserGoneError)) return new CdpConnection(failure);
      signal?.throwIfAborted();
      const { status } = failure;
      const isTemporary = status === undefined || status === 429 || status >= 500;
      if (!isTemporary || attempt >= MAX_CONNECTS) throw failure;
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
    }
  }

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#closed = new Promise((resolve) => {
      const finish = (why: string): void => resolve(this.#finish(why));
      socket.addEventListener("close", (event) => finish(`The connection to the browser ended (${event.code})`));
      socket.addEventListener("error", () => finish("The connection to the browser failed"));
    });
    socket.addEventListener("message", (event) => this.#receive(event.data));
    socket.binaryType = "arraybuffer";
    socket.accept();
  }

  /** Resolves when either side ends the connection. */
  get closed(): Promise<BrowserGoneError> {
    return this.#closed;
  }

  /**
   * Sends a command to a session, or to the browser when no session is given.
   * @throws CdpError when the browser refuses it, or the session ends before it is answered
   * @throws BrowserGoneError when the connection ends
   */
  send<M extends CdpMethod>(method: M, params?: CdpParams<M>, sessionId?: string): Promise<CdpResult<M>> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const id = ++this.#lastId;
    return new Promise<CdpResult<M>>((resolve, reject) => {
      // The protocol defines the result type of each method, hence the cast.
      this.#pending.set(id, { method, sessionId, reject, resolve: resolve as (result: unknown) => void });
      try {
        this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
      } catch (error) {
        this.#pending.delete(id);
        reject(this.#finish(`The connection to the browser failed: ${String(error)}`));
      }
    });
  }

  /** Calls `listener` with every later event. */
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
    if (data instanceof Blob) return;
    const message = JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data)) as CdpMessage;
    if (message.id === undefined) {
      const event = message as unknown as CdpEvent;
      for (const listener of this.#listeners) listener(event);
      if (event.method === "Target.attachedToTarget" && event.sessionId !== undefined) {
        this.#parents.set(event.params.sessionId, event.sessionId);
      }
      if (event.method === "Target.detachedFromTarget") this.#endSession(event.params.sessionId);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    this.#pending.delete(message.id);
    if (message.error === undefined) pending.resolve(message.result);
    else pending.reject(new CdpError(pending.method, message.error.message));
  }

  /**
   * Rejects the commands of a session that has ended, and of those that were attached through it, whose end the browser does
   * not report: it answers them no more.
   */
  #endSession(sessionId: string): void {
    this.#parents.delete(sessionId);
    for (const [inner, parent] of this.#parents) if (parent === sessionId) this.#endSession(inner);
    for (const [id, pending] of this.#pending) {
      if (pending.sessionId !== sessionId) continue;
      this.#pending.delete(id);
      pending.reject(new CdpError(pending.method, "The session has ended"));
    }
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
