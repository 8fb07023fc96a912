import { describe, expect, test } from "vitest";
import type { HostThrottlePort } from "../../src/ports/crawl/host-throttle.ts";

/** Requirements of every host throttle. `now` is its clock, in ms since the epoch. */
export function hostThrottleContract(name: string, makeThrottle: () => HostThrottlePort, now: () => number): void {
  const someHost = (): string => `${crypto.randomUUID()}.example`;

  describe(`${name} as a host throttle`, () => {
    test("spaces the requests to a host by the delay, for all callers", async () => {
      const [throttle, host] = [makeThrottle(), someHost()];
      const first = await throttle.reserve(host, 2, { delayMs: 100 });
      const second = await throttle.reserve(host, 2, { delayMs: 100 });
      const startsAtMs = [...first, ...second];
      expect(startsAtMs).toHaveLength(4);
      for (const [index, atMs] of startsAtMs.slice(1).entries()) {
        expect(atMs - (startsAtMs[index] ?? 0)).toBeGreaterThanOrEqual(100);
      }
    });

    test("spaces the requests of a key by its own delay, and delays those of no other key", async () => {
      const [throttle, host] = [makeThrottle(), someHost()];
      const options = { delayMs: 0, ownDelayMs: 30_000, keyId: "one" };
      const [first = 0, second = 0] = await throttle.reserve(host, 2, options);
      expect(second - first).toBe(30_000);
      const [held = 0] = await throttle.reserve(host, 1, options);
      expect(held - now()).toBeGreaterThan(10_000);
      const [free = Infinity] = await throttle.reserve(host, 1, { delayMs: 0, keyId: "other" });
      expect(free - now()).toBeLessThan(10_000);
    });

    test("waits for as long as the host has asked, without affecting other hosts", async () => {
      const [throttle, host] = [makeThrottle(), someHost()];
      await throttle.report(host, { statusCode: 429, retryAfterMs: 60_000 });
      const [held = 0] = await throttle.reserve(host, 1, { delayMs: 0 });
      expect(held - now()).toBeGreaterThan(30_000);
      const [free = Infinity] = await throttle.reserve(someHost(), 1, { delayMs: 0 });
      expect(free - now()).toBeLessThan(10_000);
    });

    test("lets the pages of a key wait for what that key's pages have caused alone", async () => {
      const [throttle, host] = [makeThrottle(), someHost()];
      await throttle.report(host, { keyId: "one", statusCode: 429, retryAfterMs: 60_000 });
      const [held = 0] = await throttle.reserve(host, 1, { delayMs: 0, keyId: "one" });
      expect(held - now()).toBeGreaterThan(30_000);
      const [free = Infinity] = await throttle.reserve(host, 1, { delayMs: 0, keyId: "other" });
      expect(free - now()).toBeLessThan(10_000);
    });
  });
}
