import { z } from "zod";
import { readStored } from "../../core/stored-state.ts";
import type { DeliveryKind } from "../../core/webhooks/webhook-retries.ts";
import type { DatabaseRoom } from "../../ports/storage/database-room.ts";
import type {
  WebhookDelivery,
  WebhookDeliveryStore,
  WebhookEndpoint,
  WebhookExchange,
} from "../../ports/storage/webhook-deliveries.ts";
import { packRows, selectRows } from "../json-rows.ts";

/** Deliveries of a team that are retained. */
export const MAX_DELIVERIES = 1_000;
const MAX_ENDPOINTS = 100;

const Headers = z.record(z.string(), z.string());
const Target = z.object({ url: z.string(), headers: Headers });

interface DeliveryRow {
  id: string;
  team_id: string;
  webhook_id: string;
  job_id: string | null;
  type: string;
  url: string;
  attempt: number;
  kind: DeliveryKind;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
  sent_at_ms: number;
  expires_at_ms: number;
  is_body_complete: number;
}

interface ExchangeRow extends DeliveryRow {
  target: string;
  request_headers: string;
  request_body: string;
  response_type: string | null;
  response_body: string | null;
}

const LISTED =
  "id, team_id, webhook_id, job_id, type, url, attempt, kind, status_code, error, duration_ms, sent_at_ms, expires_at_ms, is_body_complete";
const COLUMNS = `${LISTED}, target, request_headers, request_body, response_type, response_body`;

/**
 * Creates the store of webhook deliveries in D1. Reads use the primary, so that a delivery is listed at once. While the
 * database is nearly full, bodies of what was delivered are left out.
 */
export function createWebhookDeliveryStore(
  db: D1Database,
  room?: Pick<DatabaseRoom, "isNearlyFull">,
): WebhookDeliveryStore {
  const rows = async <Row>(query: string, ...values: (string | number | null)[]): Promise<Row[]> => {
    const statement = db.withSession("first-primary").prepare(query);
    const { results } = await statement.bind(...values).run<Row>();
    return results;
  };
  return {
    async insert(teamId, deliveries) {
      if (deliveries.length === 0) return;
      const insert = db.prepare(`INSERT OR IGNORE INTO webhook_deliveries (${COLUMNS}) ${selectRows(COLUMNS)}`);
      const trim = db.prepare(
        `DELETE FROM webhook_deliveries WHERE team_id = ?1 AND id <=
           (SELECT id FROM webhook_deliveries WHERE team_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
      );
      const kept = room?.isNearlyFull === true ? deliveries.map(withoutBodies) : deliveries;
      await db.batch([
        ...packRows(kept.map(toColumns)).map((rows) => insert.bind(rows)),
        trim.bind(teamId, MAX_DELIVERIES),
      ]);
    },

    async list(teamId, { before, limit, nowMs, outcome, jobId, url }) {
      const found = await rows<DeliveryRow>(
        `SELECT ${LISTED} FROM webhook_deliveries
         WHERE team_id = ?1 AND expires_at_ms > ?2 AND (?3 IS NULL OR id < ?3)
           AND (?4 IS NULL OR (kind = 'delivered') = (?4 = 'delivered'))
           AND (?5 IS NULL OR job_id = ?5) AND (?6 IS NULL OR url = ?6)
         ORDER BY id DESC LIMIT ?7`,
        teamId,
        nowMs,
        before ?? null,
        outcome ?? null,
        jobId ?? null,
        url ?? null,
        limit,
      );
      return found.map(toDelivery);
    },

    async find(teamId, id, nowMs) {
      const query = `SELECT ${COLUMNS} FROM webhook_deliveries WHERE id = ? AND team_id = ? AND expires_at_ms > ?`;
      return (await rows<ExchangeRow>(query, id, teamId, nowMs)).map(toExchange)[0];
    },

    async endpoints(teamId, nowMs) {
      return await rows<WebhookEndpoint>(
        `SELECT url, count(*) AS deliveries, sum(kind <> 'delivered') AS failed, max(sent_at_ms) AS lastSentAtMs,
           max(id) AS lastId
         FROM webhook_deliveries WHERE team_id = ? AND expires_at_ms > ? GROUP BY url ORDER BY lastId DESC LIMIT ?`,
        teamId,
        nowMs,
        MAX_ENDPOINTS,
      );
    },

    async emptyBodies(teamId, jobId) {
      await db
        .prepare(
          `UPDATE webhook_deliveries SET is_body_complete = 0, target = json_object('url', url, 'headers', json_object()),
             request_headers = '{}', request_body = '', response_type = NULL, response_body = NULL
           WHERE team_id = ? AND job_id = ?`,
        )
        .bind(teamId, jobId)
        .run();
    },

    async purge(nowMs, limit) {
      const { meta } = await db
        .prepare(
          `DELETE FROM webhook_deliveries WHERE id IN
             (SELECT id FROM webhook_deliveries WHERE expires_at_ms < ? LIMIT ?)`,
        )
        .bind(nowMs, limit)
        .run();
      return meta.changes;
    },
  };
}

/** Returns a delivery that cannot be replayed, unless it failed and may have to be. */
function withoutBodies(delivery: WebhookExchange): WebhookExchange {
  if (delivery.kind !== "delivered") return delivery;
  const target = { url: delivery.target.url, headers: {} };
  return { ...delivery, target, requestHeaders: {}, requestBody: "", response: undefined, isBodyComplete: false };
}

function toColumns(delivery: WebhookExchange): (string | number | null)[] {
  return [
    delivery.id,
    delivery.teamId,
    delivery.webhookId,
    delivery.jobId ?? null,
    delivery.type,
    delivery.url,
    delivery.attempt,
    delivery.kind,
    delivery.statusCode ?? null,
    delivery.error ?? null,
    delivery.durationMs,
    delivery.sentAtMs,
    delivery.expiresAtMs,
    delivery.isBodyComplete ? 1 : 0,
    JSON.stringify(delivery.target),
    JSON.stringify(delivery.requestHeaders),
    delivery.requestBody,
    delivery.response?.contentType ?? null,
    delivery.response?.body ?? null,
  ];
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    teamId: row.team_id,
    webhookId: row.webhook_id,
    jobId: row.job_id ?? undefined,
    type: row.type,
    url: row.url,
    attempt: row.attempt,
    kind: row.kind,
    statusCode: row.status_code ?? undefined,
    error: row.error ?? undefined,
    durationMs: row.duration_ms,
    sentAtMs: row.sent_at_ms,
    expiresAtMs: row.expires_at_ms,
    isBodyComplete: row.is_body_complete === 1,
  };
}

function toExchange(row: ExchangeRow): WebhookExchange {
  const { response_body: body, response_type: contentType } = row;
  return {
    ...toDelivery(row),
    target: readStored(Target, row.target, "webhook delivery"),
    requestHeaders: readStored(Headers, row.request_headers, "webhook delivery"),
    requestBody: row.request_body,
    response: body === null ? undefined : { contentType: contentType ?? undefined, body },
  };
}
