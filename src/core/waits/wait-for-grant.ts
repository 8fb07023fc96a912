import { AppError } from "../errors.ts";

/** When a request stops waiting. */
export interface WaitLimit {
  /** End of the wait, in ms since the epoch. Default: none. */
  deadlineMs?: number;
  /** Aborted when the client of the request has left. */
  left?: AbortSignal | undefined;
}

/** A wait for a grant by another request of the same isolate. */
interface Wait<T> {
  /** Stores the function that grants; another request may call it, once. */
  enqueue(grant: (value: T) => void): void;
  /** Removes what `enqueue` stored; called when the wait ends without a grant. */
  withdraw(): void;
  /** Interval in ms of the waiting request's own timer. */
  everyMs: number;
  /** Runs at each interval while nothing is granted. */
  recheck(): void;
  limit?: WaitLimit | undefined;
}

/** Longest delay that timers accept. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Waits until `grant` is called. Requests of one isolate share memory, but no timers or signals: workerd ignores
 * `clearInterval` of a timer of another request, which then fires on. So a grant is a value, which the waiting request
 * reads; its timer is set and cleared by itself alone. The grant wakes it at once (compatibility flag
 * `handle_cross_request_promise_resolution`), and its timer does when that fails.
 * @throws AppError `SCRAPE_TIMEOUT` when the limit ends the wait
 */
export async function waitForGrant<T>(wait: Wait<T>): Promise<T> {
  const { enqueue, withdraw, everyMs, recheck, limit } = wait;
  assertPresent(limit);
  const granted: { value: T }[] = [];
  const byOther = Promise.withResolvers<void>();
  const byTimer = Promise.withResolvers<void>();
  const timer = setInterval(() => (granted.length > 0 ? byTimer.resolve() : recheck()), everyMs);
  const stopWatching = whenOver(limit, byTimer.resolve);
  try {
    enqueue((value) => {
      granted.push({ value });
      byOther.resolve();
    });
    await Promise.race([byOther.promise, byTimer.promise]);
  } finally {
    clearInterval(timer);
    stopWatching();
  }
  const [first] = granted;
  if (first !== undefined) return first.value;
  withdraw();
  throw new AppError("SCRAPE_TIMEOUT");
}

/**
 * Returns the result of work that cannot be stopped, or ends the wait for it at the limit.
 * @throws AppError `SCRAPE_TIMEOUT` when the limit ends the wait, and what the work throws
 */
export async function withinLimit<T>(work: Promise<T>, limit: WaitLimit | undefined): Promise<T> {
  const over = Promise.withResolvers<never>();
  const stopWatching = whenOver(limit, () => over.reject(new AppError("SCRAPE_TIMEOUT")));
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    stopWatching();
  }
}

/**
 * Refuses work whose client has left.
 * @throws AppError `SCRAPE_TIMEOUT`
 */
export function assertPresent(limit: WaitLimit | undefined): void {
  if (limit?.left?.aborted === true) throw new AppError("SCRAPE_TIMEOUT", "The client has left");
}

/** Calls `end` when the limit is reached. @returns a function that releases the timer and the signal */
function whenOver({ deadlineMs, left }: WaitLimit = {}, end: () => void): () => void {
  const delayMs = deadlineMs === undefined ? MAX_DELAY_MS : Math.max(0, deadlineMs - Date.now());
  const timer = delayMs >= MAX_DELAY_MS ? undefined : setTimeout(end, delayMs);
  if (left?.aborted === true) end();
  left?.addEventListener("abort", end, { once: true });
  return () => {
    clearTimeout(timer);
    left?.removeEventListener("abort", end);
  };
}
