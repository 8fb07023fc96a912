import type { FrontierState, JobEvent } from "../../core/crawl/frontier.ts";
import { webhookRetryDelayMs } from "../../core/webhooks/webhook-retries.ts";
import { readStored } from "../../core/stored-state.ts";
import { EventContent, type DeliveryNote, type OutboxEntry } from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";

/** Stores an event in the transaction of the change that it reports, so that a crash loses none. */
export function post(
  { sql, state, nowMs }: { sql: Sql; state: { config: Pick<FrontierState["config"], "events"> }; nowMs: number },
  event: JobEvent,
  content: EventContent = {},
): void {
  if (!state.config.events.includes(event)) return;
  sql.rows(
    "INSERT INTO outbox (webhook_id, event, content, attempts, due_at_ms, lost) VALUES (?, ?, ?, 0, ?, 0)",
    crypto.randomUUID(),
    event,
    JSON.stringify(content),
    nowMs,
  );
}

interface OutboxRow {
  id: number;
  webhook_id: string;
  event: JobEvent;
  content: string;
  attempts: number;
}

/**
 * Bytes of the documents and contents that are taken at a time, unless one event alone has more. Each is in memory several
 * times while it is sent, and an isolate has 128 MB.
 */
const MAX_TAKEN_BYTES = 8_000_000;

/** Events of an object without the index of those that wait. */
const MANY_EVENTS = 1_000;

/**
 * Events that wait. An object has the index once a delivery has failed, so that events that were given up may stand beside
 * them, or once many wait because their receiver is slow: each row that is written costs another one.
 */
const DUE_INDEX = "CREATE INDEX IF NOT EXISTS outbox_due ON outbox (due_at_ms) WHERE lost = 0";

/** Returns due events, at least one if any is due, and hides them from other callers for `holdMs`. */
export function takeDueEvents(
  sql: Sql,
  { limit, nowMs, holdMs }: { limit: number; nowMs: number; holdMs: number },
): OutboxEntry[] {
  // The sign makes the subquery use the index: the events that were given up come first in the order of the table.
  const due = sql.rows<{ id: number }>(
    `SELECT id FROM outbox WHERE lost = 0 AND due_at_ms <= ?1
       AND id >= (SELECT min(+id) FROM outbox WHERE lost = 0 AND due_at_ms <= ?1) ORDER BY id LIMIT ?2`,
    nowMs,
    limit,
  );
  if (due.length === limit && holdsMany(sql)) sql.rows(DUE_INDEX);
  const entries: OutboxEntry[] = [];
  let bytes = 0;
  for (const { id } of due) {
    const [row] = sql.rows<OutboxRow>("SELECT id, webhook_id, event, content, attempts FROM outbox WHERE id = ?", id);
    if (row === undefined) continue;
    const entry = toEntry(row);
    bytes += row.content.length + (entry.content.document?.length ?? 0);
    if (entries.length > 0 && bytes > MAX_TAKEN_BYTES) break;
    entries.push(entry);
  }
  if (entries.length > 0) {
    sql.rows(
      "UPDATE outbox SET due_at_ms = ? WHERE id IN (SELECT value FROM json_each(?))",
      nowMs + holdMs,
      JSON.stringify(entries.map(({ entryId }) => entryId)),
    );
  }
  return entries;
}

/** Reports whether many events were stored since the oldest one that is there. Reads two rows. */
function holdsMany(sql: Sql): boolean {
  const [row] = sql.rows<{ span: number | null }>(
    "SELECT (SELECT max(id) FROM outbox) - (SELECT min(id) FROM outbox) AS span",
  );
  return (row?.span ?? 0) >= MANY_EVENTS;
}

/**
 * Records delivery outcomes: deletes delivered events, schedules retries, and retains events given up for a replay. An
 * outcome that is reported again counts no attempt, and finds no event once it is deleted, also when another one has its number.
 */
export function noteSent(sql: Sql, sent: readonly DeliveryNote[], nowMs: number): void {
  if (sent.some(({ kind }) => kind !== "delivered")) sql.rows(DUE_INDEX);
  for (const { entryId, webhookId, kind, attempts } of sent) {
    if (kind === "delivered") {
      sql.rows("DELETE FROM outbox WHERE id = ? AND webhook_id = ?", entryId, webhookId);
      continue;
    }
    const [row] = sql.rows<{ attempts: number }>(
      "SELECT attempts FROM outbox WHERE id = ? AND webhook_id = ?",
      entryId,
      webhookId,
    );
    if (row === undefined || row.attempts !== (attempts ?? row.attempts)) continue;
    const delayMs = webhookRetryDelayMs(kind, row.attempts);
    sql.rows(
      "UPDATE outbox SET attempts = attempts + 1, due_at_ms = ?, lost = ? WHERE id = ? AND webhook_id = ?",
      nowMs + (delayMs ?? 0),
      delayMs === undefined ? 1 : 0,
      entryId,
      webhookId,
    );
  }
}

/**
 * Schedules events that were given up and resets their attempts: the named ones, or all of them.
 * @returns their webhook ids.
 */
export function replayLost(sql: Sql, webhookIds: readonly string[] | undefined, nowMs: number): string[] {
  const rows = sql.rows<{ webhook_id: string }>(
    `UPDATE outbox SET lost = 0, attempts = 0, due_at_ms = ?1
     WHERE lost = 1 AND (?2 IS NULL OR webhook_id IN (SELECT value FROM json_each(?2))) RETURNING webhook_id`,
    nowMs,
    webhookIds === undefined ? null : JSON.stringify(webhookIds),
  );
  return rows.map(({ webhook_id }) => webhook_id);
}

/** Returns the time of the next due event; undefined when none waits. */
export function nextEventMs(sql: Sql): number | undefined {
  const [row] = sql.rows<{ due: number | null }>("SELECT min(due_at_ms) AS due FROM outbox WHERE lost = 0");
  return row?.due ?? undefined;
}

function toEntry(row: OutboxRow): OutboxEntry {
  return {
    entryId: row.id,
    webhookId: row.webhook_id,
    event: row.event,
    content: readStored(EventContent, row.content, "webhook event"),
    contentChars: row.content.length,
    attempts: row.attempts,
  };
}
