import type { DeadLetterStore } from "../../ports/storage/stores.ts";

/** Creates the store of dead letters in D1: their type, never their content. It should be empty. */
export function createDeadLetterStore(db: D1Database): DeadLetterStore {
  return {
    async insert(letters) {
      if (letters.length === 0) return;
      const statement = db.prepare(
        "INSERT OR IGNORE INTO dead_letters (id, type, job_id, arrived_at_ms) VALUES (?, ?, ?, ?)",
      );
      await db.batch(
        letters.map(({ id, type, jobId, arrivedAtMs }) => statement.bind(id, type, jobId ?? null, arrivedAtMs)),
      );
    },

    async count() {
      const { results } = await db.prepare("SELECT count(*) AS letters FROM dead_letters").run<{ letters: number }>();
      return results[0]?.letters ?? 0;
    },

    async purge(arrivedBeforeMs, limit) {
      const { meta } = await db
        .prepare("DELETE FROM dead_letters WHERE id IN (SELECT id FROM dead_letters WHERE arrived_at_ms < ? LIMIT ?)")
        .bind(arrivedBeforeMs, limit)
        .run();
      return meta.changes;
    },
  };
}
