import type { FailedWebhook, FailedWebhookStore } from "../../ports/storage/stores.ts";
import { packRows, selectRows } from "../json-rows.ts";

interface FailedWebhookRow {
  webhook_id: string;
  team_id: string;
  job_id: string;
  type: string;
  url: string;
  attempts: number;
  status_code: number | null;
  error: string;
  failed_at_ms: number;
  expires_at_ms: number;
}

const COLUMNS = "webhook_id, team_id, job_id, type, url, attempts, status_code, error, failed_at_ms, expires_at_ms";

/** Creates the store of failed webhooks of all jobs in D1. A row is written only for a permanent failure. */
export function createFailedWebhookStore(db: D1Database): FailedWebhookStore {
  const read = async (query: D1PreparedStatement): Promise<FailedWebhook[]> => {
    const { results } = await query.run<FailedWebhookRow>();
    return results.map(toFailedWebhook);
  };

  return {
    async insert(webhooks) {
      if (webhooks.length === 0) return;
      const insert = db.prepare(`INSERT OR REPLACE INTO failed_webhooks (${COLUMNS}) ${selectRows(COLUMNS)}`);
      await db.batch(packRows(webhooks.map(toColumns)).map((rows) => insert.bind(rows)));
    },

    /** Newest first, from the primary, so that a replayed event disappears at once. */
    async list(teamId, { before, limit, nowMs }) {
      return await read(
        db
          .withSession("first-primary")
          .prepare(
            `SELECT ${COLUMNS} FROM failed_webhooks
             WHERE team_id = ? AND expires_at_ms > ? AND (failed_at_ms, webhook_id) < (?, ?)
             ORDER BY failed_at_ms DESC, webhook_id DESC LIMIT ?`,
          )
          .bind(teamId, nowMs, before?.failedAtMs ?? Number.MAX_SAFE_INTEGER, before?.webhookId ?? "", limit),
      );
    },

    async find(teamId, webhookId) {
      const found = await read(
        db
          .withSession("first-primary")
          .prepare(`SELECT ${COLUMNS} FROM failed_webhooks WHERE webhook_id = ? AND team_id = ?`)
          .bind(webhookId, teamId),
      );
      return found[0];
    },

    async remove(webhookIds, failedUntilMs) {
      if (webhookIds.length === 0) return;
      await db
        .prepare(
          "DELETE FROM failed_webhooks WHERE webhook_id IN (SELECT value FROM json_each(?)) AND failed_at_ms <= ?",
        )
        .bind(JSON.stringify(webhookIds), failedUntilMs)
        .run();
    },

    async purge(nowMs, limit) {
      const { meta } = await db
        .prepare(
          `DELETE FROM failed_webhooks WHERE webhook_id IN
               (SELECT webhook_id FROM failed_webhooks WHERE expires_at_ms < ? LIMIT ?)`,
        )
        .bind(nowMs, limit)
        .run();
      return meta.changes;
    },
  };
}

function toColumns(webhook: FailedWebhook): (string | number | null)[] {
  return [
    webhook.webhookId,
    webhook.teamId,
    webhook.jobId,
    webhook.type,
    webhook.url,
    webhook.attempts,
    webhook.statusCode ?? null,
    webhook.error,
    webhook.failedAtMs,
    webhook.expiresAtMs,
  ];
}

function toFailedWebhook(row: FailedWebhookRow): FailedWebhook {
  return {
    webhookId: row.webhook_id,
    teamId: row.team_id,
    jobId: row.job_id,
    type: row.type,
    url: row.url,
    attempts: row.attempts,
    statusCode: row.status_code ?? undefined,
    error: row.error,
    failedAtMs: row.failed_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
