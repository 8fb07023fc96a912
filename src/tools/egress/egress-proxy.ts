import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { EGRESS_REPORT_URL, EGRESS_UPSTREAM_HEADER } from "../../core/egress-failure.ts";
import { listenLocally } from "../process/listen-locally.ts";
import { refuseSocket } from "./fail-request.ts";
import { createRoute, forwardRequest, forwardUpgrade, type Route } from "./forward-request.ts";
import { openTunnel } from "./open-tunnel.ts";
import { createUserCheck } from "./peer-user.ts";
import { TunnelFailures } from "./tunnel-failures.ts";
import { keepAnswers, onceAtATime, systemLookup, type Lookup } from "./resolve-name.ts";

export interface EgressOptions {
  /** Hosts, also as `host:port`, that may be private for pages and browsers (`ALLOW_PRIVATE_HOSTS`). */
  allowPrivateHosts: readonly string[];
  /** `host:port` of servers that the settings name: private or not, the service itself may call them, pages may not. */
  operatorHosts: readonly string[];
  /** `host:port` under which the service is known elsewhere (`OWN_HOSTS`). */
  ownHosts: readonly string[];
  /** Ports of this machine that are only for the service itself. */
  ownPorts?: readonly number[];
  /** Proxies that the settings name, by the labels that the service uses. Their hosts are among `operatorHosts`. */
  upstreams?: ReadonlyMap<string, string>;
  lookup?: Lookup;
}

export interface EgressProxy {
  /**
   * `127.0.0.1:port` for the Worker's requests that load pages, and for those to servers that the settings name, so that neither
   * takes the connections of the other. Each request has the token of its kind as `Proxy-Authorization: Bearer`.
   */
  workerAddresses: Record<"pages" | "operator", string>;
  tokens: Record<"pages" | "operator", string>;
  /** `127.0.0.1:port` for browsers, which cannot be given a token. */
  browserAddress: string;
  /** A port of this machine that nobody may call from now on, such as the service's own. */
  closePort(port: number): void;
  /** Ports of this machine that nobody may call, asked for at every connection to it: those of browsers, which come and go. */
  closePorts(list: () => readonly number[]): void;
  close(): Promise<void>;
}

/** Of a message's head. Chromium and workerd send less. */
const MAX_HEADER_BYTES = 128 * 1024;
const MAX_CONNECTIONS = 2_048;
/** workerd and Chromium close idle connections sooner, so that none is closed while it is used again. */
const KEPT_MS = 400_000;
const HEADERS_TIMEOUT_MS = 30_000;

/**
 * The one way out of a local service: every request of the Worker and of its browsers passes here. A name is resolved
 * once, every address is checked by the outbound policy, and the connection goes to an address that was checked, so that
 * a name cannot come to mean another address between check and use. Nothing is logged, changed or kept.
 */
export async function startEgressProxy(options: EgressOptions): Promise<EgressProxy> {
  const ownPorts = new Set(options.ownPorts);
  let listPorts = (): readonly number[] => [];
  const isOwnPort = (port: number): boolean => ownPorts.has(port) || listPorts().includes(port);
  const ask = keepAnswers(onceAtATime(options.lookup ?? systemLookup));
  const { allowPrivateHosts, ownHosts } = options;
  const routes = {
    pages: createRoute({ allowPrivateHosts, ownHosts, isOwnPort }, ask),
    operator: {
      ...createRoute(
        { allowPrivateHosts: [...allowPrivateHosts, ...options.operatorHosts], ownHosts: [], isOwnPort: () => false },
        ask,
      ),
      mayBeSilent: true,
    },
    browsers: createRoute({ allowPrivateHosts, ownHosts, isOwnPort }, ask),
  };
  const upstreams = new Map(
    [...(options.upstreams ?? [])].map(([label, url]) => {
      const { policy } = routes.operator;
      return [label, { ...routes.pages, upstream: { label, url: new URL(url), policy, ask } }] as const;
    }),
  );
  const tokens = { pages: randomBytes(24).toString("hex"), operator: randomBytes(24).toString("hex") };
  const failures = new TunnelFailures();
  const pages = createWorkerServer(routes, { tokens, failures, upstreams });
  const operator = createWorkerServer(routes, { tokens, failures, upstreams });
  const browser = createBrowserServer(routes.browsers, failures);
  const open = [pages, operator, browser].map((server) => ({ server, sockets: trackSockets(server) }));
  const [pagesPort, operatorPort, browserPort] = await Promise.all([
    listenLocally(pages),
    listenLocally(operator),
    listenLocally(browser),
  ]);
  for (const port of [pagesPort, operatorPort, browserPort]) ownPorts.add(port);
  return {
    workerAddresses: { pages: `127.0.0.1:${pagesPort}`, operator: `127.0.0.1:${operatorPort}` },
    tokens,
    browserAddress: `127.0.0.1:${browserPort}`,
    closePort: (port) => void ownPorts.add(port),
    closePorts: (list) => void (listPorts = list),
    close: async () => {
      for (const { agents } of Object.values(routes)) {
        agents.http.destroy();
        agents.https.destroy();
      }
      await Promise.all(open.map(({ server, sockets }) => close(server, sockets)));
    },
  };
}

interface WorkerServerOptions {
  tokens: Record<"pages" | "operator", string>;
  failures: TunnelFailures;
  upstreams: ReadonlyMap<string, Route>;
}

/** Absolute-form requests of workerd. It has no use for tunnels. */
function createWorkerServer(
  routes: Record<"pages" | "operator", Route>,
  { tokens, failures, upstreams }: WorkerServerOptions,
): Server {
  const routeOf = (request: IncomingMessage): Route | undefined => {
    const given = request.headers["proxy-authorization"] ?? "";
    if (isSame(given, `Bearer ${tokens.pages}`)) return routes.pages;
    if (!isSame(given, `Bearer ${tokens.operator}`)) return undefined;
    const label = request.headers[EGRESS_UPSTREAM_HEADER];
    // Requests by an upstream load pages, and keep to their policy.
    return label === undefined ? routes.operator : upstreams.get(String(label));
  };
  const server = createProxyServer((request, response) => {
    const route = routeOf(request);
    if (route === undefined) return refuse(request, response, 407);
    if (!isAbsolute(request)) return refuse(request, response, 400);
    if (route === routes.operator && isReportAsked(request)) return report(request, response, failures);
    void forwardRequest(request, response, route);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => undefined);
    const route = routeOf(request);
    if (route === undefined) return refuseSocket(socket, 407);
    if (!isAbsolute(request)) return refuseSocket(socket, 400);
    void forwardUpgrade(request, { socket, head }, route);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => undefined);
    refuseSocket(socket, 405);
  });
  return server;
}

/** Absolute-form requests for `http:`, tunnels for everything else: what Chromium sends to a proxy. */
function createBrowserServer(route: Route, failures: TunnelFailures): Server {
  const isOfOtherUser = createUserCheck();
  const users = new WeakMap<object, Promise<boolean>>();
  const isForeign = (socket: object): Promise<boolean> => users.get(socket) ?? Promise.resolve(true);
  const server = createProxyServer((request, response) => {
    void isForeign(request.socket).then((foreign) => {
      if (foreign) return refuse(request, response, 407);
      if (!isAbsolute(request) || !/^http:/i.test(request.url ?? "")) return refuse(request, response, 400);
      return forwardRequest(request, response, route);
    });
  });
  server.on("connection", (socket: Socket) => users.set(socket, isOfOtherUser(socket)));
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => undefined);
    void isForeign(socket).then((foreign) =>
      foreign ? refuseSocket(socket, 407) : openTunnel(request, { socket, head }, { ...route, failures }),
    );
  });
  server.on("upgrade", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => undefined);
    refuseSocket(socket, 400);
  });
  return server;
}

function createProxyServer(onRequest: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEPT_MS,
      // A body may be as long as the Worker's own limits let it be.
      requestTimeout: 0,
      // An absolute-form target says all that `Host` would.
      requireHostHeader: false,
    },
    (request, response) => {
      response.on("error", () => undefined);
      onRequest(request, response);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on("clientError", (_error, socket) => refuseSocket(socket, 400));
  return server;
}

/** Only the absolute form names a host in the request line, where nothing else can contradict it. */
function isAbsolute({ url = "" }: IncomingMessage): boolean {
  return /^https?:\/\/[^/]/i.test(url);
}

function isReportAsked({ url = "" }: IncomingMessage): boolean {
  return url.startsWith(`${EGRESS_REPORT_URL}?`);
}

function report({ url = "" }: IncomingMessage, response: ServerResponse, failures: TunnelFailures): void {
  response.end(failures.of(new URL(url).searchParams.get("authority") ?? "") ?? "");
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { "content-length": 0, connection: "close" }).end();
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}

/** A server forgets connections that became tunnels, but waits for them. */
function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  await new Promise<void>((closed) => {
    server.close(() => closed());
    for (const socket of sockets) socket.destroy();
  });
}
