import type { HostReport, Wanted } from "../../core/crawl/host-throttle.ts";

export type { HostReport } from "../../core/crawl/host-throttle.ts";

/**
 * The host throttle: spaces page requests to a host (name and port). The delay that the host asks for holds for all crawls of
 * the service, in which keys take turns; the delay of a crawl, and what the pages of a key cause, such as refusals, for that key.
 */
export interface HostThrottlePort {
  /**
   * Returns times (ms since the epoch, ascending) at which `count` pages may be requested, at least `delayMs` and `ownDelayMs` apart.
   * Times more than two seconds ahead are not reserved: call again at that time.
   */
  reserve(host: string, count: number, options: Omit<Wanted, "count">): Promise<number[]>;
  /** Reports the outcome of a request. Required for each refusal and lost connection, and for some of the responses. */
  report(host: string, outcome: HostReport): Promise<void>;
}
