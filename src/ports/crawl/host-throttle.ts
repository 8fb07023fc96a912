import type { HostReport } from "../../core/crawl/host-throttle.ts";

export type { HostReport } from "../../core/crawl/host-throttle.ts";

/** The host throttle: spaces page requests to a host (name and port); shared by all crawls of the service. */
export interface HostThrottlePort {
  /**
   * Returns times (ms since the epoch, ascending) at which `count` pages may be requested, at least `delayMs` apart.
   * Times more than two seconds ahead are not reserved: call again at that time. The first page of a key goes at once to a
   * host that is left alone because of lost connections.
   */
  reserve(host: string, count: number, options: { delayMs: number; keyId?: string | undefined }): Promise<number[]>;
  /** Reports the outcome of a request. Required for each refusal and lost connection, and for some of the responses. */
  report(host: string, outcome: HostReport): Promise<void>;
}
