import type { Meter } from "../../core/account/meter.ts";
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
}

const COLUMNS = "id, team_id, token_hash, file_name, content_type, max_bytes, state, created_at_ms, expires_at_ms";

/** Creates the store of uploads in D1; their bytes are stored in R2. */
export function createUploadStore(db: D1Database, meter: Meter): UploadStore {
  const written = ({ meta }: D1Result): number => {
    meter.add("d1RowsWritten", meta.rows_written);
    return meta.changes;
  };
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
      return written(result) > 0;
    },

    async find(id) {
      const { results, meta } = await db
        .withSession("first-primary")
        .prepare(`SELECT ${COLUMNS} FROM uploads WHERE id = ?`)
        .bind(id)
        .run<UploadRow>();
      meter.add("d1RowsRead", meta.rows_read);
      const row = results[0];
      return row === undefined ? undefined : toUpload(row);
    },

    async move(id, from, to) {
      const result = await db
        .prepare("UPDATE uploads SET state = ? WHERE id = ? AND state = ?")
        .bind(to, id, from)
        .run();
      return written(result) > 0;
    },

    async purge(createdBeforeMs, limit) {
      return written(
        await db
          .prepare("DELETE FROM uploads WHERE id IN (SELECT id FROM uploads WHERE created_at_ms < ? LIMIT ?)")
          .bind(createdBeforeMs, limit)
          .run(),
      );
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
  };
}
