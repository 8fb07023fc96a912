import type { JobSpecification, Webhook } from "../../jobs/kind.ts";
import { shownUrl } from "../../core/url/shown-url.ts";
import { EVENT_HOLD_MS, webhookRetryDelayMs, type DeliveryKind } from "../../core/webhooks/webhook-retries.ts";
import type { OutboxEntry } from "../../ports/crawl/frontier.ts";
import type { FailedWebhook } from "../../ports/storage/stores.ts";
import type { WebhookExchange } from "../../ports/storage/webhook-deliveries.ts";
import type { Deps } from "../deps.ts";
import { readPlace } from "../jobs/read-place.ts";
import { takeRoom, type DeliveryRoom } from "./delivery-room.ts";
import { sendEvent, WEBHOOK_TIMEOUT_MS } from "./send-event.ts";

const EVENTS_AT_A_TIME = 20;
/** Bytes of the documents whose events are sent together. */
const MAX_PART_BYTES = 2_000_000;
const GONE = "The data of this event are no longer stored";
/** Time after which a run sends no more events: a receiver that hangs holds each of them for its timeout. */
export const MAX_DELIVERY_MS = 60_000;

/** Time that taken events wait for room: they are sent before they are due again. */
const MAX_WAIT_MS = EVENT_HOLD_MS / 2;

/** Outbox of a job. */
export type Outbox = Pick<Deps["frontiers"], "takeEvents" | "noteSent">;

/** State of deliveries, which may change meanwhile. */
export interface Sending {
  /** Time after which no more groups of events are sent (Unix time in ms): the others stay in the outbox. */
  untilMs: number;
  /** Groups that were taken and are not sent, for the next call. Those that no call sends are due again after their hold. */
  taken: TakenGroup[];
}

/** Events that are sent together, and the time at which they were taken from the outbox (Unix time in ms). */
interface TakenGroup {
  entries: OutboxEntry[];
  takenAtMs: number;
}

/** Properties of a job that are needed to send its events. */
export type EventJob = Pick<JobSpecification, "id" | "webhook" | "createdAtMs"> & {
  key: Pick<JobSpecification["key"], "teamId">;
  kind: JobSpecification["kind"] | "monitor";
  zeroDataRetention?: boolean;
  /** Time until which the events are stored at least, when it is later than by the creation of the job. */
  expiresAtMs?: number | undefined;
};

type EventDeps = Pick<
  Deps,
  "failedWebhooks" | "webhookDeliveries" | "blobs" | "http" | "clock" | "settings" | "log" | "memory" | "sleep"
>;

/**
 * Sends the due events of a job in their order, events of pages several at a time. Events are deleted after delivery:
 * one may arrive twice, with the same `webhookId`, and none is lost. An event that is given up is added to the team's
 * list before the outbox is updated, so that a crash in between repeats the attempt. Bodies are read when there is room for
 * them among what the team holds in memory; events that find none in time stay in the outbox.
 */
export async function deliverEvents(
  deps: EventDeps,
  outbox: Outbox,
  specification: EventJob,
  sending: Sending = { untilMs: deps.clock.now() + MAX_DELIVERY_MS, taken: [] },
): Promise<void> {
  const { webhook, id } = specification;
  if (webhook === undefined) return;
  const groups = sending.taken.splice(0);
  while (deps.clock.now() < sending.untilMs) {
    if (groups.length === 0) {
      const takenAtMs = deps.clock.now();
      const taken = inOrder(await outbox.takeEvents(id, EVENTS_AT_A_TIME)).flatMap(partsOf);
      groups.push(...taken.map((entries) => ({ entries, takenAtMs })));
    }
    const [first] = groups;
    if (first === undefined) return;
    const { entries: group, takenAtMs } = first;
    // It is due again after the hold: another run may send it then, so this one does not.
    if (deps.clock.now() + WEBHOOK_TIMEOUT_MS > takenAtMs + EVENT_HOLD_MS) {
      groups.shift();
      continue;
    }
    const room = await roomForGroup(deps, { group, specification, sending, takenAtMs });
    // They are due again after their hold.
    if (room === undefined && deps.clock.now() < sending.untilMs) return;
    if (room === undefined) break;
    groups.shift();
    const sent = await deliverGroup(deps, { group, webhook, specification }, room);
    await storeDeliveries(deps, specification, sent);
    await storeFailed(deps, { sent, webhook, specification });
    await outbox.noteSent(
      id,
      sent.map(({ entry: { entryId, webhookId, attempts }, kind }) => ({ entryId, webhookId, kind, attempts })),
    );
  }
  sending.taken.push(...groups);
}

const UNORDERED: ReadonlySet<string> = new Set(["page", "page.failed", "page.removed", "action"]);

/** Groups events in the order of delivery: the first event, those in between, which have no order, and the last one. */
function inOrder(entries: OutboxEntry[]): OutboxEntry[][] {
  return [
    entries.filter(({ event }) => event === "started"),
    entries.filter(({ event }) => UNORDERED.has(event)),
    entries.filter(({ event }) => event !== "started" && !UNORDERED.has(event)),
  ].filter((group) => group.length > 0);
}

/** Splits a group whose documents are large, in its order: what a team waits for at a time keeps up its other work. */
function partsOf(group: readonly OutboxEntry[]): OutboxEntry[][] {
  const parts: OutboxEntry[][] = [];
  let partBytes = 0;
  for (const entry of group) {
    const bytes = bytesOf(entry);
    const last = parts.at(-1);
    if (last !== undefined && partBytes + bytes <= MAX_PART_BYTES) {
      last.push(entry);
      partBytes += bytes;
    } else {
      parts.push([entry]);
      partBytes = bytes;
    }
  }
  return parts;
}

function bytesOf({ content, contentChars = 0 }: OutboxEntry): number {
  return contentChars + (content.document?.length ?? 0);
}

/** Waits for room for the bodies of a group, as long as its events can still be sent before they are due again. */
async function roomForGroup(
  deps: EventDeps,
  {
    group,
    specification,
    sending,
    takenAtMs,
  }: {
    group: readonly OutboxEntry[];
    specification: EventJob;
    sending: Sending;
    takenAtMs: number;
  },
): Promise<DeliveryRoom | undefined> {
  const bytes = group.reduce((sum, entry) => sum + bytesOf(entry), 0);
  const owner = { teamId: specification.key.teamId, keyId: "" };
  const lastMs = takenAtMs + MAX_WAIT_MS;
  return await takeRoom(deps, { owner, bytes, mayWait: () => deps.clock.now() < Math.min(lastMs, sending.untilMs) });
}

interface Delivery {
  entry: OutboxEntry;
  webhook: Webhook;
  specification: EventJob;
}

interface Sent {
  entry: OutboxEntry;
  kind: DeliveryKind;
  delivery: WebhookExchange;
}

/** Stores the attempts for the list of deliveries. A failure is logged, and does not delay the events. */
async function storeDeliveries(
  { webhookDeliveries, log }: EventDeps,
  { key, id }: EventJob,
  sent: readonly Sent[],
): Promise<void> {
  const attempts = sent.map(({ delivery }) => delivery);
  await webhookDeliveries
    .insert(key.teamId, attempts)
    .catch((error: unknown) => log({ event: "webhook_deliveries_not_stored", jobId: id, message: String(error) }));
}

/** Adds events that are given up to the list, and removes those that an interrupted run added too early. */
async function storeFailed(
  { failedWebhooks, clock, settings }: EventDeps,
  { sent, webhook, specification }: Omit<Delivery, "entry"> & { sent: readonly Sent[] },
): Promise<void> {
  const failedAtMs = clock.now();
  const last = sent.filter(({ entry }) => webhookRetryDelayMs("failed", entry.attempts) === undefined);
  const arrived = last.filter(({ kind }) => kind === "delivered").map(({ entry }) => entry.webhookId);
  const lost = sent.filter(
    ({ kind, entry }) => kind !== "delivered" && webhookRetryDelayMs(kind, entry.attempts) === undefined,
  );
  await failedWebhooks.remove(arrived, failedAtMs);
  await failedWebhooks.insert(
    lost.map(({ entry, delivery: { statusCode, error = "No answer" } }): FailedWebhook => ({
      webhookId: entry.webhookId,
      teamId: specification.key.teamId,
      jobId: specification.id,
      type: typeOf(specification, entry),
      url: shownUrl(webhook.url),
      attempts: entry.attempts + 1,
      statusCode,
      error,
      failedAtMs,
      expiresAtMs: expiryOf(specification, settings),
    })),
  );
}

async function deliverGroup(
  deps: EventDeps,
  { group, ...job }: Omit<Delivery, "entry"> & { group: readonly OutboxEntry[] },
  room: DeliveryRoom,
): Promise<Sent[]> {
  try {
    const bodies = await Promise.all(group.map((entry) => bodyOf(deps, { ...job, entry })));
    // Their texts are gone.
    room.keepBodies();
    return await Promise.all(
      group.map((entry, place) => deliver(deps, { ...job, entry }, bodies[place] ?? new Uint8Array())),
    );
  } finally {
    room.release();
  }
}

async function deliver(deps: EventDeps, delivery: Delivery, body: Uint8Array): Promise<Sent> {
  const { webhook, specification, entry } = delivery;
  const sent = await sendEvent(deps, {
    teamId: specification.key.teamId,
    jobId: specification.id,
    webhookId: entry.webhookId,
    type: typeOf(specification, entry),
    target: { url: webhook.url, headers: webhook.headers },
    body,
    attempt: entry.attempts + 1,
    expiresAtMs: expiryOf(specification, deps.settings),
    hasZeroRetention: specification.zeroDataRetention === true,
  });
  const { kind, error: reason } = sent;
  if (kind !== "delivered")
    deps.log({ event: "webhook_failed", jobId: specification.id, attempt: entry.attempts + 1, reason });
  return { entry, kind, delivery: sent };
}

/**
 * Returns the payload of an event (api-contract.md, “Webhook deliveries”). The document is copied as text. One that has been
 * deleted since is an error, and no empty result.
 */
async function bodyOf(deps: EventDeps, { entry, webhook, specification }: Delivery): Promise<Uint8Array> {
  const { document, metadata, data: about } = entry.content;
  const text = document === undefined ? undefined : await readPlace(deps.blobs, document);
  const isGone = document !== undefined && text === undefined;
  const error = entry.content.error ?? (isGone ? GONE : undefined);
  const other = about ?? (metadata === undefined ? undefined : { metadata });
  const data = text ?? (other === undefined ? "" : JSON.stringify(other));
  const frame = {
    success: error === undefined,
    type: typeOf(specification, entry),
    id: specification.id,
    webhookId: entry.webhookId,
    ...(error === undefined ? {} : { error }),
    metadata: webhook.metadata,
  };
  return new TextEncoder().encode(`${JSON.stringify(frame).slice(0, -1)},"data":[${data}]}`);
}

/** Returns when the events of a job expire, in the list of those that were given up and in the list of attempts. */
function expiryOf(
  { createdAtMs, expiresAtMs = 0 }: EventJob,
  { resultRetentionMs }: Pick<Deps["settings"], "resultRetentionMs">,
): number {
  return Math.max(createdAtMs + resultRetentionMs, expiresAtMs);
}

function typeOf({ kind }: EventJob, { event }: OutboxEntry): string {
  return `${kind}.${event}`;
}
