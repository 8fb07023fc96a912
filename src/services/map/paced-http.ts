import type { Http, OutboundOutcome } from "../../ports/outbound/http.ts";
import type { Deps } from "../deps.ts";
import { waitForTurn } from "../crawl/host-turn.ts";

interface Pace {
  /** Time between two requests of the caller to a host; other keys do not wait for it. */
  ownDelayMs: number;
  keyId: string;
  /** Ms since the epoch after which no request begins. */
  untilMs: number;
  /** Ms since the epoch at which each request has ended. */
  endMs: number;
}

/** Message of a request that was not sent. */
export const NO_TIME = "the delay left no time for it";

/** Sends requests one at a time, with a delay between two to the same host; without a delay all at once. */
export function pacedHttp(
  deps: Pick<Deps, "http" | "hostThrottle" | "clock" | "sleep">,
  { ownDelayMs, keyId, untilMs, endMs }: Pace,
): Http {
  if (ownDelayMs <= 0) return deps.http;
  let last: Promise<unknown> = Promise.resolve();
  const send: Http["request"] = async (request) => {
    const timeoutMs = request.deadlineMs - deps.clock.now();
    const before = last.catch(() => undefined);
    const sent = before.then(async (): Promise<OutboundOutcome> => {
      if (!(await waitForTurn(deps, { url: request.url, delayMs: 0, ownDelayMs, keyId, untilMs })))
        return { kind: "failed", code: "SCRAPE_TIMEOUT", message: NO_TIME };
      return await deps.http.request({ ...request, deadlineMs: Math.min(deps.clock.now() + timeoutMs, endMs) });
    });
    last = sent;
    return await sent;
  };
  return { request: send };
}
