import type { Meter } from "../../core/account/meter.ts";
import type { DeadLetterStore } from "../../ports/storage/stores.ts";

/** Creates the store of dead letters in D1: their type, never their content. It should be empty. */
export function createDeadLetterStore(db: D1Database, meter: Meter): DeadLetterStore {
  return {
    async insert(letters) {
      if (letters.length === 0) return;
      const statement = db.prepare("INSERT OR IGNORE INTO dead_letters VALUES (?, ?, ?, ?)");
      const results = await db.batch(
        letters.map(({ id, type, jobId, arrivedAtMs }) => statement.bind(id, type, jobId ?? null, arrivedAtMs)),
      );
      for (const { meta } of results) meter.add("d1RowsWritten", meta.rows_written);
    },

    async count() {
      const { results, meta } = await db
        .prepare("SELECT count(*) AS letters FROM dead_letters")
        .run<{ letters: number }>();
      meter.add("d1RowsRead", meta.rows_read);
      return results[0]?.letters ?? 0;
    },

    async purge(arrivedBeforeMs, limit) {
      const { meta } = await db
        .prepare("DELETE FROM dead_letters WHERE id IN (SELECT id FROM dead_letters WHERE arrived_at_ms < ? LIMIT ?)")
        .bind(arrivedBeforeMs, limit)
        .run();
      meter.add("d1RowsWritten", meta.rows_written);
      return meta.changes;
    },
  };
}
