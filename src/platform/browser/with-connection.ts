import { abortable } from "./abortable.ts";
import { BrowserGoneError, CdpConnection } from "./cdp-connection.ts";

/**
 * Works with a browser until a limit, at which the signal is aborted: a connection that was opened with it is closed.
 * @throws BrowserGoneError at the limit
 */
export async function untilLimit<Value>(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new BrowserGoneError("The browser does not answer")), limitMs);
  try {
    return await abortable(work(limit.signal), limit.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Works over a separate connection, which is closed when the work ends, and at the limit.
 * @throws BrowserGoneError at the limit, and when the session cannot be reached
 */
export function withConnection<Value>(
  { binding, sessionId, limitMs }: { binding: Fetcher; sessionId: string; limitMs: number },
  work: (connection: CdpConnection) => Promise<Value>,
): Promise<Value> {
  return untilLimit(limitMs, async (signal) => {
    const connection = await CdpConnection.open(binding, sessionId, signal);
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  });
}
