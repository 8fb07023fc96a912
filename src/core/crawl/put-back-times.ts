/** Hosts whose times are held: the oldest are dropped. */
const MAX_HOSTS = 1_000;
/** Delays above this are treated as this one, as the throttle of a host treats them. */
export const MAX_DELAY_MS = 60_000;
/** Pages are put back no further ahead: delays may become shorter, and other jobs of the host end. */
const MAX_AHEAD_MS = 600_000;

interface HostTimes {
  /** Time of the page that is due with the next grant of the throttle. */
  firstMs: number;
  /** Time after those of all pages that were put back. */
  nextMs: number;
}

/**
 * Times at which a job's pages that were put back can be claimed again. Of a host with a delay one page becomes due with
 * each grant of its throttle, and not all at the first one, which would put the others back once more.
 */
export class PutBackTimes {
  readonly #hosts = new Map<string, HostTimes>();

  /**
   * Returns a time for each page of a host, in ms since the epoch.
   * @param grantsMs times of the throttle, ascending. It has not reserved them
   * @param delayMs time between two pages of the host; 0 for none
   */
  of(host: string, grantsMs: readonly number[], { delayMs, nowMs }: { delayMs: number; nowMs: number }): number[] {
    const spacingMs = Math.min(delayMs, MAX_DELAY_MS);
    if (spacingMs <= 0) return [...grantsMs];
    const times = this.#hosts.get(host) ?? { firstMs: 0, nextMs: 0 };
    const due = grantsMs.map((grantMs, place) => {
      const isFirst = place === 0 && (times.firstMs <= nowMs || grantMs + spacingMs <= times.firstMs);
      if (isFirst) times.firstMs = grantMs;
      const atMs = isFirst ? grantMs : Math.max(grantMs, Math.min(times.nextMs, nowMs + MAX_AHEAD_MS));
      times.nextMs = Math.max(times.nextMs, atMs + spacingMs);
      return atMs;
    });
    this.#hosts.delete(host);
    this.#hosts.set(host, times);
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > MAX_HOSTS && oldest !== undefined) this.#hosts.delete(oldest);
    return due;
  }
}
