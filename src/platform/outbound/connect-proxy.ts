import { AppError, isAppError } from "../../core/errors.ts";
import { hostWithPort } from "../../core/url/outbound-policy.ts";
import { ResponseParser, type ResponseHead } from "./response-parser.ts";

/** `connect` of `cloudflare:sockets`. */
export type Connect = (address: SocketAddress, options: SocketOptions) => Socket;

const CONNECT_TIMEOUT_MS = 10_000;
/** Statuses of a final response that a `Response` can have. */
const [LEAST_STATUS, MAX_STATUS] = [200, 599];
const NO_BODY_STATUSES = new Set([204, 205, 304]);
/** Headers of one connection, which this client sets or leaves out itself (RFC 9110 § 7.6.1). */
const OWN_HEADERS = new Set(["host", "connection", "accept-encoding", "content-length", "transfer-encoding"]);

interface ProxyTools {
  connect: Connect;
  /** Name of the proxy in messages; its address and password are the operator's own. */
  label: string;
}

/**
 * Creates a `fetch` whose requests pass through an HTTP proxy: CONNECT and TLS to the site for `https:`, absolute-form
 * requests for `http:`. It follows no redirects and keeps no connections. The URL of the proxy may have a user and a
 * password.
 * @throws AppError `SCRAPE_PROXY_UNREACHABLE` or `SCRAPE_PROXY_DENIED` for failures of the proxy.
 */
export function createProxyFetch(proxyUrl: string, tools: ProxyTools): typeof fetch {
  const proxy = new URL(proxyUrl);
  return async (input, init = {}) => {
    const target = new URL(input instanceof Request ? input.url : input);
    const signal = init.signal ?? new AbortController().signal;
    signal.throwIfAborted();
    const exchange = new Exchange(openSocket(proxy, target, tools), signal);
    try {
      return await exchange.run({ proxy, target, init, label: tools.label });
    } catch (error) {
      exchange.close();
      if (signal.aborted) throw signal.reason;
      throw error;
    }
  };
}

function openSocket(proxy: URL, target: URL, { connect, label }: ProxyTools): Socket {
  const isSecure = target.protocol === "https:";
  const toProxy = proxy.protocol === "https:";
  if (isSecure && toProxy) {
    const message = `The proxy ${label} takes TLS, and the platform's connections cannot have TLS to a site inside of it`;
    throw new AppError("SCRAPE_PROXY_SELECTION_ERROR", message);
  }
  const port = proxy.port === "" ? (toProxy ? 443 : 80) : Number(proxy.port);
  const hostname = proxy.hostname.replace(/^\[|\]$/g, "");
  return connect(
    { hostname, port },
    { secureTransport: toProxy ? "on" : isSecure ? "starttls" : "off", allowHalfOpen: false },
  );
}

interface Transfer {
  proxy: URL;
  target: URL;
  init: RequestInit;
  label: string;
}

/** One request on a connection of its own. */
class Exchange {
  #socket: Socket;
  readonly #signal: AbortSignal;
  readonly #stop = (): void => this.close();

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    // Failures reach the reads and writes as well.
    socket.closed.catch(() => undefined);
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#stop);
    this.#socket.close().catch(() => undefined);
  }

  async run({ proxy, target, init, label }: Transfer): Promise<Response> {
    const authorization = authorizationOf(proxy);
    await this.#opened(label);
    const isSecure = target.protocol === "https:";
    if (isSecure) {
      await this.#tunnel(hostWithPort(target), authorization, label);
      this.#socket = this.#socket.startTls({ expectedServerHostname: target.hostname });
      this.#socket.closed.catch(() => undefined);
    }
    const requestTarget = isSecure ? `${target.pathname}${target.search}` : target.href.replace(/#.*$/, "");
    const proxyHeaders = isSecure ? [] : authorization;
    const request = toRequest({ target, requestTarget, init, proxyHeaders });
    const response = await this.#exchange(request, init.method ?? "GET").catch((error: unknown) => {
      throw isSecure && isHandshakeFailure(error)
        ? new AppError("SCRAPE_SSL_ERROR", undefined, { cause: error })
        : error;
    });
    if (!isSecure && response.status === 407) throw denied(label);
    return response;
  }

  async #exchange(request: Uint8Array, method: string): Promise<Response> {
    await this.#write(request);
    return await this.#response(method);
  }

  async #opened(label: string): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unreachable(label)), CONNECT_TIMEOUT_MS);
    });
    try {
      await Promise.race([this.#socket.opened, late]);
    } catch (error) {
      throw isAppError(error) ? error : unreachable(label, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks the proxy for a tunnel (RFC 9110 § 9.3.6). */
  async #tunnel(authority: string, authorization: readonly string[], label: string): Promise<void> {
    const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, ...authorization];
    try {
      await this.#write(new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
      const parser = new ResponseParser({ hasBody: false });
      const reader = this.#socket.readable.getReader();
      while (parser.head === undefined) {
        const { done, value } = await reader.read();
        if (done) throw new Error("The proxy closed the connection");
        parser.write(value as Uint8Array);
      }
      reader.releaseLock();
      assertTunnel(parser.head, label);
    } catch (error) {
      throw isAppError(error) && error.code !== "SCRAPE_SITE_ERROR" ? error : unreachable(label, error);
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const writer = this.#socket.writable.getWriter();
    try {
      await writer.write(bytes);
    } finally {
      writer.releaseLock();
    }
  }

  /** Waits for the head of the response; its body is read as it comes. */
  async #response(method: string): Promise<Response> {
    const parser = new ResponseParser({ hasBody: method !== "HEAD" });
    const reader = this.#socket.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    let early: Uint8Array | undefined;
    while (parser.head === undefined) {
      const { done, value } = await reader.read();
      if (done) throw new AppError("SCRAPE_SITE_ERROR", "The site closed the connection without a response");
      early = parser.write(value);
    }
    const { statusCode: status, headers: raw } = parser.head;
    if (status < LEAST_STATUS || status > MAX_STATUS) throw unusable(status);
    const headers = toHeaders(raw);
    if (method === "HEAD" || NO_BODY_STATUSES.has(status)) {
      this.close();
      return new Response(null, { status, headers });
    }
    const body = unpacked(this.#body({ parser, reader, early }), headers);
    return new Response(body, { status, headers, encodeBody: "manual" } as ResponseInit);
  }

  #body({ parser, reader, early }: BodyParts): ReadableStream<Uint8Array> {
    const close = (): void => this.close();
    return new ReadableStream<Uint8Array>({
      start(controller): void {
        if (early !== undefined) controller.enqueue(early);
        if (!parser.isDone) return;
        close();
        controller.close();
      },
      async pull(controller): Promise<void> {
        try {
          let piece: Uint8Array | undefined;
          while (piece === undefined && !parser.isDone) {
            const { done, value } = await reader.read();
            if (done) parser.end();
            else piece = parser.write(value);
          }
          if (piece !== undefined) controller.enqueue(piece);
          if (!parser.isDone) return;
          close();
          controller.close();
        } catch (error) {
          close();
          controller.error(error);
        }
      },
      cancel: close,
    });
  }
}

/** The runtime names a lost connection; whatever else fails before the first byte is the handshake. */
function isHandshakeFailure(error: unknown): boolean {
  return !isAppError(error) && !/connection lost/i.test(String(error));
}

interface BodyParts {
  parser: ResponseParser;
  reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Bytes of the body that came with the head. */
  early: Uint8Array | undefined;
}

/** `fetch` unpacks gzip in this spelling alone, and keeps the header. Other codings are not requested. */
function unpacked(body: ReadableStream<Uint8Array>, headers: Headers): ReadableStream<Uint8Array> {
  if (headers.get("content-encoding") !== "gzip") return body;
  return body.pipeThrough(new DecompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>);
}

function unusable(status: number): AppError {
  return new AppError("SCRAPE_SITE_ERROR", `The site answered with the status ${status}, which is none of HTTP`);
}

function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    try {
      headers.append(raw[at] ?? "", raw[at + 1] ?? "");
    } catch {
      // A value that cannot be a header is no use to anyone.
    }
  }
  // A body in chunks ends with the last one, whatever length is declared (RFC 9112 § 6.3).
  if (headers.has("transfer-encoding")) headers.delete("content-length");
  return headers;
}

interface RequestParts {
  target: URL;
  requestTarget: string;
  init: RequestInit;
  proxyHeaders: readonly string[];
}

function toRequest({ target, requestTarget, init, proxyHeaders }: RequestParts): Uint8Array {
  const body = bodyOf(init.body);
  // `Headers` refuses names and values with line breaks.
  const headers = [...new Headers(init.headers)].filter(([name]) => !OWN_HEADERS.has(name));
  const lines = [
    `${init.method ?? "GET"} ${requestTarget} HTTP/1.1`,
    `Host: ${target.host}`,
    ...proxyHeaders,
    "Accept-Encoding: gzip",
    "Connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${body.byteLength}`]),
  ];
  const head = new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
  if (body === undefined) return head;
  const bytes = new Uint8Array(head.byteLength + body.byteLength);
  bytes.set(head);
  bytes.set(body, head.byteLength);
  return bytes;
}

function bodyOf(body: RequestInit["body"]): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError("Requests through a proxy have text or bytes as their body");
}

function authorizationOf({ username, password }: URL): string[] {
  if (username === "" && password === "") return [];
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const bytes = String.fromCharCode(...new TextEncoder().encode(credentials));
  return [`Proxy-Authorization: Basic ${btoa(bytes)}`];
}

function assertTunnel({ statusCode }: ResponseHead, label: string): void {
  if (statusCode >= 200 && statusCode < 300) return;
  if (statusCode === 407) throw denied(label);
  const message = `The proxy ${label} did not connect to the site: it answered ${statusCode}`;
  throw new AppError("SCRAPE_PROXY_UNREACHABLE", message);
}

function denied(label: string): AppError {
  return new AppError("SCRAPE_PROXY_DENIED", `The proxy ${label} refused its user and password`);
}

function unreachable(label: string, cause?: unknown): AppError {
  return new AppError("SCRAPE_PROXY_UNREACHABLE", `The proxy ${label} could not be reached`, { cause });
}
