import { keyOfEndpoint, keyOfSession, newOwnSessionId, overHttp, parseCdpUrls } from "../../core/own-browsers.ts";
import { logEvent } from "../log-event.ts";
import { operatorFetch } from "../outbound/egress.ts";
import { within } from "./abortable.ts";
import { BrowserGoneError, CdpError } from "./cdp-connection.ts";
import { withConnection } from "./with-connection.ts";

/** The bindings and variables that lead to browsers. */
export interface BrowserEnv {
  BROWSER?: Fetcher;
  EGRESS?: Fetcher;
  /** CDP endpoints for page loads. */
  BROWSER_CDP_URLS?: unknown;
  /** CDP endpoints for sessions, each with one session at a time. */
  BROWSER_CDP_SESSION_URLS?: unknown;
}

const ANSWER_LIMIT_MS = 5_000;
/** A dead endpoint is tried again after this time. */
const REST_MS = 5_000;
/** Of the platform's binding, without a platform: no browsers can be started. */
const NO_LIMITS = {
  activeSessions: [],
  maxConcurrentSessions: 0,
  allowedBrowserAcquisitions: 0,
  timeUntilNextAllowedBrowserAcquisition: 0,
};

/** Reports whether the settings name browsers of the operator. */
export function hasOwnBrowsers({ BROWSER_CDP_URLS, BROWSER_CDP_SESSION_URLS }: BrowserEnv): boolean {
  return [BROWSER_CDP_URLS, BROWSER_CDP_SESSION_URLS].some((urls) => listOf(urls).length > 0);
}

function listOf(value: unknown): string[] {
  return typeof value === "string" ? parseCdpUrls(value) : [];
}

/**
 * Returns the environment with a browser binding that reaches the operator's browsers as well, by the ids of their
 * sessions; the same environment where the settings name none.
 */
export function withOwnBrowsers<Env extends BrowserEnv>(env: Env): Env {
  if (!hasOwnBrowsers(env)) return env;
  const platform = env.BROWSER;
  const urls = [...listOf(env.BROWSER_CDP_URLS), ...listOf(env.BROWSER_CDP_SESSION_URLS)];
  const endpoints = new Map(urls.map((url) => [keyOfEndpoint(url), url]));
  const { fetcher } = operatorFetch(env);
  const request = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const [, id = "", path = ""] = /^\/v1\/devtools\/browser\/([^/]+)(.*)$/.exec(url.pathname) ?? [];
    const key = keyOfSession(decodeURIComponent(id));
    if (key === undefined) {
      if (platform !== undefined) return await platform.fetch(input, init);
      return url.pathname === "/v1/limits" ? Response.json(NO_LIMITS) : new Response(null, { status: 404 });
    }
    const endpoint = endpoints.get(key);
    // No setting names this browser any more.
    if (endpoint === undefined) return new Response(null, { status: 404 });
    return await askEndpoint({ endpoint, path, fetcher, ...(init?.signal && { signal: init.signal }) });
  };
  const binding = platform === undefined ? { fetch: request } : overlay(platform, request);
  return { ...env, BROWSER: binding as Fetcher };
}

/** The platform's binding with another `fetch`. */
function overlay(platform: Fetcher, request: Fetcher["fetch"]): Fetcher {
  return new Proxy(platform, {
    get(target, name): unknown {
      if (name === "fetch") return request;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}

interface EndpointRequest {
  endpoint: string;
  path: string;
  fetcher: typeof fetch;
  signal?: AbortSignal;
}

async function askEndpoint({ endpoint, path, fetcher, ...limit }: EndpointRequest): Promise<Response> {
  const base = overHttp(endpoint);
  const headers = authorizationOf(base);
  if (path.startsWith("/json/")) return await fetcher(new URL(path, base.origin).href, { headers, ...limit });
  const browser = endpoint.startsWith("http") ? await debuggerUrl(base, headers, fetcher) : base;
  const [, targetId] = /^\/page\/([^/]+)$/.exec(path) ?? [];
  if (targetId !== undefined) browser.pathname = `/devtools/page/${targetId}`;
  return await fetcher(browser.href, { headers: { ...headers, Upgrade: "websocket" }, ...limit });
}

/** Asks Chrome for the address of its browser target. Its host and port are those that it knows itself by. */
async function debuggerUrl(base: URL, headers: Record<string, string>, fetcher: typeof fetch): Promise<URL> {
  const version = new URL("/json/version", base);
  version.search = base.search;
  const response = await fetcher(version.href, { headers, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The CDP endpoint answered ${response.status}`);
  }
  const { webSocketDebuggerUrl } = Object(await response.json()) as { webSocketDebuggerUrl?: unknown };
  const found = typeof webSocketDebuggerUrl === "string" ? URL.parse(webSocketDebuggerUrl) : null;
  if (found === null) throw new Error("The CDP endpoint names no browser");
  const url = new URL(found.pathname + found.search, base.origin);
  for (const [name, value] of base.searchParams) url.searchParams.append(name, value);
  return url;
}

/** Takes user and password out of a URL, and returns them as a header. */
function authorizationOf(url: URL): Record<string, string> {
  const { username, password } = url;
  if (username === "" && password === "") return {};
  [url.username, url.password] = ["", ""];
  return { authorization: `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}` };
}

/** The operator's browsers that one pool may use. */
export class OwnBrowsers {
  readonly #keys: readonly string[];
  /** Times of failures, in ms since the epoch. */
  readonly #failedAtMs = new Map<string, number>();
  readonly #launching = new Set<string>();

  /** @param urls the setting of the pool's endpoints */
  constructor(urls: unknown) {
    this.#keys = [...new Set(listOf(urls).map(keyOfEndpoint))];
  }

  get count(): number {
    return this.#keys.length;
  }

  /**
   * Takes a browser that no session of the pool uses and that answers.
   * @param used ids of the pool's sessions
   * @returns the id of a session in it; undefined when there is none
   */
  async take(binding: Fetcher, used: readonly string[]): Promise<string | undefined> {
    const taken = new Set(used.map(keyOfSession));
    for (const key of this.#keys) {
      const restsUntilMs = (this.#failedAtMs.get(key) ?? -Infinity) + REST_MS;
      if (taken.has(key) || this.#launching.has(key) || Date.now() < restsUntilMs) continue;
      this.#launching.add(key);
      try {
        const sessionId = newOwnSessionId(key);
        if (await answers(binding, sessionId)) return sessionId;
        this.#failedAtMs.set(key, Date.now());
      } finally {
        this.#launching.delete(key);
      }
    }
    return undefined;
  }
}

async function answers(binding: Fetcher, sessionId: string): Promise<boolean> {
  try {
    await withConnection({ binding, sessionId, limitMs: ANSWER_LIMIT_MS }, (connection) =>
      connection.send("Browser.getVersion"),
    );
    return true;
  } catch (error) {
    logEvent({ event: "own_browser_failed", endpoint: keyOfSession(sessionId) ?? "", reason: String(error) });
    return false;
  }
}

/**
 * Ends a browser of the operator, whose supervisor starts it again without what a session has left in it.
 * @returns true when the browser has ended; false when it refuses, does not end in time, or cannot be reached
 */
export async function endOwnBrowser(binding: Fetcher, sessionId: string): Promise<boolean> {
  const ending = withConnection({ binding, sessionId, limitMs: 2 * ANSWER_LIMIT_MS }, async (connection) => {
    const isClosed = connection.closed.then(() => true);
    // The connection may end before the response.
    const isRefused = await connection.send("Browser.close").then(
      () => false,
      (error: unknown) => error instanceof CdpError,
    );
    return isRefused ? false : await within(isClosed, ANSWER_LIMIT_MS, false);
  });
  // The endpoint, or the browser that it named, is gone.
  return await ending.catch(
    (error: unknown) => error instanceof BrowserGoneError && (error.status === 404 || error.status === 410),
  );
}
