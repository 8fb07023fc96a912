import { APICallError } from "ai";

/** Statuses of Workers AI's own codes (developers.cloudflare.com/workers-ai/platform/errors). */
const STATUSES: Record<string, number> = {
  3003: 400, 3006: 413, 3007: 408, 3008: 408, 3023: 403, 3036: 429, 3039: 400, 3040: 429, 3041: 403, 3042: 404,
  5004: 400, 5005: 405, 5007: 400, 5016: 403, 5018: 403, 5019: 405,
}; // prettier-ignore
/** The account's allowance of the day is used up: to ask again is of no use before tomorrow. */
const ALLOWANCE_USED_UP = "3036";
const NO_JSON_MODE = /json mode/i;

/**
 * The Workers AI binding as the rest of this folder knows servers: it ends with a signal, which the binding itself knows
 * nothing of, and its failures have statuses. They say nothing of what was asked, since messages may hold parts of it.
 */
export function watchedBinding(ai: Ai, signal: AbortSignal): Ai {
  const run = async (...request: Parameters<Ai["run"]>): Promise<unknown> => {
    signal.throwIfAborted();
    // What the binding throws before it has asked anything counts as its failure too.
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

/** The runtime throws `code: description`; what has no code is taken for a connection that failed. */
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
