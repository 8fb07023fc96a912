import type { Socket } from "node:net";
import { AppError, isAppError } from "../../core/errors.ts";
import { readRequest, readResponse, withoutExtensions, type RequestHead, type ResponseHead } from "./http-heads.ts";
import { LateBytes, LINGER_MS } from "./late-bytes.ts";
import { MessageReader } from "./message-reader.ts";
import type { Callers } from "./callers.ts";
import type { OpenConnection, OpenConnections } from "./open-connections.ts";
import type { RequestTurns, Wait } from "./request-turns.ts";
import { joined, keep } from "./pieces.ts";
import { isAway, refusal, tooMany } from "./refusals.ts";
import { Tunnel, type TunnelTurns } from "./tunnel.ts";
import type { Unread, UnreadClients } from "./unread-clients.ts";

export interface Service extends TunnelTurns {
  turns: RequestTurns;
  callers: Callers;
  connections: OpenConnections;
  unreadClients: UnreadClients;
  /**
   * Connects to the service, and waits for it while it starts again.
   * @throws Error when it has not come back in time, or when the signal aborts.
   */
  connect: (signal: AbortSignal) => Promise<Socket>;
}

/** Bytes that are taken from a client before they may be handed on. */
const HELD_BYTES = 65_536;
/** Bytes of a body that the service reads after its response, so that the connection can be used again. */
const UNREAD_BYTES = 65_536;
/** A connection that sends nothing for so long, or whose first request waits for so long, is closed. */
const SILENT_MS = 60_000;

/**
 * Hands a client's bytes on to the service as they are, but for offers to compress messages, and back: the service alone reads
 * HTTP. Here it is only read where messages end: each request waits for its turn, also one that was sent before the response to the one before it, and goes
 * nowhere when the client leaves before.
 * @param counted is called when the connection counts as one of a caller, whose first request has come.
 */
export function paceConnection(client: Socket, service: Service, counted: () => void): void {
  new PacedConnection(client, service, counted).open();
}

class PacedConnection implements OpenConnection {
  readonly #client: Socket;
  readonly #service: Service;
  readonly #leaving = new AbortController();
  /** `idle`: the head of a request is to come. `tunnel`: WebSocket (`tunnel.ts`), whose messages are no requests. */
  #state: "idle" | "waiting" | "sent" | "tunnel" | "ended" = "idle";
  #upstream: Socket | undefined;
  #tunnel: Tunnel | undefined;
  #wait: Wait | undefined;
  #request = new MessageReader(readRequest);
  #response: MessageReader<ResponseHead> | undefined;
  /** Bytes of the request that were not handed on yet. */
  #held: Buffer[] = [];
  /** Bytes that have come after the request. */
  #next: Buffer[] = [];
  #queuedBytes = 0;
  #isSending = false;
  /** Bytes of the request's body that may still be handed on, once the response has begun. */
  #unread = Infinity;
  readonly #late: LateBytes;
  /** While the client has more to read than is kept for it. */
  #behind: Unread | undefined;
  readonly #counted: () => void;
  #owner: string | undefined;
  #place = 0;

  constructor(client: Socket, service: Service, counted: () => void) {
    this.#client = client;
    this.#service = service;
    this.#counted = counted;
    this.#late = new LateBytes(client);
  }

  open(): void {
    const client = this.#client;
    client.setNoDelay(true);
    client.setTimeout(SILENT_MS, () => this.#giveUp());
    client.on("error", () => undefined);
    client.on("data", (bytes: Buffer) => this.#takeFromClient(bytes));
    client.on("drain", () => {
      this.#noteRead();
      this.#upstream?.resume();
    });
    client.on("end", () => this.#endFromClient());
    client.on("close", () => this.#leave());
  }

  isIdle(): boolean {
    if (this.#state === "sent" && this.#response?.head === undefined) return false;
    const isUnread = this.#behind?.isLong() === true;
    if (this.#state === "ended") return isUnread || this.#client.writableLength === 0;
    return this.#state === "idle" || isUnread || (this.#state === "sent" && this.#response?.isComplete === true);
  }

  close(): void {
    this.#upstream?.resetAndDestroy();
    this.#endClient();
    // It sends what there is, if the client reads.
    if (this.#client.writableLength === 0) this.#client.destroySoon();
    else this.#client.destroy();
  }

  #takeFromClient(bytes: Buffer): void {
    if (this.#state === "ended") this.#late.drop(bytes);
    else if (this.#tunnel !== undefined) this.#tunnel.take(bytes);
    else this.#takeRequest(bytes);
  }

  #takeRequest(bytes: Buffer): void {
    const own = this.#request.isComplete ? 0 : this.#read(bytes);
    if (own === undefined) return;
    if (own > 0) keep(this.#held, bytes.subarray(0, own));
    if (own < bytes.byteLength) keep(this.#next, bytes.subarray(own));
    this.#queuedBytes += bytes.byteLength;
    const { head } = this.#request;
    if (this.#state === "idle" && head !== undefined) this.#enter(head);
    else this.#sendSoon();
    // Not before: a socket that is not read does not tell that its client has left.
    if (this.#queuedBytes > HELD_BYTES) this.#client.pause();
  }

  /** Returns undefined when the bytes are no request. */
  #read(bytes: Buffer): number | undefined {
    try {
      return this.#request.take(bytes);
    } catch (error) {
      const text = `The request is not valid: ${error instanceof Error ? error.message : "unknown error"}`;
      const reason = isAppError(error) ? error : new AppError("BAD_REQUEST", text);
      if (this.#response?.head !== undefined) this.#client.destroy();
      else {
        // The service may have begun with the one whose body is broken.
        this.#upstream?.resetAndDestroy();
        this.#service.turns.noteSeen(this.#place);
        this.#refuse(reason);
      }
      return undefined;
    }
  }

  #enter(head: RequestHead): void {
    this.#state = "waiting";
    const { turns, callers } = this.#service;
    const owner = callers.ownerOf(head.token);
    if (!this.#isCounted(owner)) {
      this.#refuse(tooMany());
      return;
    }
    this.#wait = turns.enter(owner, {
      begin: (place) => this.#begin(head, place),
      refuse: () => this.#refuse(tooMany()),
    });
  }

  /** Counts the connection as one of the caller of its latest request. */
  #isCounted(owner: string): boolean {
    const { connections } = this.#service;
    if (owner === this.#owner) return true;
    if (!connections.add(owner, this)) return false;
    if (this.#owner === undefined) this.#counted();
    else connections.remove(this.#owner, this);
    this.#owner = owner;
    return true;
  }

  #begin(head: RequestHead, place: number): void {
    this.#place = place;
    this.#state = "sent";
    this.#response = responseTo(head);
    if (head.offersExtensions) this.#held = [withoutExtensions(joined(this.#held))];
    // From now on, the service limits the time.
    this.#client.setTimeout(0);
    if (this.#upstream === undefined) void this.#connect();
    else this.#send();
  }

  async #connect(): Promise<void> {
    try {
      const upstream = await this.#service.connect(this.#leaving.signal);
      upstream.setNoDelay(true);
      upstream.on("error", () => upstream.destroy());
      upstream.on("data", (bytes: Buffer) => this.#takeFromService(bytes));
      upstream.on("drain", () => this.#resumeClient());
      upstream.on("end", () => this.#endFromService(upstream));
      upstream.on("close", () => this.#closeFromService(upstream));
      if (this.#leaving.signal.aborted) {
        upstream.destroy();
        return;
      }
      this.#upstream = upstream;
      this.#send();
    } catch {
      this.#service.turns.noteSeen(this.#place);
      this.#refuse(isAway());
    }
  }

  /**
   * Hands on more of a body after what the service has sent in the same moment was read: a response that ends the connection
   * is lost when a write fails before.
   */
  #sendSoon(): void {
    if (this.#state !== "sent" || this.#isSending) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#state !== "sent" || this.#upstream === undefined) return;
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) this.#queuedBytes -= bytes.byteLength;
    this.#write(this.#unread === Infinity ? held : held.filter((bytes) => this.#isWanted(bytes)));
    this.#resumeClient();
    if (this.#client.readableEnded && this.#next.length === 0) this.#upstream.end();
    if (this.#response?.isComplete) this.#finish();
  }

  /** Tells whether the service still reads a body whose response has begun. */
  #isWanted(bytes: Buffer): boolean {
    this.#unread -= bytes.byteLength;
    if (this.#unread < 0) this.#late.drop(bytes);
    return this.#unread >= 0;
  }

  #write(pieces: readonly Buffer[]): void {
    for (const bytes of pieces) if (this.#upstream?.write(bytes) === false) this.#client.pause();
  }

  #resumeClient(): void {
    if (this.#tunnel?.isWaiting === true) return;
    if (this.#queuedBytes <= HELD_BYTES && this.#upstream?.writableNeedDrain !== true) this.#client.resume();
  }

  #takeFromService(bytes: Buffer): void {
    if (this.#state === "sent") this.#service.turns.noteSeen(this.#place);
    if (!this.#client.write(bytes)) {
      // Reset, as the system would keep what it has taken for the client.
      this.#behind ??= this.#service.unreadClients.begin(this.#owner ?? "", () => this.#client.resetAndDestroy());
      this.#upstream?.pause();
    }
    this.#readResponses(bytes);
  }

  #noteRead(): void {
    this.#behind?.end();
    this.#behind = undefined;
  }

  #readResponses(bytes: Buffer): void {
    let rest = bytes;
    while (rest.byteLength > 0 && this.#state === "sent") {
      const reader = this.#response;
      if (reader === undefined || reader.isComplete) return;
      const isBegun = reader.head !== undefined;
      try {
        rest = rest.subarray(reader.take(rest));
      } catch {
        // Nobody knows where it ends: no request follows on this connection.
        this.#response = undefined;
        return;
      }
      const { head } = reader;
      if (head === undefined) return;
      if (!isBegun) this.#noteHead(head);
      if (head.status !== 101 && reader.isComplete && head.status >= 200) this.#finish();
    }
  }

  #noteHead(head: ResponseHead): void {
    const request = this.#request.head;
    if (request === undefined) return;
    if (head.status === 101) this.#openTunnel(request);
    // 100 Continue and the like are not yet the response.
    else if (head.status < 200) this.#response = responseTo(request);
    else {
      this.#service.callers.note(request, head);
      if (this.#request.isComplete) return;
      this.#unread = (request.body.left ?? 0) > UNREAD_BYTES ? 0 : UNREAD_BYTES;
    }
  }

  #openTunnel(request: RequestHead): void {
    // Nobody knows where frames begin.
    if (!request.body.isComplete) {
      this.#client.destroy();
      return;
    }
    const next = this.#next;
    this.#state = "tunnel";
    this.#next = [];
    this.#queuedBytes = 0;
    const { callers } = this.#service;
    callers.note(request, { status: 101, isCounted: false });
    const owner = callers.ownerOf(request.token);
    // If it can: its first request was that of a stranger.
    this.#isCounted(owner);
    const client = this.#client;
    const tunnel = new Tunnel(
      {
        session: request.session,
        isDevTools: request.isDevTools,
        owner,
        write: (bytes) => this.#write([bytes]),
        end: () => this.#upstream?.end(),
        pause: () => client.pause(),
        resume: () => this.#resumeClient(),
        cut: () => client.destroy(),
      },
      this.#service,
    );
    this.#tunnel = tunnel;
    for (const bytes of next) tunnel.take(bytes);
    this.#resumeClient();
    if (client.readableEnded) tunnel.end();
  }

  /** Goes on to the next request when the client has sent all of this one. */
  #finish(): void {
    const isCutOff = this.#unread < 0 || (this.#unread === 0 && !this.#request.isComplete);
    if (isCutOff) this.#endClient();
    if (isCutOff || !this.#request.isComplete || this.#held.length > 0) return;
    const next = joined(this.#next);
    this.#state = "idle";
    this.#request = new MessageReader(readRequest);
    this.#response = undefined;
    this.#unread = Infinity;
    this.#next = [];
    this.#queuedBytes = 0;
    if (next.byteLength > 0) this.#takeRequest(next);
    if (this.#state === "idle" && this.#client.readableEnded) this.#endClient();
    else this.#resumeClient();
  }

  #endFromService(upstream: Socket): void {
    upstream.end();
    // It was idle for too long, as the service could not know. The request that waits gets another connection.
    if (this.#state === "waiting") this.#upstream = undefined;
    else this.#endClient();
  }

  /** Without its end: the connection broke off, as it does for the client. A request that waits gets another one. */
  #closeFromService(upstream: Socket): void {
    if (upstream !== this.#upstream || this.#state === "ended") return;
    this.#upstream = undefined;
    if (this.#state === "waiting") return;
    // A response that came before the end of a body would be lost with bytes that nobody has read.
    if (this.#state === "idle" || this.#response?.isComplete) this.#endClient();
    else this.#client.destroy();
  }

  #endClient(): void {
    this.#wait?.leave();
    this.#tunnel?.leave();
    this.#state = "ended";
    this.#held = [];
    this.#next = [];
    this.#client.setTimeout(LINGER_MS);
    this.#client.end();
    this.#client.resume();
  }

  #refuse(error: AppError): void {
    this.#client.write(refusal(error));
    this.#endClient();
  }

  #giveUp(): void {
    if (this.#state === "waiting") this.#refuse(isAway());
    else this.#client.destroy();
  }

  /** A client that ends its side while its request waits has left, as for other servers; later the service decides. */
  #endFromClient(): void {
    if (this.#state === "idle" || this.#state === "waiting") this.#endClient();
    else if (this.#state === "sent") this.#send();
    else this.#tunnel?.end();
  }

  #leave(): void {
    this.#noteRead();
    this.#wait?.leave();
    this.#tunnel?.leave();
    if (this.#owner !== undefined) this.#service.connections.remove(this.#owner, this);
    // The service cancels the request of a connection that is reset, not of one that ends.
    this.#upstream?.resetAndDestroy();
    this.#leaving.abort();
    this.#held = [];
    this.#next = [];
  }
}

function responseTo(request: RequestHead): MessageReader<ResponseHead> {
  return new MessageReader((text) => readResponse(text, request));
}
