import { AppError, isAppError } from "../../core/errors.ts";
import type { ProfileCookie } from "../../core/sessions/profile.ts";
import type { HeldBytes } from "../../core/waits/held-bytes.ts";
import { cookiesFor } from "../../core/sessions/profile-cookies.ts";
import { portableHeaders } from "../../core/url/portable-headers.ts";
import type { Meter } from "../../core/account/meter.ts";
import { ADDRESS_LITERAL, assertNoEdgeError } from "../../core/scrape/edge-error.ts";
import type { Http, OutboundOutcome, OutboundRequest, OutboundResponse } from "../../ports/outbound/http.ts";
import type { OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import type { RequestSigner } from "../../ports/outbound/request-signer.ts";
import type { Clock } from "../../ports/system.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { ConnectionSlots } from "./connection-slots.ts";
import { assertForwarded } from "./egress.ts";
import { readBody } from "./read-body.ts";
import { RequestClock } from "./request-clock.ts";

const MAX_REDIRECTS = 10;
const DEFAULT_MAX_BODY_BYTES = 50_000_000;
/** Cookies per origin and characters of a cookie that are sent back, as browsers limit them (RFC 6265 § 6.1). */
const MAX_COOKIES = 180;
const MAX_COOKIE_CHARS = 4_096;
/** Characters of response headers that are read; later headers are ignored. */
const MAX_HEADER_CHARS = 65_536;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
/** Servers close idle connections, often at the very moment when one is used again (RFC 9112 § 9.3.1). */
const MAX_TRIES = 2;

interface Options {
  guard: OutboundGuard;
  clock: Clock;
  meter: Meter;
  telemetry?: Pick<Telemetry, "count" | "observe">;
  fetcher?: typeof fetch;
  /** True where requests pass through the egress proxy: its failures are distinguished from sites' responses. */
  isProxied?: boolean;
  /** The connection slots of this invocation. */
  slots?: ConnectionSlots;
  /** Counts the open requests of each team, where all share the connections of a machine; undefined without a limit. */
  openRequests?: HeldBytes | undefined;
  /**
   * True where no client waits for the response: the deadline of a request then moves by its wait for a slot. Requests of
   * a client keep its deadline.
   */
  movesDeadlines?: boolean;
  /** Aborted when the caller of this invocation has left: its requests end then. */
  callerLeft?: AbortSignal | undefined;
  /** Signs every hop of requests to sites. */
  signer?: RequestSigner;
}

/** Error message of a request that was not sent. */
const NO_CONNECTION = "The request was not sent in its time: other requests of the team used all of the connections that it may have"; // prettier-ignore

/** Options of one request. */
interface Following extends Options {
  fetcher: typeof fetch;
  slots: ConnectionSlots;
  requestClock: RequestClock;
}

/** One hop of a request: the values that change along redirects. */
interface Hop {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

/**
 * Creates the client for all requests to sites. Every hop is checked again, redirects are followed here (at most ten),
 * cookies and custom headers are sent to their origin alone, and time and size are limited.
 */
export function createGuardedFetch(options: Options): Http {
  const { clock, callerLeft, openRequests } = options;
  const fetcher = options.fetcher ?? ((input, init) => fetch(input, init));
  const slots = options.slots ?? new ConnectionSlots();
  const send = async (request: OutboundRequest): Promise<OutboundOutcome> => {
    const timeLeftMs = request.deadlineMs - clock.now();
    if (timeLeftMs <= 0) return failed(new AppError("SCRAPE_TIMEOUT"));
    const requestClock = new RequestClock(timeLeftMs, { nowMs: () => clock.now(), caller: callerLeft });
    try {
      for (let tries = 1; ; tries++) {
        try {
          const response = await follow({ ...options, fetcher, slots, requestClock }, request);
          return { kind: "response", response, waitedMs: requestClock.waitedMs };
        } catch (error) {
          const failure = toAppError(error, requestClock.signal);
          if (typeof failure.details === "number") {
            options.telemetry?.count("edge_errors_total", { number: String(failure.details) });
          }
          if (tries < MAX_TRIES && mayRepeat(request, failure)) continue;
          return { ...failed(failure), waitedMs: requestClock.waitedMs };
        }
      }
    } finally {
      requestClock.close();
    }
  };
  return {
    async request(request): Promise<OutboundOutcome> {
      const { owner, deadlineMs } = request;
      if (owner === undefined || openRequests === undefined) return await send(request);
      const limit = { deadlineMs, left: callerLeft };
      const taken = await openRequests.take(owner, 1, limit).catch(toAppErrorOfWait);
      if (isAppError(taken)) return { ...failed(taken), message: NO_CONNECTION, isUnsent: true };
      return await send(request).finally(taken);
    },
  };
}

/** @throws errors other than the end of the wait */
function toAppErrorOfWait(error: unknown): AppError {
  if (isAppError(error)) return error;
  throw error;
}

/** Reports whether a request may be repeated after the connection or the body broke off: a GET may, others may not. */
function mayRepeat({ method = "GET" }: OutboundRequest, { code, details }: AppError): boolean {
  return method === "GET" && code === "SCRAPE_SITE_ERROR" && details !== ADDRESS_LITERAL;
}

/**
 * Creates a `fetch` for one origin that the operator has configured: a language model's server, which may be on a
 * private network. It follows no redirect and streams the response.
 * @throws AppError `SAFE_MODE_BLOCKED` for any other origin.
 */
export function createOriginFetch(
  url: string,
  fetcher: typeof fetch = (input, init) => fetch(input, init),
): typeof fetch {
  const { origin } = new URL(url);
  return async (input, init) => {
    const target = new URL(input instanceof Request ? input.url : input);
    if (target.origin !== origin) throw new AppError("SAFE_MODE_BLOCKED", `Only ${origin} may be called here`);
    return await fetcher(target, { ...init, redirect: "manual" });
  };
}

async function follow(options: Following, request: OutboundRequest): Promise<OutboundResponse> {
  const { guard, meter, clock, isProxied = false, movesDeadlines = false, requestClock } = options;
  const cookies = new CookieJar(request.cookies ?? []);
  let hop: Hop = {
    url: request.url,
    method: request.method ?? "GET",
    headers: request.headers ?? {},
    body: request.body,
  };
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    requestClock.start();
    // The lookup of the name waits for a connection slot like the request itself.
    if (movesDeadlines) requestClock.pause();
    const load = (): Promise<Response> => headersOf(options, hop, cookies.headerFor(hop, clock.now()));
    const response = await loadChecked(guard, { hop, ownHosts: request.ownHosts, signal: requestClock.signal }, load);
    if (isProxied) await assertForwarded(response, hop.url);
    cookies.keep(hop.url, response.headers.getSetCookie());
    // An empty one would lead to the same address again.
    const location = response.headers.get("location")?.trim() ?? "";
    if (REDIRECT_STATUSES.has(response.status) && location !== "" && request.redirect !== "manual") {
      await response.body?.cancel();
      hop = nextHop(hop, response.status, location);
      continue;
    }
    const maxBytes = request.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
    const { hasRoom, cutsBody } = request;
    const body = await readBody(response, maxBytes, requestClock.signal, { hasRoom, cutsBody }).catch(
      (error: unknown) => {
        throw isTooLarge(error) ? new AppError(error.code, error.message, { details: new TooLargeBody(response.status) }) : error; // prettier-ignore
      },
    );
    meter.add("bytesFetched", body.byteLength);
    const answer = { statusCode: response.status, headers: readHeaders(response.headers), body };
    assertNoEdgeError(answer);
    return { url: hop.url, ...answer, redirects };
  }
  throw new AppError("SCRAPE_REDIRECT_ERROR", `${request.url} redirects more than ${MAX_REDIRECTS} times`);
}

/**
 * Loads a hop that the guard allows. Where loads reach nothing private, the name is resolved beside a GET, whose response
 * is discarded when the guard refuses its address.
 */
async function loadChecked(
  guard: OutboundGuard,
  { hop, ownHosts, signal }: { hop: Hop; ownHosts: readonly string[]; signal: AbortSignal },
  load: () => Promise<Response>,
): Promise<Response> {
  const isBeside = guard.checkText !== undefined && hop.method === "GET";
  const text = isBeside ? guard.checkText?.(hop.url, ownHosts) : undefined;
  const checking =
    text?.kind === "refused" ? Promise.reject(refusalOf(text, hop.url)) : assertAllowed(guard, hop.url, ownHosts);
  const checked = untilAborted(signal, checking);
  if (text?.kind !== "allowed") {
    await checked;
    return await load();
  }
  const loading = load();
  loading.catch(() => undefined);
  try {
    await checked;
  } catch (error) {
    void loading.then((response) => response.body?.cancel()).catch(() => undefined);
    throw error;
  }
  return await loading;
}

/** Detail of the error for a body that is too large. */
class TooLargeBody {
  readonly statusCode: number;

  constructor(statusCode: number) {
    this.statusCode = statusCode;
  }
}

function isTooLarge(error: unknown): error is AppError {
  return isAppError(error) && error.code === "SCRAPE_BODY_TOO_LARGE";
}

/** Sends one hop when the invocation has a connection for it, and waits for the response headers. */
async function headersOf(
  { fetcher, slots, signer, clock, telemetry, movesDeadlines = false, requestClock }: Following,
  hop: Hop,
  cookie: string | undefined,
): Promise<Response> {
  const { signal } = requestClock;
  if (movesDeadlines) requestClock.pause();
  const askedAtMs = clock.now();
  const leave = await slots.enter(signal).finally(() => {
    telemetry?.observe("slot_wait_seconds", {}, clock.now() - askedAtMs);
  });
  requestClock.start();
  try {
    const signed = await signer?.headersFor(hop.url);
    return await fetcher(hop.url, toInit({ ...hop, headers: { ...hop.headers, ...signed } }, { signal, cookie }));
  } finally {
    leave();
  }
}

/** Returns the headers up to the limit, those that describe the content first. */
function readHeaders(headers: Headers): Record<string, string> {
  const read: Record<string, string> = {};
  let chars = 0;
  const isContent = ([name]: [string, string]): number => (name.startsWith("content-") ? 0 : 1);
  for (const [name, value] of [...headers].toSorted((left, right) => isContent(left) - isContent(right))) {
    chars += name.length + value.length;
    if (chars > MAX_HEADER_CHARS) break;
    read[name] = value;
  }
  return read;
}

async function assertAllowed(guard: OutboundGuard, url: string, ownHosts: readonly string[]): Promise<void> {
  const verdict = await guard.check(url, ownHosts);
  if (verdict.kind === "refused") throw refusalOf(verdict, url);
  if (verdict.kind === "not_found") {
    throw new AppError("SCRAPE_DNS_RESOLUTION_ERROR", `The host name ${verdict.hostname} does not resolve`);
  }
}

function refusalOf({ reason }: { reason: string }, url: string): AppError {
  return new AppError("SAFE_MODE_BLOCKED", `${reason}, so ${url} is not loaded`);
}

/** Waits for work that cannot be aborted. @throws the signal's reason when it is aborted first */
async function untilAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function toInit(hop: Hop, { signal, cookie }: { signal: AbortSignal; cookie: string | undefined }): RequestInit {
  const headers = cookie === undefined ? hop.headers : { ...withoutCookie(hop.headers), cookie };
  // Without `no-store`, `fetch` reads through the cache of the Worker's zone: a file may be hours old.
  const init: RequestInit = { method: hop.method, headers, redirect: "manual", cache: "no-store", signal };
  if (hop.body !== undefined) init.body = hop.body;
  return init;
}

const NO_COOKIES: ReadonlyMap<string, string> = new Map();

/**
 * Cookies that are set along a chain of redirects and sent back to the origin that set them: many sites redirect until
 * their cookie is sent back. They live for one request. Cookies of a profile are sent to the URLs that they belong to;
 * those that the site has set again are replaced.
 */
class CookieJar {
  readonly #byOrigin = new Map<string, Map<string, string>>();
  readonly #profile: readonly ProfileCookie[];

  constructor(profile: readonly ProfileCookie[]) {
    this.#profile = profile;
  }

  keep(url: string, setCookies: string[]): void {
    const { origin } = new URL(url);
    const jar = this.#byOrigin.get(origin) ?? new Map<string, string>();
    for (const [pair, label, value] of setCookies.map((line) => /^([^=;]+)=([^;]*)/.exec(line) ?? [])) {
      if (pair === undefined || label === undefined || value === undefined) continue;
      if (pair.length > MAX_COOKIE_CHARS || (jar.size >= MAX_COOKIES && !jar.has(label.trim()))) continue;
      this.#byOrigin.set(origin, jar.set(label.trim(), value.trim()));
    }
  }

  /** Returns the `Cookie` header of a hop, the caller's own cookies first; undefined when there is nothing to add. */
  headerFor({ url, headers }: Hop, nowMs: number): string | undefined {
    const jar = this.#byOrigin.get(new URL(url).origin) ?? NO_COOKIES;
    const saved = this.#profile.length === 0 ? [] : cookiesFor(this.#profile, url, nowMs);
    if (jar.size === 0 && saved.length === 0) return undefined;
    const own = Object.entries(headers).find(([label]) => label.toLowerCase() === "cookie")?.[1];
    return [
      ...(own === undefined ? [] : [own]),
      ...saved.filter(({ name }) => !jar.has(name)).map(({ name, value }) => `${name}=${value}`),
      ...[...jar].map(([label, value]) => `${label}=${value}`),
    ].join("; ");
  }
}

function withoutCookie(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([label]) => label.toLowerCase() !== "cookie"));
}

/** Returns the hop after a redirect (RFC 9110 § 15.4): 303, and by custom 301 and 302, become a GET without body. */
function nextHop(hop: Hop, status: number, location: string): Hop {
  const target = URL.parse(location, hop.url);
  if (target === null) throw new AppError("SCRAPE_REDIRECT_ERROR", "The page redirects to an invalid URL");
  const sameOrigin = target.origin === new URL(hop.url).origin;
  const repeats = status === 307 || status === 308;
  return {
    url: target.href,
    method: repeats ? hop.method : "GET",
    headers: sameOrigin ? hop.headers : portableHeaders(hop.headers),
    body: repeats && sameOrigin ? hop.body : undefined,
  };
}

function toAppError(error: unknown, signal: AbortSignal): AppError {
  if (isAppError(error)) return error;
  if (signal.aborted) return new AppError("SCRAPE_TIMEOUT", undefined, { cause: error });
  // The runtime hides some causes behind a random reference, whose letters carry no meaning.
  const message = String(error instanceof Error ? error.message : error).replace(/reference = \w+/, "");
  if (/certificate|TLS|SSL/i.test(message)) return new AppError("SCRAPE_SSL_ERROR", undefined, { cause: error });
  if (/DNS|getaddrinfo|ENOTFOUND/i.test(message)) {
    return new AppError("SCRAPE_DNS_RESOLUTION_ERROR", undefined, { cause: error });
  }
  return new AppError("SCRAPE_SITE_ERROR", "The site did not answer: the connection was refused, reset or lost", {
    cause: error,
  });
}

function failed(error: AppError): Extract<OutboundOutcome, { kind: "failed" }> {
  const { code, message, cause, details } = error;
  const edgeNumber = typeof details === "number" ? { edgeNumber: details } : {};
  const status = details instanceof TooLargeBody ? { statusCode: details.statusCode } : {};
  return { kind: "failed", code, message, cause, ...edgeNumber, ...status };
}
