import type { HostReport } from "../../core/crawl/host-throttle.ts";

export type { HostReport } from "../../core/crawl/host-throttle.ts";

/** When the pages of a host may be asked for: one gate a host (name and port), shared by all crawls of the service. */
export interface HostThrottlePort {
  /**
   * Moments (ms since the epoch, rising) at which `count` pages may be asked for, at least `delayMs` apart.
   * Those more than two seconds off are told and not taken: come back for them at their time.
   */
  reserve(host: string, count: number, options: { delayMs: number }): Promise<number[]>;
  /** Tells what came of asking. Needed for each refusal and lost connection, and for some of the answers. */
  report(host: string, outcome: HostReport): Promise<void>;
}
