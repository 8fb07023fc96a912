import { NEW_HOST, report, reserve, type HostState } from "../../../src/core/crawl/host-throttle.ts";
import type { HostThrottlePort } from "../../../src/ports/crawl/host-throttle.ts";
import type { Clock } from "../../../src/ports/system.ts";

/** The throttle of every host in memory. */
export function memoryHostThrottle(clock: Clock): HostThrottlePort {
  const hosts = new Map<string, HostState>();
  return {
    async reserve(host, count, options) {
      const { startsAtMs, state } = reserve(hosts.get(host) ?? NEW_HOST, { ...options, count }, clock.now());
      hosts.set(host, state);
      return startsAtMs;
    },
    async report(host, outcome) {
      hosts.set(host, report(hosts.get(host) ?? NEW_HOST, outcome, clock.now()));
    },
  };
}
