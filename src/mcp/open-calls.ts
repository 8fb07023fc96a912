import { copyText } from "../core/text/copy-text.ts";

/** Header that names a client's session. */
export const SESSION_HEADER = "Mcp-Session-Id";

/** The most calls that are remembered; the oldest one is then forgotten and can no longer be cancelled. */
const MAX_CALLS = 10_000;
const MAX_ID_CHARS = 200;

/**
 * Calls that run in this instance of the Worker, by session and request. A client cancels a call with another HTTP
 * request, which finds the call here if it reaches the same instance, or in `SharedCalls` otherwise.
 */
export class OpenCalls {
  readonly #cancelled = new Map<string, boolean>();

  /** Records a call. @returns how its end is recorded, and whether it was cancelled. */
  open(session: string | null, requestId: string | number): { isCancelled(): boolean; close(): void } {
    if (session === null) return { isCancelled: () => false, close: () => undefined };
    const key = keyOf(session, requestId);
    const [oldest] = this.#cancelled.keys();
    if (this.#cancelled.size >= MAX_CALLS && oldest !== undefined) this.#cancelled.delete(oldest);
    this.#cancelled.set(key, false);
    return { isCancelled: () => this.#cancelled.get(key) === true, close: () => void this.#cancelled.delete(key) };
  }

  /** @returns false when the call does not run in this instance. */
  cancel(session: string | null, requestId: string | number | undefined): boolean {
    if (session === null || requestId === undefined) return false;
    const key = keyOf(session, requestId);
    const isHere = this.#cancelled.has(key);
    if (isHere) this.#cancelled.set(key, true);
    return isHere;
  }
}

/** Text and number ids differ. Calls whose ids differ only behind many characters count as one. */
function keyOf(session: string, requestId: string | number): string {
  return copyText(`${session.slice(0, MAX_ID_CHARS)} ${JSON.stringify(requestId).slice(0, MAX_ID_CHARS)}`);
}
