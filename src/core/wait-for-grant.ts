/** A wait for a grant by another request of the same isolate. */
interface Wait<T> {
  /** Stores the function that grants; another request may call it, once. */
  enqueue(grant: (value: T) => void): void;
  /** Interval in ms of the waiting request's own timer. */
  everyMs: number;
  /** Runs at each interval while nothing is granted. */
  recheck(): void;
}

/**
 * Waits until `grant` is called. Requests of one isolate share memory, but no timers or signals: workerd ignores
 * `clearInterval` of a timer of another request, which then fires on. So a grant is a value, which the waiting request
 * reads; its timer is set and cleared by itself alone. The grant wakes it at once (compatibility flag
 * `handle_cross_request_promise_resolution`), and its timer does when that fails.
 */
export async function waitForGrant<T>({ enqueue, everyMs, recheck }: Wait<T>): Promise<T> {
  const granted: { value: T }[] = [];
  const byOther = Promise.withResolvers<void>();
  const byTimer = Promise.withResolvers<void>();
  const timer = setInterval(() => (granted.length > 0 ? byTimer.resolve() : recheck()), everyMs);
  try {
    enqueue((value) => {
      granted.push({ value });
      byOther.resolve();
    });
    await Promise.race([byOther.promise, byTimer.promise]);
  } finally {
    clearInterval(timer);
  }
  const [first] = granted;
  if (first === undefined) throw new Error("A wait ended without a grant");
  return first.value;
}
