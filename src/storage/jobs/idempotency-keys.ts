import type { IdempotencyKeys } from "../../ports/storage/stores.ts";

interface KeyRow {
  fingerprint: string;
  work_id: string;
  lease_until_ms: number;
  answer_key: string | null;
}

/** Creates the idempotency keys in D1: one row per key, written before the work begins. */
export function createIdempotencyKeys(db: D1Database): IdempotencyKeys {
  const write = async (query: string, ...values: (string | number | null)[]): Promise<number> => {
    const { meta } = await db
      .prepare(query)
      .bind(...values)
      .run();
    return meta.changes;
  };
  return {
    async claim(request) {
      const { teamId, key, fingerprint, workId, nowMs, leaseUntilMs, forgottenBeforeMs } = request;
      const changes = await write(
        `INSERT INTO idempotency_keys (team_id, key, created_at_ms, fingerprint, work_id, lease_until_ms)
           VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (team_id, key) DO UPDATE SET created_at_ms = excluded.created_at_ms,
           fingerprint = excluded.fingerprint, work_id = excluded.work_id, lease_until_ms = excluded.lease_until_ms,
           answer_key = NULL
           WHERE created_at_ms < ?`,
        teamId,
        key,
        nowMs,
        fingerprint,
        workId,
        leaseUntilMs,
        forgottenBeforeMs,
      );
      if (changes > 0) return { isNew: true, fingerprint, workId, leaseUntilMs, responseKey: undefined };
      // Without a row the first request has failed and released the key in the meantime.
      return (await this.find({ teamId, key, forgottenBeforeMs })) ?? (await this.claim(request));
    },

    async find({ teamId, key, forgottenBeforeMs }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT fingerprint, work_id, lease_until_ms, answer_key FROM idempotency_keys
             WHERE team_id = ? AND key = ? AND created_at_ms >= ?`,
        )
        .bind(teamId, key, forgottenBeforeMs)
        .run<KeyRow>();
      const row = results[0];
      if (row === undefined) return undefined;
      return {
        isNew: false,
        fingerprint: row.fingerprint,
        workId: row.work_id,
        leaseUntilMs: row.lease_until_ms,
        responseKey: row.answer_key ?? undefined,
      };
    },

    async takeOver({ teamId, key, nowMs, leaseUntilMs }) {
      const changes = await write(
        `UPDATE idempotency_keys SET lease_until_ms = ?
           WHERE team_id = ? AND key = ? AND answer_key IS NULL AND lease_until_ms <= ?`,
        leaseUntilMs,
        teamId,
        key,
        nowMs,
      );
      return changes > 0;
    },

    async renew({ teamId, key, workId, leaseUntilMs }) {
      await write(
        `UPDATE idempotency_keys SET lease_until_ms = ?
           WHERE team_id = ? AND key = ? AND work_id = ? AND answer_key IS NULL`,
        leaseUntilMs,
        teamId,
        key,
        workId,
      );
    },

    async finish({ teamId, key, workId, responseKey }) {
      await write(
        "UPDATE idempotency_keys SET answer_key = ? WHERE team_id = ? AND key = ? AND work_id = ?",
        responseKey,
        teamId,
        key,
        workId,
      );
    },

    async release({ teamId, key, workId }) {
      await write(
        "DELETE FROM idempotency_keys WHERE team_id = ? AND key = ? AND work_id = ? AND answer_key IS NULL",
        teamId,
        key,
        workId,
      );
    },

    async purge(createdBeforeMs, limit) {
      return await write(
        `DELETE FROM idempotency_keys WHERE (team_id, key) IN
           (SELECT team_id, key FROM idempotency_keys WHERE created_at_ms < ? LIMIT ?)`,
        createdBeforeMs,
        limit,
      );
    },
  };
}
