import { Agent, request } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ignoreAcceptErrors } from "../process/listen-locally.ts";
import { Callers } from "./callers.ts";
import { FrameTurns } from "./frame-turns.ts";
import { LongMessages } from "./long-messages.ts";
import { OpenConnections } from "./open-connections.ts";
import { paceConnection } from "./paced-connection.ts";
import { RequestTurns } from "./request-turns.ts";
import { UnreadClients } from "./unread-clients.ts";

/** Where clients reach a local service, in all its lives. */
export interface Ingress {
  port: number;
  /** Names the port on 127.0.0.1 that the service listens on, from now on. */
  serve(servicePort: number): void;
  close(): Promise<void>;
}

/** The service needs about 1 ms to come to a request, 10 when it converts pages. */
const MOST_UNSEEN = 8;
const MOST_WAITING = 1_000;
/** Each may hold some 64 kB. */
const MOST_IN_ALL = 4_000;
/** Connections that have not sent the head of a request yet, or whose first one was refused. */
const MOST_SILENT = 1_000;
const LOOPBACK = ["127.0.0.1", "::1"];
/** For a service that starts again. */
const CONNECT_TIMEOUT_MS = 30_000;
const RETRY_MS = 100;
/** A client may be gone without a word: a connection that is silent for so long is asked whether it still exists. */
const KEEP_ALIVE_MS = 60_000;
/** A service that hangs for so long is ended by its watchdog. */
const ASK_TIMEOUT_MS = 60_000;

/**
 * Listens on the loopback addresses, and hands each connection on to the service, whose requests begin in turns
 * (`request-turns.ts`). It does not read, log or change what is sent.
 * @param port any free one on 127.0.0.1 unless given.
 * @throws Error when the port is in use.
 */
export async function openIngress(port?: number): Promise<Ingress> {
  const service = new ServiceLink();
  const turns = new RequestTurns({
    mostUnseen: MOST_UNSEEN,
    mostWaiting: MOST_WAITING,
    mostInAll: MOST_IN_ALL,
    ask: () => service.ask(),
  });
  const paced = {
    turns,
    callers: new Callers(),
    connections: new OpenConnections(),
    unreadClients: new UnreadClients(),
    longMessages: new LongMessages(),
    frameTurns: new FrameTurns(),
    connect: (signal: AbortSignal) => service.connect(signal),
  };
  const clients = new Set<Socket>();
  const silent = new Set<Socket>();
  const takeClient = (client: Socket): void => {
    clients.add(client);
    silent.add(client);
    client.once("close", () => {
      clients.delete(client);
      silent.delete(client);
    });
    const [oldest] = silent;
    if (silent.size > MOST_SILENT) oldest?.destroy();
    paceConnection(client, paced, () => silent.delete(client));
  };
  const servers: Server[] = [];
  const closeAll = async (): Promise<void> => {
    service.close();
    await Promise.all(servers.map((server) => close(server, clients)));
  };
  try {
    for (const host of port === undefined ? LOOPBACK.slice(0, 1) : LOOPBACK) {
      const server = await listen(takeClient, { host, port: port ?? 0 });
      if (server !== undefined) servers.push(server);
    }
    return {
      port: port ?? portOf(servers[0]),
      serve: (servicePort) => service.serve(servicePort),
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Connections to a service that may be away while it starts again, on another port. */
class ServiceLink {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #closing = new AbortController();
  #port: number | undefined;

  serve(port: number): void {
    this.#port = port;
  }

  close(): void {
    this.#closing.abort();
    this.#agent.destroy();
  }

  /** @throws Error when the service has not come back in time, or when the signal aborts. */
  async connect(signal: AbortSignal): Promise<Socket> {
    const deadline = performance.now() + CONNECT_TIMEOUT_MS;
    const until = AbortSignal.any([signal, this.#closing.signal]);
    for (;;) {
      until.throwIfAborted();
      try {
        return await this.#tryToConnect(until);
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(RETRY_MS, undefined, { signal: until, ref: false });
      }
    }
  }

  #tryToConnect(signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      if (this.#port === undefined) {
        reject(new Error("The service has not started"));
        return;
      }
      const socket = connect({ port: this.#port, host: "127.0.0.1", allowHalfOpen: true, signal });
      socket.on("error", reject);
      socket.once("connect", () => resolve(socket));
    });
  }

  /** Resolves when the service has answered a request, or when this link closes. */
  async ask(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#health();
        return;
      } catch {
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  #health(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#port === undefined) {
        reject(new Error("The service has not started"));
        return;
      }
      const options = {
        host: "127.0.0.1",
        port: this.#port,
        path: "/health",
        agent: this.#agent,
        timeout: ASK_TIMEOUT_MS,
      };
      const asked = request(options, (response) => {
        response.resume();
        response.once("close", resolve);
      });
      asked.once("timeout", () => asked.destroy(new Error("The service did not answer")));
      asked.once("error", reject);
      asked.end();
    });
  }
}

/** Resolves to undefined when this machine does not have the address. */
async function listen(
  takeClient: (client: Socket) => void,
  address: { host: string; port: number },
): Promise<Server | undefined> {
  const options = { allowHalfOpen: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  const server = createServer(options, takeClient);
  return await new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "EADDRNOTAVAIL" || error.code === "EAFNOSUPPORT";
      if (isMissing && address.host !== LOOPBACK[0]) resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => {
      ignoreAcceptErrors(server);
      resolve(server);
    });
  });
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  if (typeof address !== "object" || address === null) throw new Error("The ingress does not listen");
  return address.port;
}

async function close(server: Server, clients: ReadonlySet<Socket>): Promise<void> {
  await new Promise<void>((closed) => {
    server.close(() => closed());
    for (const client of clients) client.destroy();
  });
}
