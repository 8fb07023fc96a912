import { APICallError } from "ai";

/** HTTP statuses of Workers AI's own codes (developers.cloudflare.com/workers-ai/platform/errors). */
const STATUSES: Record<string, number> = {
  3003: 400, 3006: 413, 3007: 408, 3008: 408, 3023: 403, 3036: 429, 3039: 400, 3040: 429, 3041: 403, 3042: 404,
  5004: 400, 5005: 405, 5007: 400, 5016: 403, 5018: 403, 5019: 405,
}; // prettier-ignore
/** The account's daily allowance is used up: a retry is useless before tomorrow. */
const ALLOWANCE_USED_UP = "3036";
const NO_JSON_MODE = /json mode/i;

/**
 * Wraps the Workers AI binding as the other servers are used: calls end with a signal, which the binding does not
 * support, and failures have statuses. Errors contain nothing of the request, since messages may hold parts of it.
 */
export function watchedBinding(ai: Ai, signal: AbortSignal): Ai {
  const run = async (...request: Parameters<Ai["run"]>): Promise<unknown> => {
    signal.throwIfAborted();
    // Exceptions that the binding throws synchronously count as its failures too.
    const asked = Promise.resolve()
      .then(() => ai.run(...request))
      .catch((error: unknown) => {
        throw toCallError(error);
      });
    return await untilAborted(asked, signal);
  };
  // The provider calls nothing but `run`.
  return { run } as unknown as Ai;
}

async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    work.catch(() => undefined);
  }
}

/** Converts an error. The runtime throws `code: description`; an error without a code counts as a lost connection. */
function toCallError(error: unknown): APICallError {
  const text = error instanceof Error ? error.message : String(error);
  const code = /^(?:\w*Error:\s*)?(\d{4}):/.exec(text)?.[1];
  const known = code === undefined ? undefined : STATUSES[code];
  const statusCode = NO_JSON_MODE.test(text) ? 422 : (known ?? (code === undefined ? undefined : 500));
  const isPassing = statusCode === undefined || statusCode === 408 || statusCode === 429 || statusCode >= 500;
  return new APICallError({
    message: code === undefined ? "Workers AI failed" : `Workers AI failed with ${code}`,
    url: "workers-ai",
    requestBodyValues: {},
    isRetryable: isPassing && code !== ALLOWANCE_USED_UP,
    ...(statusCode === undefined ? {} : { statusCode }),
  });
}
