import type { Meter } from "../../core/account/meter.ts";
import type { ProviderPauses } from "../../ports/search/provider-pauses.ts";

/** How old what an isolate knows may be; its own news count at once. */
const FRESH_MS = 10_000;

/** What this isolate knows of the table. */
let known: { readAtMs: number; untilMs: Map<string, number> } | undefined;

/**
 * Pauses in D1, so that all isolates heed them: a row is written only when a provider says "not now", and each isolate
 * reads the few rows at most every ten seconds.
 */
export function createProviderPauses(db: D1Database, meter: Meter): ProviderPauses {
  return {
    async list(nowMs) {
      if (known === undefined || nowMs - known.readAtMs > FRESH_MS || nowMs < known.readAtMs) {
        const { results, meta } = await db
          .prepare("SELECT provider, until_ms AS untilMs FROM provider_pauses WHERE until_ms > ?")
          .bind(nowMs)
          .run<{ provider: string; untilMs: number }>();
        meter.add("d1RowsRead", meta.rows_read);
        known = { readAtMs: nowMs, untilMs: new Map(results.map(({ provider, untilMs }) => [provider, untilMs])) };
      }
      return new Map([...known.untilMs].filter(([, untilMs]) => untilMs > nowMs));
    },

    async set(provider, untilMs) {
      known?.untilMs.set(provider, Math.max(untilMs, known.untilMs.get(provider) ?? 0));
      const { meta } = await db
        .prepare(
          `INSERT INTO provider_pauses VALUES (?, ?)
           ON CONFLICT (provider) DO UPDATE SET until_ms = max(until_ms, excluded.until_ms)`,
        )
        .bind(provider, untilMs)
        .run();
      meter.add("d1RowsWritten", meta.rows_written);
    },
  };
}
