import { MAX_CANCELLED, type WaitingCalls } from "../../ports/storage/waiting-calls.ts";

/** Condition that a cancellation is recorded: there is a row to change, or the team has few such rows that have not expired. */
const HAS_ROOM = `EXISTS (SELECT 1 FROM waiting_calls WHERE team_id = ?1 AND session = ?2 AND request = ?3)
  OR (SELECT count(*) FROM waiting_calls WHERE team_id = ?1 AND job_path IS NULL AND expires_at_ms > ?7) < ${MAX_CANCELLED}`;

/** Creates the store of waiting calls in D1. A call and its cancellation meet in one row, whichever comes first. */
export function createWaitingCalls(db: D1Database): WaitingCalls {
  const upsert = async <Row>(
    { returned, update, condition = "true" }: { returned: string; update: string; condition?: string },
    values: (string | number | null)[],
  ) => {
    const { results } = await db
      .prepare(
        `INSERT INTO waiting_calls (team_id, session, request, job_path, is_cancelled, expires_at_ms)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ${condition}
         ON CONFLICT (team_id, session, request) DO UPDATE SET ${update} RETURNING ${returned}`,
      )
      .bind(...values)
      .run<Row>();
    return results[0];
  };
  return {
    async add({ teamId, session, request, jobPath, expiresAtMs }) {
      const row = await upsert<{ is_cancelled: number }>(
        { returned: "is_cancelled", update: "job_path = excluded.job_path" },
        [teamId, session, request, jobPath, 0, expiresAtMs],
      );
      return row?.is_cancelled === 1;
    },
    async cancel({ teamId, session, request, nowMs, expiresAtMs }) {
      const change = { returned: "job_path", update: "is_cancelled = 1", condition: HAS_ROOM };
      const values = [teamId, session, request, null, 1, expiresAtMs, nowMs];
      const row = await upsert<{ job_path: string | null }>(change, values);
      return row?.job_path ?? undefined;
    },
    async delete({ teamId, session, request }) {
      await db
        .prepare("DELETE FROM waiting_calls WHERE team_id = ? AND session = ? AND request = ?")
        .bind(teamId, session, request)
        .run();
    },
    async endSession({ teamId, session }, limit) {
      const { results } = await db
        .prepare(
          `DELETE FROM waiting_calls WHERE (team_id, session, request) IN
             (SELECT team_id, session, request FROM waiting_calls WHERE team_id = ? AND session = ? LIMIT ?)
           RETURNING job_path`,
        )
        .bind(teamId, session, limit)
        .run<{ job_path: string | null }>();
      return results.flatMap(({ job_path: path }) => path ?? []);
    },
    async purge(nowMs, limit) {
      const { meta } = await db
        .prepare(
          `DELETE FROM waiting_calls WHERE (team_id, session, request) IN
             (SELECT team_id, session, request FROM waiting_calls WHERE expires_at_ms < ? LIMIT ?)`,
        )
        .bind(nowMs, limit)
        .run();
      return meta.changes;
    },
  };
}
