import type { Upload, UploadStore } from "../../ports/storage/stores.ts";

interface UploadRow {
  id: string;
  team_id: string;
  token_hash: string;
  file_name: string;
  content_type: string | null;
  max_bytes: number;
  state: Upload["state"];
  created_at_ms: number;
  expires_at_ms: number;
  attempt: string | null;
}

const COLUMNS = "id, team_id, token_hash, file_name, content_type, max_bytes, state, created_at_ms, expires_at_ms";

/** Creates the store of uploads in D1; their bytes are stored in R2. */
export function createUploadStore(db: D1Database): UploadStore {
  return {
    async insert(upload, { sinceMs, most }) {
      const result = await db
        .prepare(
          `INSERT INTO uploads (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?
           WHERE (SELECT count(*) FROM uploads WHERE team_id = ? AND created_at_ms > ? AND state <> 'parsed') < ?`,
        )
        .bind(
          upload.id,
          upload.teamId,
          upload.tokenHash,
          upload.fileName,
          upload.contentType ?? null,
          upload.maxBytes,
          upload.state,
          upload.createdAtMs,
          upload.expiresAtMs,
          upload.teamId,
          sinceMs,
          most,
        )
        .run();
      return result.meta.changes > 0;
    },

    async find(id) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(`SELECT ${COLUMNS}, attempt FROM uploads WHERE id = ?`)
        .bind(id)
        .run<UploadRow>();
      const row = results[0];
      return row === undefined ? undefined : toUpload(row);
    },

    async receive(id, attempt) {
      const result = await db
        .prepare("UPDATE uploads SET state = 'uploaded', attempt = ? WHERE id = ? AND state = 'issued'")
        .bind(attempt, id)
        .run();
      return result.meta.changes > 0;
    },

    async move(id, from, to) {
      const result = await db
        .prepare("UPDATE uploads SET state = ? WHERE id = ? AND state = ?")
        .bind(to, id, from)
        .run();
      return result.meta.changes > 0;
    },

    async expired(teamId, { sinceMs, nowMs, most }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${COLUMNS}, attempt FROM uploads
           WHERE team_id = ? AND created_at_ms > ? AND expires_at_ms <= ? AND state <> 'parsed' LIMIT ?`,
        )
        .bind(teamId, sinceMs, nowMs, most)
        .run<UploadRow>();
      return results.map(toUpload);
    },

    async forgetFile(id) {
      await db.prepare("UPDATE uploads SET file_name = '', content_type = NULL WHERE id = ?").bind(id).run();
    },

    async purge(createdBeforeMs, limit) {
      const { meta } = await db
        .prepare("DELETE FROM uploads WHERE id IN (SELECT id FROM uploads WHERE created_at_ms < ? LIMIT ?)")
        .bind(createdBeforeMs, limit)
        .run();
      return meta.changes;
    },
  };
}

function toUpload(row: UploadRow): Upload {
  return {
    id: row.id,
    teamId: row.team_id,
    tokenHash: row.token_hash,
    fileName: row.file_name,
    contentType: row.content_type ?? undefined,
    maxBytes: row.max_bytes,
    state: row.state,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    attempt: row.attempt ?? undefined,
  };
}
