import type { EstimateStore } from "../../ports/storage/estimates.ts";

/** Creates the store of estimates in D1: one row for each team and request, until it expires. */
export function createEstimateStore(db: D1Database): EstimateStore {
  return {
    async put(teamId, fingerprint, { json, expiresAtMs }) {
      await db
        .prepare("INSERT OR REPLACE INTO estimates (team_id, fingerprint, estimate, expires_at_ms) VALUES (?, ?, ?, ?)")
        .bind(teamId, fingerprint, json, expiresAtMs)
        .run();
    },

    async find(teamId, fingerprint, nowMs) {
      const { results } = await db
        .prepare("SELECT estimate FROM estimates WHERE team_id = ? AND fingerprint = ? AND expires_at_ms > ?")
        .bind(teamId, fingerprint, nowMs)
        .run<{ estimate: string }>();
      return results[0]?.estimate;
    },

    async purge(nowMs, limit) {
      const { meta } = await db
        .prepare(
          `DELETE FROM estimates WHERE (team_id, fingerprint) IN
             (SELECT team_id, fingerprint FROM estimates WHERE expires_at_ms < ? LIMIT ?)`,
        )
        .bind(nowMs, limit)
        .run();
      return meta.changes;
    },
  };
}
