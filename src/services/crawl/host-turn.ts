import { hostOf } from "../../core/crawl/dispatch.ts";
import { HOLD_MS } from "../../core/crawl/host-throttle.ts";
import type { Deps } from "../deps.ts";

/** A page that is to be requested when its host allows it. */
interface TurnRequest {
  url: string;
  /** Delay that the host asks for, in ms. */
  delayMs: number;
  /** Delay that the caller asks for, in ms. Default: none. */
  ownDelayMs?: number | undefined;
  /** The key that asks for the page. */
  keyId: string;
  /** Ms since the epoch. */
  untilMs: number;
}

/**
 * Waits for the turn of a page at its host, which is then reserved.
 * @returns false, and does not wait, when the turn is not before `untilMs`.
 */
export async function waitForTurn(
  { hostThrottle, clock, sleep }: Pick<Deps, "hostThrottle" | "clock" | "sleep">,
  { url, delayMs, ownDelayMs, keyId, untilMs }: TurnRequest,
): Promise<boolean> {
  for (;;) {
    const askedAtMs = clock.now();
    const [atMs = 0] = await hostThrottle.reserve(hostOf(url), 1, { delayMs, ownDelayMs, keyId });
    if (atMs >= untilMs) return false;
    const waitMs = atMs - clock.now();
    if (waitMs > 0) await sleep(waitMs);
    // A time further ahead was not reserved, and may belong to another page.
    if (atMs <= askedAtMs + HOLD_MS) return true;
  }
}
