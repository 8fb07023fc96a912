import { packCall } from "../../core/packed-call.ts";
import type { BytesToRead, SharedReader } from "../../ports/sessions/code-runner.ts";

interface SharedReaderOptions {
  /** The process, by its socket: `tools/sandbox-host/bind-reader.cjs`. */
  binding: Fetcher;
  /** URL of the sandbox host, which starts and ends the process. */
  url: string;
  /** Fetches from servers that the settings name. */
  fetcher: typeof fetch;
  /** Work that goes on after the response. */
  defer(work: Promise<unknown>): void;
  /** True while pages wait for the processor. */
  isBusy(): boolean;
  /** One for the isolate. */
  state: SharedReaderState;
}

/** Eight pages are read one after another, each in some 10 ms and at most 200. A process that takes longer hangs. */
const READ_LIMIT_MS = 10_000;
/** The host gives up a process that does not start within 20 seconds. */
const HOST_LIMIT_MS = 30_000;
/** A process that did not start is asked for again after this. */
const ASK_AGAIN_MS = 5_000;
/** Time without a page after which the process may have ended, as it does after a minute without work. */
const IDLE_MS = 45_000;
/** Pages in the process at a time; the service reads further ones itself, so that no page waits for many. */
const MAX_IN_FLIGHT = 8;

/** State of the process as far as the isolate knows it. */
export interface SharedReaderState {
  isUp: boolean;
  /** Start times in ms since the epoch of the pages that are being read. Those of cancelled requests stay. */
  inFlight: Set<{ sinceMs: number }>;
  /** Time of the start, or of the latest page, in ms since the epoch. */
  usedAtMs: number;
  /** Time before which it is not asked for again, in ms since the epoch. */
  askAgainAtMs: number;
}

export function newSharedReaderState(): SharedReaderState {
  return { isUp: false, inFlight: new Set(), usedAtMs: 0, askAgainAtMs: 0 };
}

/** Reads pages in the process that a local service has for it, from when the service is busy until the process has been idle for a while. */
export function createSharedReader(options: SharedReaderOptions): SharedReader {
  const { binding, url, fetcher, defer, isBusy, state } = options;
  const start = async (): Promise<void> => {
    const response = await fetcher(`${url}/start-reader`, { signal: AbortSignal.timeout(HOST_LIMIT_MS) });
    state.isUp = (await response.text()) === "ready";
    state.usedAtMs = Date.now();
  };
  const end = async (): Promise<void> => {
    const response = await fetcher(`${url}/end-reader`, { signal: AbortSignal.timeout(HOST_LIMIT_MS) });
    await response.body?.cancel();
  };
  const ask = async ({ body, ...value }: BytesToRead): Promise<unknown> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error("The page reader did not answer in time")), READ_LIMIT_MS);
    try {
      const init = { method: "POST", body: packCall(value, body), signal: late.signal };
      const response = await binding.fetch("http://reader/", init);
      if (response.ok) return await response.json();
      await response.body?.cancel();
      throw new Error(`The page reader answered ${response.status}`);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    async read(input) {
      const nowMs = Date.now();
      state.isUp &&= nowMs - state.usedAtMs < IDLE_MS;
      if (!state.isUp) {
        if (!isBusy() || nowMs < state.askAgainAtMs) return undefined;
        state.askAgainAtMs = nowMs + ASK_AGAIN_MS;
        defer(start());
        return undefined;
      }
      const page = { sinceMs: nowMs };
      if (countInFlight(state, nowMs) >= MAX_IN_FLIGHT) return undefined;
      state.inFlight.add(page);
      state.usedAtMs = nowMs;
      try {
        return { value: await ask(input()) };
      } catch (error) {
        // It has ended, or hangs.
        if (state.isUp) defer(end());
        state.isUp = false;
        return { error };
      } finally {
        state.inFlight.delete(page);
      }
    },
  };
}

/** A cancelled request runs no `finally`, so pages are no longer counted after their limit. */
function countInFlight({ inFlight }: SharedReaderState, nowMs: number): number {
  for (const page of inFlight) if (nowMs - page.sinceMs > READ_LIMIT_MS) inFlight.delete(page);
  return inFlight.size;
}
