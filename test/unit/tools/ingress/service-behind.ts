import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";

/** A service behind the ingress, which echoes bodies. */
export interface Service {
  server: Server;
  port: number;
  /** Paths of the requests that have arrived, without the ingress's own. */
  seen: string[];
  sockets: Set<Socket>;
  /** True to answer nothing, as while the service is busy. */
  isBusy: boolean;
  /** Answers what has arrived since it was busy. */
  goOn(): void;
}

/** Starts the service on a free port of 127.0.0.1. */
export async function startService(): Promise<Service> {
  const waiting: (() => void)[] = [];
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    const isAsked = incoming.url === "/health";
    if (!isAsked) seen.push(incoming.url ?? "");
    const go = (): void => void respond(incoming, response);
    if (started.isBusy) waiting.push(go);
    else go();
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (_request, socket: Socket, head: Buffer) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
    socket.write(head);
    socket.pipe(socket);
  });
  const started: Service = {
    server,
    port: 0,
    seen,
    sockets,
    isBusy: false,
    goOn: () => {
      started.isBusy = false;
      for (const go of waiting.splice(0)) go();
    },
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  started.port = (server.address() as AddressInfo).port;
  return started;
}

async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  if (incoming.url === "/never") return;
  const body = await buffer(incoming).catch(() => Buffer.alloc(0));
  if (response.headersSent) return;
  const isAccepted = !/bad/.test(incoming.headers.authorization ?? "");
  response.writeHead(isAccepted ? 200 : 401, {
    "X-Method": incoming.method,
    "X-Host": incoming.headers.host,
    ...(isAccepted ? { "X-RateLimit-Limit": "100" } : {}),
  });
  response.end(body.byteLength > 0 ? body : incoming.url);
}

/** Cuts off all connections. */
export async function stop({ server, sockets }: Service): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}
