import { Agent as HttpAgent, request as httpRequest, ServerResponse } from "node:http";
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { pipeline, type Duplex, type Readable, type Writable } from "node:stream";
import { EGRESS_UPSTREAM_HEADER } from "../../core/egress-failure.ts";
import { bareHostname } from "../../core/url/outbound-policy.ts";
import { copyHeaders } from "./copy-headers.ts";
import { EgressError, pinAddresses, pinnedLookup, type EgressPolicy } from "./egress-policy.ts";
import { passJoined } from "./join-pieces.ts";
import { failResponse } from "./fail-request.ts";
import { openUpstreamTunnel, type Upstream } from "./upstream-tunnel.ts";
import type { Lookup } from "./resolve-name.ts";

/** State that requests of one traffic source share. A connection is never reused for another source. */
export interface Route {
  policy: EgressPolicy;
  ask: Lookup;
  agents: { http: HttpAgent; https: HttpsAgent };
  /** A proxy that connects to the site in place of this one. */
  upstream?: Upstream;
  /** True when upgraded connections may be silent for as long as their two ends want, as one to a browser is. */
  mayBeSilent?: boolean;
}

export const CONNECT_TIMEOUT_MS = 10_000;
/** Longest silence of a site while it is asked. The Worker's own deadlines come first. */
const SILENCE_MS = 600_000;
/** Where there is no such limit: an end that is gone without a word is noticed by TCP. */
const KEEP_ALIVE_MS = 60_000;
/** How long a connection stays open for the next request. Most servers keep one for longer. */
const KEPT_MS = 4_000;
const MAX_CONNECTIONS_PER_HOST = 256;
const MAX_CONNECTIONS = 1_024;
const MAX_HEADER_BYTES = 256 * 1024;
/** Interim responses (1xx) to one request. Servers send one or two. */
const MOST_INTERIM = 32;
/** Statuses of answers that end an exchange (RFC 9110 § 15); Node's parser also accepts 000 to 099. */
const [LEAST_FINAL_STATUS, MAX_STATUS] = [200, 999];
/** The target names the host; the upstream is for this proxy. */
const OWN_HEADERS = ["host", EGRESS_UPSTREAM_HEADER];
/** Asking again is the same as asking once (RFC 9110 § 9.2.2), and there is no body that would have to be sent again. */
const REPEATABLE = new Set(["GET", "HEAD"]);

export function createRoute(policy: EgressPolicy, ask: Lookup): Route {
  const options = {
    keepAlive: true,
    timeout: KEPT_MS,
    maxSockets: MAX_CONNECTIONS_PER_HOST,
    maxTotalSockets: MAX_CONNECTIONS,
    maxFreeSockets: 64,
  };
  return { policy, ask, agents: { http: new HttpAgent(options), https: new HttpsAgent(options) } };
}

/**
 * Asks the server that an absolute-form request names (RFC 9112 § 3.2.2) and hands its answer back as it comes: status,
 * headers, and the body as it was encoded and framed. A body that breaks off breaks off here as well.
 */
export async function forwardRequest(request: IncomingMessage, response: ServerResponse, route: Route): Promise<void> {
  try {
    const upstream = await ask(request, response, route);
    awaitAnswer(upstream, response);
    sendBody(request, upstream);
  } catch (error) {
    request.resume();
    failResponse(response, error);
  }
}

/** The same for a request that asks for another protocol, such as WebSocket: agreed to, both sides talk on. */
export async function forwardUpgrade(
  request: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer },
  route: Route,
): Promise<void> {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  // An upgraded request's connection is a TCP socket, as the server listens on TCP.
  response.assignSocket(socket as Socket);
  response.on("finish", () => socket.end());
  const stopWatching = endWithClient(socket);
  try {
    const upstream = await ask(request, response, route);
    upstream.on("response", (answer) => {
      stopWatching();
      handBack(answer, response);
    });
    upstream.on("upgrade", (answer, peer, peerHead) => {
      stopWatching();
      response.detachSocket(socket as Socket);
      socket.write(toHead(answer), "latin1");
      peer.write(head);
      socket.write(peerHead);
      joinSockets(socket, peer, route);
    });
    upstream.end();
  } catch (error) {
    failResponse(response, error);
  }
}

/** Destroys a connection when its client ends it. Node reads no connection that asks for another protocol. */
function endWithClient(socket: Duplex): () => void {
  const look = (): void => void (socket.readableLength === 0 && socket.read(0));
  const end = (): void => void socket.destroy();
  socket.on("readable", look).once("end", end);
  return () => void socket.off("readable", look).off("end", end);
}

/** Lets both sides talk until one of them ends, breaks off, or both are silent where they may not be. */
export function joinSockets(
  one: Duplex,
  other: Duplex,
  { mayBeSilent = false }: Pick<Route, "mayBeSilent"> = {},
): void {
  for (const socket of [one, other]) {
    // The request's own limit ends with 0.
    if ("setTimeout" in socket) (socket as Socket).setTimeout(mayBeSilent ? 0 : SILENCE_MS, () => socket.destroy());
    if (mayBeSilent && "setKeepAlive" in socket) (socket as Socket).setKeepAlive(true, KEEP_ALIVE_MS);
    if ("setNoDelay" in socket) (socket as Socket).setNoDelay(true);
  }
  pass(one, other);
  pass(other, one);
}

/** @throws EgressError when the target may not be called, or the client has left */
async function ask(request: IncomingMessage, response: ServerResponse, route: Route): Promise<ClientRequest> {
  const target = readTarget(request);
  const addresses = await pinAddresses(target, route.policy, route.ask);
  requireClient(response);
  const isSecure = target.protocol === "https:";
  const hostname = bareHostname(target);
  const isUpgrade = request.headers.upgrade !== undefined && request.headers.connection !== undefined;
  const tunnel = route.upstream && (await openUpstreamTunnel(route.upstream, target, addresses));
  requireClient(response, tunnel);
  const options: RequestOptions & { servername?: string } = {
    method: request.method ?? "GET",
    host: hostname,
    port: target.port === "" ? (isSecure ? 443 : 80) : Number(target.port),
    path: `${target.pathname}${target.search}`,
    headers: headersFor(request, target, isUpgrade),
    lookup: pinnedLookup(addresses),
    // Given an agent, also `false`, Node connects by itself, whatever `createConnection` says.
    ...(tunnel === undefined
      ? { agent: isUpgrade ? false : isSecure ? route.agents.https : route.agents.http }
      : { createConnection: () => connectionOver(tunnel, isSecure ? hostname : undefined) }),
    maxHeaderSize: MAX_HEADER_BYTES,
    // Sites send header values that the standard forbids; whatever cannot be written again is left out.
    insecureHTTPParser: true,
    timeout: SILENCE_MS,
    ...(isSecure && isIP(hostname) === 0 ? { servername: hostname } : {}),
  };
  return start(options, { isSecure, request, response });
}

/** A client that leaves before the site is asked is noticed here; what it leaves later, `start` hears. */
function requireClient(response: ServerResponse, tunnel?: Socket): void {
  if (!response.destroyed && !response.closed) return;
  tunnel?.destroy();
  throw new EgressError("reset", "The client has left");
}

/** @param hostname of a site with TLS */
function connectionOver(tunnel: Socket, hostname: string | undefined): Socket {
  if (hostname === undefined) return tunnel;
  return connectTls({ socket: tunnel, host: hostname, ...(isIP(hostname) === 0 ? { servername: hostname } : {}) });
}

interface Exchange {
  isSecure: boolean;
  request: IncomingMessage;
  response: ServerResponse;
}

function start(options: RequestOptions, exchange: Exchange): ClientRequest {
  const { isSecure, request, response } = exchange;
  const upstream = isSecure ? httpsRequest(options) : httpRequest(options);
  limitConnecting(upstream, isSecure);
  upstream.on("timeout", () => upstream.destroy(new EgressError("timeout", "The site did not answer in time")));
  const giveUp = (): void => void upstream.destroy();
  response.once("close", giveUp);
  limitInterim(upstream);
  let answer: IncomingMessage | undefined;
  upstream.on("response", (received) => (answer = received));
  upstream.on("error", (error) => {
    // Bytes behind a complete answer are no part of it.
    if (answer?.complete === true) return;
    // A server may close a kept connection at the moment in which it is used again (RFC 9112 § 9.3.1).
    const isStale = upstream.reusedSocket && !response.headersSent && isRepeatable(request);
    if (!isStale || response.destroyed) return failResponse(response, error);
    response.off("close", giveUp);
    const again = start({ ...options, agent: false }, exchange);
    awaitAnswer(again, response);
    again.end();
  });
  return upstream;
}

function isRepeatable({ method = "", headers }: IncomingMessage): boolean {
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return REPEATABLE.has(method) && !hasBody;
}

/** A site could send heads such as 103 Early Hints without end, which the parser reads as fast as they come. */
function limitInterim(upstream: ClientRequest): void {
  let count = 0;
  upstream.on("information", () => {
    if (++count <= MOST_INTERIM) return;
    upstream.destroy(new EgressError("malformed", `The site sent more than ${MOST_INTERIM} interim responses`));
  });
}

function limitConnecting(upstream: ClientRequest, isSecure: boolean): void {
  upstream.once("socket", (socket) => {
    if (!socket.connecting) return;
    const late = (): void => void upstream.destroy(new EgressError("timeout", "The site did not answer in time"));
    const timer = setTimeout(late, CONNECT_TIMEOUT_MS);
    socket.once(isSecure ? "secureConnect" : "connect", () => clearTimeout(timer));
    socket.once("close", () => clearTimeout(timer));
  });
}

/** The target alone says who is asked; a `Host` that says otherwise is not passed on. */
function readTarget(request: IncomingMessage): URL {
  const target = URL.parse(request.url ?? "");
  if (target === null) throw new EgressError("refused", "Invalid URL");
  return target;
}

function headersFor(request: IncomingMessage, target: URL, isUpgrade: boolean): string[] {
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  const copied = copyHeaders(request.rawHeaders, isChunked ? [...OWN_HEADERS, "content-length"] : OWN_HEADERS);
  return [
    "Host",
    target.host,
    ...copied,
    ...(isChunked ? ["Transfer-Encoding", "chunked"] : []),
    ...(isUpgrade ? ["Connection", "Upgrade", "Upgrade", request.headers.upgrade ?? ""] : []),
  ];
}

function sendBody(request: IncomingMessage, upstream: ClientRequest): void {
  if (isRepeatable(request)) {
    upstream.end();
    return;
  }
  pass(request, upstream);
}

/** Copies one stream to another. When one of them ends early, the other is destroyed, also when that was before the start. */
function pass(from: Readable, to: Writable): void {
  if (from.destroyed || to.destroyed || to.writableEnded) {
    from.destroy();
    to.destroy();
    return;
  }
  pipeline(from, to, () => undefined);
}

/** Hands back the answer to a request that asked for no other protocol. Without a listener, Node forgets a 101. */
function awaitAnswer(upstream: ClientRequest, response: ServerResponse): void {
  upstream.on("response", (answer) => handBack(answer, response));
  upstream.on("upgrade", (answer, peer) => {
    peer.destroy();
    failResponse(response, unusable(answer));
  });
}

/** Hands a server's answer to the client. */
export function handBack(answer: IncomingMessage, response: ServerResponse): void {
  // The client has left while the server was asked.
  if (response.destroyed || response.closed) {
    answer.destroy();
    return;
  }
  const status = answer.statusCode ?? 0;
  if (status < LEAST_FINAL_STATUS || status > MAX_STATUS) {
    answer.destroy();
    failResponse(response, unusable(answer));
    return;
  }
  response.sendDate = false;
  // Both together, the length would be the lie (RFC 9112 § 6.3).
  const isChunked = answer.headers["transfer-encoding"] !== undefined;
  const words = (answer.statusMessage ?? "").replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "");
  response.writeHead(status, words, copyHeaders(answer.rawHeaders, isChunked ? ["content-length"] : []));
  // The head goes out before the body comes. `flushHeaders` would turn its bytes beyond ASCII into UTF-8.
  response.write(Buffer.alloc(0));
  // Ends as the site ended: a body that breaks off destroys the response, and with it the client's connection.
  passJoined(answer, response);
}

/** An answer that is none to the request: a status such as 000, which the parser accepts, or 101 unasked. */
function unusable({ statusCode }: IncomingMessage): EgressError {
  return new EgressError(
    "malformed",
    `The site answered with the status ${statusCode ?? 0}, which is none of an answer`,
  );
}

function toHead(answer: IncomingMessage): string {
  const headers = copyHeaders(answer.rawHeaders);
  const lines = [`HTTP/1.1 101 Switching Protocols`, "Connection: Upgrade", `Upgrade: ${answer.headers.upgrade ?? ""}`];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}
