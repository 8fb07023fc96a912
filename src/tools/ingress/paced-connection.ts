import type { Socket } from "node:net";
import { AppError } from "../../core/errors.ts";
import { readResponse, readToken, refusal, type ResponseHead } from "./http-heads.ts";
import type { Callers } from "./callers.ts";
import type { OpenConnections } from "./open-connections.ts";
import type { RequestTurns, Wait } from "./request-turns.ts";

export interface Service {
  turns: RequestTurns;
  callers: Callers;
  connections: OpenConnections;
  /**
   * Connects to the service, and waits for it while it starts again.
   * @throws Error when it has not come back in time, or when the signal aborts.
   */
  connect: (signal: AbortSignal) => Promise<Socket>;
}

/** Bytes of a request that are taken before its turn. */
const HELD_BYTES = 65_536;
/** A connection that sends nothing for so long, or whose first request waits for so long, is closed. */
const SILENT_MS = 60_000;
/** For a client that neither reads on nor closes its side. */
const LINGER_MS = 30_000;
const TOO_MANY = "Too many requests of this caller are waiting at once. Wait for their answers before sending more.";
/** The end of a head, also with bare line feeds. */
const HEAD_END = /\n\r?\n/;
const IS_AWAY = "The service is busy, or is being started again; try again in a moment";

/**
 * Hands a client's bytes on to the service as they are, and back: the service alone reads HTTP. But what a client sends first,
 * or after a response, waits for its turn, and goes nowhere when the client leaves before.
 * @param heard is called when the client has sent the head of a request.
 */
export function paceConnection(client: Socket, service: Service, heard: () => void): void {
  new PacedConnection(client, service, heard).open();
}

class PacedConnection {
  readonly #client: Socket;
  readonly #service: Service;
  readonly #leaving = new AbortController();
  /** `answered`: no request is under way. `tunnel`: WebSocket, whose messages are no requests. */
  #state: "answered" | "waiting" | "sent" | "tunnel" | "ended" = "answered";
  #upstream: Socket | undefined;
  #wait: Wait | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  readonly #heard: () => void;
  /** The end of what was held, in which a head may end with the next bytes. */
  #tail = "";
  #owner: string | undefined;
  #token: string | undefined;
  #place = 0;

  constructor(client: Socket, service: Service, heard: () => void) {
    this.#client = client;
    this.#service = service;
    this.#heard = heard;
  }

  open(): void {
    const client = this.#client;
    client.setNoDelay(true);
    client.setTimeout(SILENT_MS, () => this.#giveUp());
    client.on("error", () => undefined);
    client.on("data", (bytes: Buffer) => this.#takeFromClient(bytes));
    client.on("drain", () => this.#upstream?.resume());
    client.on("end", () => this.#endFromClient());
    client.on("close", () => this.#leave());
  }

  #takeFromClient(bytes: Buffer): void {
    if (this.#state === "ended") return;
    if (this.#state === "answered") this.#takeHead(bytes);
    else if (this.#state === "waiting" || this.#upstream === undefined) this.#hold(bytes);
    else if (!this.#upstream.write(bytes)) this.#client.pause();
  }

  /** A request waits for its turn when its head is there: half of one would hold a connection to the service. */
  #takeHead(bytes: Buffer): void {
    const text = this.#tail + bytes.toString("latin1");
    this.#tail = text.slice(-2);
    this.#hold(bytes);
    // The service refuses a head that is too long.
    if (!HEAD_END.test(text) && this.#heldBytes <= HELD_BYTES) return;
    this.#tail = "";
    this.#heard();
    this.#enter(Buffer.concat(this.#held));
  }

  #enter(bytes: Buffer): void {
    const { turns, callers } = this.#service;
    this.#token = readToken(bytes);
    this.#state = "waiting";
    const owner = callers.ownerOf(this.#token);
    if (!this.#isCounted(owner)) {
      this.#refuseTooMany();
      return;
    }
    this.#wait = turns.enter(owner, {
      begin: (place) => this.#begin(place),
      refuse: () => this.#refuseTooMany(),
    });
  }

  /** Counts the connection as one of the caller of its latest request. */
  #isCounted(owner: string): boolean {
    const { connections } = this.#service;
    if (owner === this.#owner) return true;
    if (!connections.add(owner)) return false;
    if (this.#owner !== undefined) connections.remove(this.#owner);
    this.#owner = owner;
    return true;
  }

  #refuseTooMany(): void {
    this.#refuse(new AppError("RATE_LIMITED", TOO_MANY, { retryAfterSeconds: 1 }));
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.byteLength;
    // Not before: a socket that is not read does not tell that its client has left.
    if (this.#heldBytes > HELD_BYTES) this.#client.pause();
  }

  #begin(place: number): void {
    this.#place = place;
    this.#state = "sent";
    // From now on, the service limits the time.
    this.#client.setTimeout(0);
    if (this.#upstream === undefined) void this.#connect();
    else this.#sendHeld(this.#upstream);
  }

  async #connect(): Promise<void> {
    try {
      const upstream = await this.#service.connect(this.#leaving.signal);
      upstream.setNoDelay(true);
      upstream.on("error", () => upstream.destroy());
      upstream.on("data", (bytes: Buffer) => this.#takeFromService(bytes));
      upstream.on("drain", () => this.#client.resume());
      upstream.on("end", () => this.#endFromService(upstream));
      upstream.on("close", () => this.#closeFromService(upstream));
      if (this.#leaving.signal.aborted) {
        upstream.destroy();
        return;
      }
      this.#upstream = upstream;
      this.#sendHeld(upstream);
    } catch {
      this.#service.turns.noteSeen(this.#place);
      this.#refuse(new AppError("SERVICE_UNAVAILABLE", IS_AWAY, { retryAfterSeconds: 5 }));
    }
  }

  #sendHeld(upstream: Socket): void {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    let isRoom = true;
    for (const bytes of held) isRoom = upstream.write(bytes);
    if (isRoom) this.#client.resume();
    if (this.#client.readableEnded) upstream.end();
  }

  #takeFromService(bytes: Buffer): void {
    if (this.#state === "sent") this.#noteAnswer(readResponse(bytes));
    if (!this.#client.write(bytes)) this.#upstream?.pause();
  }

  #noteAnswer(response: ResponseHead | undefined): void {
    const { turns, callers } = this.#service;
    turns.noteSeen(this.#place);
    if (response?.status === 101) this.#state = "tunnel";
    // 100 Continue and the like are not yet the response.
    if (response !== undefined && response.status < 200) return;
    this.#state = "answered";
    if (response !== undefined) callers.note(this.#token, response);
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
    if (this.#state === "answered") this.#endClient();
    else this.#client.destroy();
  }

  #endClient(): void {
    this.#wait?.leave();
    this.#state = "ended";
    this.#client.setTimeout(LINGER_MS);
    this.#client.end();
    this.#client.resume();
  }

  #refuse(error: AppError): void {
    this.#client.write(refusal(error));
    this.#endClient();
  }

  #giveUp(): void {
    if (this.#state === "waiting") this.#refuse(new AppError("SERVICE_UNAVAILABLE", IS_AWAY, { retryAfterSeconds: 5 }));
    else this.#client.destroy();
  }

  /** A client that ends its side while its request waits has left, as for other servers; later the service decides. */
  #endFromClient(): void {
    if (this.#state === "waiting" || (this.#upstream === undefined && this.#state === "answered")) {
      this.#client.destroy();
    } else this.#upstream?.end();
  }

  #leave(): void {
    this.#wait?.leave();
    if (this.#owner !== undefined) this.#service.connections.remove(this.#owner);
    // The service cancels the request of a connection that is reset, not of one that ends.
    this.#upstream?.resetAndDestroy();
    this.#leaving.abort();
    this.#held = [];
  }
}
