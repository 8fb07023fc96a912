import { acquire, limits } from "@cloudflare/puppeteer";
import { withConnection } from "./with-connection.ts";

const ORIGIN = "https://browser";
const DEFAULT_RETRY_MS = 10_000;
const DISPOSE_LIMIT_MS = 15_000;

/** The platform did not start a browser. */
export class LaunchError extends Error {
  /** Ms until the next try, when the platform reports too many launches. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.name = "LaunchError";
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Starts a browser and returns its session id. The platform closes it after `keepAliveMs` without a command.
 * @throws LaunchError
 */
export async function launchSession(binding: Fetcher, keepAliveMs: number): Promise<string> {
  const acquired = await acquire(binding, { keep_alive: keepAliveMs }).catch(async (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    // The library states the HTTP status in the text of its error and nowhere else.
    if (/\bcode: 429\b/.test(reason)) throw new LaunchError("Too many browsers", await nextLaunchMs(binding));
    throw new LaunchError(`The browser service started no browser: ${reason.slice(0, 300)}`);
  });
  const { sessionId } = Object(acquired) as { sessionId?: unknown };
  if (typeof sessionId !== "string") throw new LaunchError("The browser service named no session");
  return sessionId;
}

/** Returns the time until the account may start another browser, in ms. */
async function nextLaunchMs(binding: Fetcher): Promise<number> {
  const known = await limits(binding).catch(() => undefined);
  const ms = Number(known?.timeUntilNextAllowedBrowserAcquisition);
  return ms > 0 && Number.isFinite(ms) ? ms : DEFAULT_RETRY_MS;
}

/** Closes a browser. A browser that does not exist is not an error. */
export async function closeSession(binding: Fetcher, sessionId: string): Promise<void> {
  const url = `${ORIGIN}/v1/devtools/browser/${encodeURIComponent(sessionId)}`;
  const response = await binding.fetch(url, { method: "DELETE" });
  await response.body?.cancel();
}

/** Removes a context with all its pages, including pages that do not respond. @throws BrowserGoneError, CdpError */
export async function disposeContext(binding: Fetcher, sessionId: string, contextId: string): Promise<void> {
  await withConnection({ binding, sessionId, limitMs: DISPOSE_LIMIT_MS }, (connection) =>
    connection.send("Target.disposeBrowserContext", { browserContextId: contextId }),
  );
}
