import type { ProviderPauses } from "../../ports/search/provider-pauses.ts";

/** Maximum age of an isolate's cached pauses; its own changes apply at once. */
const FRESH_MS = 10_000;

/** The table as cached in this isolate. */
const known = { readAtMs: -Infinity, untilMs: new Map<string, number>() };

function note(provider: string, untilMs: number): void {
  known.untilMs.set(provider, Math.max(untilMs, known.untilMs.get(provider) ?? 0));
}

/**
 * Creates the store of pauses in D1, which all isolates share: a row is written only when a provider refuses requests,
 * and each isolate reads the few rows at most every ten seconds.
 */
export function createProviderPauses(db: D1Database): ProviderPauses {
  return {
    async list(nowMs) {
      if (nowMs - known.readAtMs > FRESH_MS || nowMs < known.readAtMs) {
        const { results } = await db
          .prepare("SELECT provider, until_ms AS untilMs FROM provider_pauses WHERE until_ms > ?")
          .bind(nowMs)
          .run<{ provider: string; untilMs: number }>();
        known.readAtMs = nowMs;
        for (const [provider, untilMs] of known.untilMs) if (untilMs <= nowMs) known.untilMs.delete(provider);
        // A pause that was set while the table was read may be missing in what was read.
        for (const { provider, untilMs } of results) note(provider, untilMs);
      }
      return new Map([...known.untilMs].filter(([, untilMs]) => untilMs > nowMs));
    },

    async set(provider, untilMs) {
      note(provider, untilMs);
      await db
        .prepare(
          `INSERT INTO provider_pauses (provider, until_ms) VALUES (?, ?)
           ON CONFLICT (provider) DO UPDATE SET until_ms = max(until_ms, excluded.until_ms)`,
        )
        .bind(provider, untilMs)
        .run();
    },
  };
}
