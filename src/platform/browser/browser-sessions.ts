import { CdpConnection } from "./cdp-connection.ts";

const ORIGIN = "https://browser";
const DEFAULT_RETRY_AFTER_SECONDS = 10;

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
  const response = await binding.fetch(`${ORIGIN}/v1/devtools/browser?keep_alive=${keepAliveMs}`, { method: "POST" });
  const text = await response.text();
  if (response.status === 429) throw new LaunchError("Too many browsers", retryAfterMs(response));
  if (!response.ok) throw new LaunchError(`The browser service answered ${response.status}: ${text.slice(0, 300)}`);
  const { sessionId } = JSON.parse(text) as { sessionId?: unknown };
  if (typeof sessionId !== "string") throw new LaunchError("The browser service named no session");
  return sessionId;
}

/** Returns the `Retry-After` header, which is in seconds or a date (RFC 9110 § 10.2.3), as ms from now. */
function retryAfterMs(response: Response): number {
  const value = response.headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return 1000 * (Number.isFinite(seconds) ? Math.max(0, seconds) : DEFAULT_RETRY_AFTER_SECONDS);
}

/** Closes a browser. A browser that does not exist is not an error. */
export async function closeSession(binding: Fetcher, sessionId: string): Promise<void> {
  const url = `${ORIGIN}/v1/devtools/browser/${encodeURIComponent(sessionId)}`;
  const response = await binding.fetch(url, { method: "DELETE" });
  await response.body?.cancel();
}

/** Removes a context with all its pages, including pages that do not respond. */
export async function disposeContext(binding: Fetcher, sessionId: string, contextId: string): Promise<void> {
  const connection = await CdpConnection.open(binding, sessionId);
  try {
    await connection.send("Target.disposeBrowserContext", { browserContextId: contextId });
  } finally {
    connection.close();
  }
}
