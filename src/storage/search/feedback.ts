import type { FeedbackStore, KeptFeedback } from "../../ports/search/feedback.ts";
import { firstIdOf } from "../crawl/first-id.ts";

/** Creates the store of searches and feedback in D1. */
export function createFeedbackStore(db: D1Database): FeedbackStore {
  return {
    async insertSearch({ id, teamId, creditsUsed, createdAtMs }) {
      const insert = db.prepare(
        "INSERT OR IGNORE INTO searches (id, team_id, credits_used, created_at_ms) VALUES (?, ?, ?, ?)",
      );
      await insert.bind(id, teamId, creditsUsed, createdAtMs).run();
    },

    async findSearch(id) {
      const {
        results: [row],
      } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT id, team_id AS teamId, credits_used AS creditsUsed, created_at_ms AS createdAtMs
             FROM searches WHERE id = ?`,
        )
        .bind(id)
        .run<{ id: string; teamId: string; creditsUsed: number; createdAtMs: number }>();
      return row;
    },

    async add(feedback, cap) {
      const { teamId, endpoint, jobId, id, keyId, rating, bodyJson, creditsRefunded, createdAtMs } = feedback;
      const values = [teamId, endpoint, jobId, id, keyId, rating, bodyJson, creditsRefunded, createdAtMs];
      const [, found] = await db.batch<Omit<KeptFeedback, "isNew">>([
        db
          .prepare(
            `INSERT INTO feedback
                 (team_id, endpoint, job_id, id, key_id, rating, body, credits_refunded, created_at_ms)
               SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, min(?8, max(0, ?10 - credits)), ?9 FROM
                 (SELECT coalesce(sum(credits_refunded), 0) AS credits, count(*) AS items,
                    coalesce(sum(octet_length(body)), 0) AS bytes
                    FROM feedback WHERE team_id = ?1 AND created_at_ms >= ?11)
                 WHERE items < ?12 AND bytes < ?13
               ON CONFLICT DO NOTHING`,
          )
          .bind(...values, cap.credits, cap.sinceMs, cap.items, cap.bytes),
        db
          .prepare(
            `SELECT id, key_id AS keyId, credits_refunded AS creditsRefunded, created_at_ms AS createdAtMs
               FROM feedback WHERE team_id = ? AND endpoint = ? AND job_id = ?`,
          )
          .bind(teamId, endpoint, jobId),
      ]);
      const kept = found?.results[0];
      return kept && { ...kept, isNew: kept.id === id };
    },

    async refundedSince(teamId, sinceMs) {
      const {
        results: [row],
      } = await db
        .prepare(
          `SELECT coalesce(sum(credits_refunded), 0) AS credits FROM feedback
             WHERE team_id = ? AND created_at_ms >= ? AND credits_refunded > 0`,
        )
        .bind(teamId, sinceMs)
        .run<{ credits: number }>();
      return row?.credits ?? 0;
    },

    async purgeSearches(createdBeforeMs, limit) {
      const result = await db
        .prepare("DELETE FROM searches WHERE id IN (SELECT id FROM searches WHERE id < ? LIMIT ?)")
        .bind(firstIdOf(createdBeforeMs), limit)
        .run();
      return result.meta.changes;
    },

    async purgeFeedback(createdBeforeMs, limit) {
      const result = await db
        .prepare(
          `DELETE FROM feedback WHERE (team_id, endpoint, job_id) IN
             (SELECT team_id, endpoint, job_id FROM feedback WHERE created_at_ms < ? LIMIT ?)`,
        )
        .bind(createdBeforeMs, limit)
        .run();
      return result.meta.changes;
    },
  };
}
