import { AISDKError, APICallError, RetryError } from "ai";
import { EGRESS_FAILURE_HEADER, toEgressFailure, type EgressFailure } from "../../core/egress-failure.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { NOBODY, type Owner } from "../../core/fair-order.ts";
import type { Clock } from "../../ports/system.ts";
import type { ModelTurns } from "./model-turns.ts";

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 20_000;

/** Reasons why the egress proxy of a local service did not reach the model's server. */
const EGRESS_REASONS: Record<EgressFailure, string> = {
  refused: "the outbound policy refuses its address",
  not_found: "its host name does not exist",
  unresolved: "its host name cannot be resolved now",
  timeout: "no connection in time",
  connect: "it cannot be reached",
  reset: "the connection was reset",
  malformed: "its response is not valid HTTP",
  tls: "its TLS certificate is not accepted",
  proxy: "a proxy cannot be reached",
  proxy_denied: "a proxy refuses the user",
};
/** Failures that another try would not change. */
const FINAL_FAILURES: readonly (EgressFailure | undefined)[] = ["refused", "not_found", "tls"];

interface Asking {
  clock: Clock;
  sleep(ms: number): Promise<void>;
  deadlineMs: number;
  /** Aborted when the caller cancels; the deadline is separate. */
  signal: AbortSignal | undefined;
  /** The order of all calls; undefined where calls need not wait. */
  turns?: ModelTurns | undefined;
  owner?: Owner | undefined;
}

/**
 * Repeats a call until it succeeds: transient refusals (408, 409, 429, 5xx) and lost connections are retried after the
 * time that the server states (Retry-After, RFC 9110 § 10.2.3), or with exponential backoff, while the deadline allows
 * it. Each try waits for its turn, and a 429 with such a time has the calls of all teams wait.
 * @throws AppError `MODEL_UNAVAILABLE`, `MODEL_TIMEOUT`, or `MODEL_BAD_OUTPUT` for a response that the SDK cannot read; the reason
 * of the caller's signal
 */
export async function askAgain<Answer>(asking: Asking, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const { clock, deadlineMs, signal, turns } = asking;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const leftMs = deadlineMs - clock.now();
    if (leftMs <= 0) throw new AppError("MODEL_TIMEOUT");
    const time = AbortSignal.timeout(leftMs);
    try {
      return await takingTurns(asking, () => ask(signal === undefined ? time : AbortSignal.any([signal, time])));
    } catch (error) {
      signal?.throwIfAborted();
      if (time.aborted) throw new AppError("MODEL_TIMEOUT");
      const call = callErrorOf(error);
      if (call === undefined) throw isAppError(error) ? error : unreadable(error);
      if (call.statusCode === 429) turns?.pause(retryAfterMs(call.responseHeaders ?? {}, clock.now()) ?? 0);
      const waitMs = waitBefore(attempt, call, clock.now());
      if (waitMs === undefined || clock.now() + waitMs >= deadlineMs) throw unavailable(call);
      await untilAborted(signal, () => asking.sleep(waitMs));
    }
  }
}

async function takingTurns<Answer>(
  { clock, sleep, deadlineMs, signal, turns, owner = NOBODY }: Asking,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  if (turns === undefined) return await ask();
  const waitUntil = (timeMs: number): Promise<void> => untilAborted(signal, () => sleep(timeMs - clock.now()));
  return await turns.run({ owner, deadlineMs, signal, waitUntil }, ask);
}

/** Waits for work, but not longer than until the signal is aborted. */
async function untilAborted(signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
  if (signal === undefined) return await work();
  const done = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true, signal: done.signal });
  });
  await Promise.race([aborted, work()]).finally(() => done.abort());
}

/** Returns the failure of a call; undefined for errors that the server did not cause. */
function callErrorOf(error: unknown): APICallError | undefined {
  if (RetryError.isInstance(error)) return callErrorOf(error.lastError);
  return APICallError.isInstance(error) ? error : undefined;
}

/** Returns the error for a response in another form than the server's API has, such as none. */
function unreadable(error: unknown): AppError {
  if (AISDKError.isInstance(error)) return new AppError("MODEL_BAD_OUTPUT", undefined, { cause: error });
  const message = "The language model did not answer: its response cannot be read";
  return new AppError("MODEL_UNAVAILABLE", message, { cause: error });
}

/** Reports whether the body of a successful response broke off. What the SDK cannot read has an error of the SDK as its cause. */
function brokeOff({ statusCode = 0, cause }: APICallError): boolean {
  const isSuccess = statusCode >= 200 && statusCode < 300;
  return isSuccess && cause !== undefined && !isAppError(cause) && !AISDKError.isInstance(cause);
}

function waitBefore(attempt: number, error: APICallError, nowMs: number): number | undefined {
  if (FINAL_FAILURES.includes(egressFailureOf(error))) return undefined;
  if ((!error.isRetryable && !brokeOff(error)) || attempt >= ATTEMPTS) return undefined;
  const asked = retryAfterMs(error.responseHeaders ?? {}, nowMs);
  const usual = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
  return asked ?? usual * (1 + Math.random() / 4);
}

function retryAfterMs(headers: Record<string, string>, nowMs: number): number | undefined {
  const exact = Number(headers["retry-after-ms"]);
  if (exact > 0) return exact;
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  const waitMs = Number.isNaN(seconds) ? Date.parse(text) - nowMs : seconds * 1000;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Returns the failure that the proxy states in its own response. It removes the header from servers' responses. */
function egressFailureOf({ responseHeaders = {} }: APICallError): EgressFailure | undefined {
  return toEgressFailure(responseHeaders[EGRESS_FAILURE_HEADER]);
}

/** Returns the caller's error, with the status but without the request or the response, which may hold page text. */
function unavailable(error: APICallError): AppError {
  if (isAppError(error.cause) && error.cause.code === "MODEL_BAD_OUTPUT") return error.cause;
  if (isAppError(error.cause))
    return new AppError("MODEL_UNAVAILABLE", `The language model did not answer: ${error.cause.message}`);
  const failure = egressFailureOf(error);
  if (failure !== undefined) {
    return new AppError("MODEL_UNAVAILABLE", `The language model did not answer: ${EGRESS_REASONS[failure]}`);
  }
  const { statusCode = 0 } = error;
  // Such as the page of a proxy.
  if (statusCode >= 200 && statusCode < 300 && !brokeOff(error)) return unreadable(error);
  const isLost = error.statusCode === undefined || brokeOff(error);
  const how = isLost ? "the connection failed" : `it answered with status ${error.statusCode}`;
  const details = isLost ? {} : { details: { statusCode: error.statusCode } };
  return new AppError("MODEL_UNAVAILABLE", `The language model did not answer: ${how}`, details);
}
