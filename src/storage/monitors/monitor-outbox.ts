import { readStored } from "../../core/stored-state.ts";
import { EVENT_HOLD_MS, webhookRetryDelaysMs } from "../../core/webhooks/webhook-retries.ts";
import { EventContent, type OutboxEntry } from "../../ports/crawl/frontier.ts";
import type { MonitorEvent, MonitorOutbox } from "../../ports/monitors.ts";
import type { MonitorDatabase, Statement } from "./monitor-database.ts";

interface EventRow {
  id: number;
  webhook_id: string;
  event: MonitorEvent["event"];
  content: string;
  attempts: number;
}

/** Returns the statement that posts an event in the batch of its change; its condition prevents a repeated post. */
export function postEvent(
  { event, checkId, monitorId, nowMs }: { event: MonitorEvent; checkId: string; monitorId: string; nowMs: number },
  [condition, values]: Statement,
): Statement {
  const content = JSON.stringify({ data: event.data });
  return [
    `INSERT INTO monitor_events (check_id, monitor_id, webhook_id, event, content, attempts, due_at_ms, lost)
       SELECT ?, ?, ?, ?, ?, 0, ?, 0 WHERE ${condition}`,
    [checkId, monitorId, event.webhookId, event.event, content, nowMs, ...values],
  ];
}

/** Characters of the contents that are taken at a time, unless one event alone has more: many checks are sent at once. */
const MAX_TAKEN_CHARS = 2_000_000;

/** Takes the first due events of a check, at least one, and hides them until another time. */
const TAKE = `UPDATE monitor_events SET due_at_ms = ? WHERE id IN
    (SELECT id FROM
      (SELECT id, row_number() OVER (ORDER BY id) AS place, sum(length(content)) OVER (ORDER BY id) AS chars FROM
        (SELECT id, content FROM monitor_events WHERE check_id = ? AND lost = 0 AND due_at_ms <= ? ORDER BY id LIMIT ?))
    WHERE place = 1 OR chars <= ?)
  RETURNING id, webhook_id, event, content, attempts`;

/** Takes the notes as JSON. A deleted event's number is given to a later one, which has another webhook id. */
const DELETE_DELIVERED = `DELETE FROM monitor_events WHERE (id, webhook_id) IN
  (SELECT value ->> 'entryId', value ->> 'webhookId' FROM json_each(?))`;

/** Takes the time and the notes as JSON, each with the delays of its retries; the number of attempts chooses among them. */
const SCHEDULE_AGAIN = `UPDATE monitor_events SET attempts = attempts + 1, due_at_ms = ? + coalesce(note.delay_ms, 0),
    lost = note.delay_ms IS NULL
  FROM (SELECT event.id AS entry_id, json_extract(value, '$.delaysMs[' || event.attempts || ']') AS delay_ms
    FROM json_each(?) JOIN monitor_events AS event ON event.id = value ->> 'entryId' AND webhook_id = value ->> 'webhookId'
      AND event.attempts = coalesce(value ->> 'attempts', event.attempts)
  ) AS note
  WHERE monitor_events.id = note.entry_id`;

/** Creates the outbox of checks in D1: delivered events are deleted, those given up are stored with their check. */
export function createMonitorOutbox({ rows, write }: MonitorDatabase): MonitorOutbox {
  return {
    async takeEvents(checkId, nowMs, limit) {
      const taken = await rows<EventRow>(TAKE, nowMs + EVENT_HOLD_MS, checkId, nowMs, limit, MAX_TAKEN_CHARS);
      return taken.toSorted((one, other) => one.id - other.id).map(toEntry);
    },
    async noteSent(notes, nowMs) {
      const delivered = notes.filter(({ kind }) => kind === "delivered");
      const others = notes.flatMap(({ kind, ...event }) =>
        kind === "delivered" ? [] : [{ ...event, delaysMs: webhookRetryDelaysMs(kind) }],
      );
      const statements: Statement[] = [];
      if (delivered.length > 0) statements.push([DELETE_DELIVERED, [JSON.stringify(delivered)]]);
      if (others.length > 0) statements.push([SCHEDULE_AGAIN, [nowMs, JSON.stringify(others)]]);
      if (statements.length > 0) await write(...statements);
    },
    async replayEvents(checkId, webhookIds, nowMs) {
      const wanted = webhookIds === undefined ? null : JSON.stringify(webhookIds);
      const query = `UPDATE monitor_events SET lost = 0, attempts = 0, due_at_ms = ? WHERE check_id = ? AND lost = 1
        AND (? IS NULL OR webhook_id IN (SELECT value FROM json_each(?))) RETURNING webhook_id`;
      const replayed = await rows<{ webhook_id: string }>(query, nowMs, checkId, wanted, wanted);
      return replayed.map(({ webhook_id: webhookId }) => webhookId);
    },
    async dropEvents(checkId) {
      await write(["DELETE FROM monitor_events WHERE check_id = ?", [checkId]]);
    },
    async checksWithEvents(nowMs, limit) {
      // Without the hint, DISTINCT makes SQLite read all events in the order of their checks.
      const query = `SELECT DISTINCT check_id FROM monitor_events INDEXED BY monitor_events_due
        WHERE lost = 0 AND due_at_ms <= ? LIMIT ?`;
      return (await rows<{ check_id: string }>(query, nowMs, limit)).map(({ check_id: id }) => id);
    },
  };
}

function toEntry(row: EventRow): OutboxEntry {
  return {
    entryId: row.id,
    webhookId: row.webhook_id,
    event: row.event,
    content: readStored(EventContent, row.content, "webhook event"),
    contentChars: row.content.length,
    attempts: row.attempts,
  };
}
