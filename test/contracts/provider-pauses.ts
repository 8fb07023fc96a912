import { describe, expect, test } from "vitest";
import type { ProviderPauses } from "../../src/ports/search/provider-pauses.ts";

const NOW = Date.UTC(2026, 5, 15);

/** Requirements of every store of pauses. */
export function providerPausesContract(name: string, makePauses: () => ProviderPauses): void {
  describe(`${name} as a store of pauses`, () => {
    test("lists a provider until the end of its pause, which moves only later", async () => {
      const pauses = makePauses();
      const [provider, other] = [crypto.randomUUID(), crypto.randomUUID()];
      expect((await pauses.list(NOW)).has(provider)).toBe(false);
      await pauses.set(provider, NOW + 2000);
      await pauses.set(provider, NOW + 1000);
      expect((await pauses.list(NOW + 1999)).get(provider)).toBe(NOW + 2000);
      expect((await pauses.list(NOW + 2000)).has(provider)).toBe(false);
      await pauses.set(provider, NOW + 60_000);
      expect((await pauses.list(NOW + 30_000)).get(provider)).toBe(NOW + 60_000);
      expect((await pauses.list(NOW)).has(other)).toBe(false);
    });
  });
}
