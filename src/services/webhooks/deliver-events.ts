import { ERRORS } from "../../core/errors.ts";
import type { JobSpecification, Webhook } from "../../jobs/kind.ts";
import { shownUrl } from "../../core/url/shown-url.ts";
import { webhookRetryDelayMs, type DeliveryKind } from "../../core/webhooks/webhook-retries.ts";
import type { OutboxEntry } from "../../ports/crawl/frontier.ts";
import type { OutboundOutcome } from "../../ports/outbound/http.ts";
import type { FailedWebhook } from "../../ports/storage/stores.ts";
import type { Deps } from "../deps.ts";
import { SIGNATURE_HEADERS, signWebhook } from "./sign-webhook.ts";

const EVENTS_AT_A_TIME = 20;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 100_000;
const NO_SECRET = "Events are sent signed only, and this deployment has no WEBHOOK_SECRET";

/** Outbox of a job. */
export type Outbox = Pick<Deps["frontiers"], "takeEvents" | "noteSent">;

/** Properties of a job that are needed to send its events. */
export type EventJob = Pick<JobSpecification, "id" | "webhook" | "createdAtMs"> & {
  key: Pick<JobSpecification["key"], "teamId">;
  kind: JobSpecification["kind"] | "monitor";
};

type EventDeps = Pick<Deps, "failedWebhooks" | "blobs" | "http" | "clock" | "settings" | "log">;

/**
 * Sends the due events of a job in their order, events of pages several at a time. Events are deleted after delivery:
 * one may arrive twice, with the same `webhookId`, and none is lost. An event that is given up is added to the team's
 * list before the outbox is updated, so that a crash in between repeats the attempt.
 */
export async function deliverEvents(deps: EventDeps, outbox: Outbox, specification: EventJob): Promise<void> {
  const { webhook, id } = specification;
  if (webhook === undefined) return;
  for (;;) {
    const entries = await outbox.takeEvents(id, EVENTS_AT_A_TIME);
    if (entries.length === 0) return;
    for (const group of inOrder(entries)) {
      const sent = await Promise.all(group.map((entry) => deliver(deps, { entry, webhook, specification })));
      await keepFailed(deps, { sent, webhook, specification });
      await outbox.noteSent(
        id,
        sent.map(({ entry, kind }) => ({ entryId: entry.entryId, kind })),
      );
    }
  }
}

const ON_THE_WAY: ReadonlySet<string> = new Set(["page", "action"]);

/** Groups events in the order of delivery: the first event, those in between, which have no order, and the last one. */
function inOrder(entries: OutboxEntry[]): OutboxEntry[][] {
  return [
    entries.filter(({ event }) => event === "started"),
    entries.filter(({ event }) => ON_THE_WAY.has(event)),
    entries.filter(({ event }) => event !== "started" && !ON_THE_WAY.has(event)),
  ].filter((group) => group.length > 0);
}

interface Delivery {
  entry: OutboxEntry;
  webhook: Webhook;
  specification: EventJob;
}

interface Sent {
  entry: OutboxEntry;
  kind: DeliveryKind;
  statusCode?: number;
  error?: string;
}

/** Adds events that are given up to the list, and removes those that an interrupted run added too early. */
async function keepFailed(
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
    lost.map(({ entry, statusCode, error = "No answer" }): FailedWebhook => ({
      webhookId: entry.webhookId,
      teamId: specification.key.teamId,
      jobId: specification.id,
      type: typeOf(specification, entry),
      url: shownUrl(webhook.url),
      attempts: entry.attempts + 1,
      statusCode,
      error,
      failedAtMs,
      expiresAtMs: specification.createdAtMs + settings.resultRetentionMs,
    })),
  );
}

async function deliver(deps: EventDeps, delivery: Delivery): Promise<Sent> {
  const { webhook, specification } = delivery;
  const body = new TextEncoder().encode(await bodyOf(deps, delivery));
  const { entry } = delivery;
  const secret = deps.settings.webhookSecret;
  if (secret === undefined) return { entry, kind: "refused", error: NO_SECRET };
  const nowMs = deps.clock.now();
  const headers = {
    ...ownHeaders(webhook),
    "content-type": "application/json",
    ...(await signWebhook(secret, { webhookId: entry.webhookId, body, nowMs })),
  };
  const outcome = await deps.http.request({
    url: webhook.url,
    method: "POST",
    headers,
    body,
    deadlineMs: nowMs + TIMEOUT_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
    ownHosts: deps.settings.ownHosts,
  });
  const sent = sentOf(entry, outcome);
  if (sent.kind !== "delivered") {
    const { error: reason } = sent;
    deps.log({ event: "webhook_failed", jobId: specification.id, attempt: entry.attempts + 1, reason });
  }
  return sent;
}

/** Any 2xx is a success, and so is a response that is too long. A forbidden destination is not tried again. */
function sentOf(entry: OutboxEntry, outcome: OutboundOutcome): Sent {
  if (outcome.kind === "response") {
    const { statusCode } = outcome.response;
    if (statusCode >= 200 && statusCode < 300) return { entry, kind: "delivered", statusCode };
    return { entry, kind: "failed", statusCode, error: `The receiver answered ${statusCode}` };
  }
  if (outcome.code === "SCRAPE_BODY_TOO_LARGE") return { entry, kind: "delivered" };
  // The message may contain the URL with its secrets; the table's message does not.
  const { message } = ERRORS[outcome.code];
  return { entry, kind: outcome.code === "SAFE_MODE_BLOCKED" ? "refused" : "failed", error: message };
}

/** Returns the payload of an event (api-contract.md, “Webhook deliveries”). The document is copied as text. */
async function bodyOf(deps: EventDeps, { entry, webhook, specification }: Delivery): Promise<string> {
  const { document, error, metadata, data: about } = entry.content;
  const text = document === undefined ? undefined : await deps.blobs.text(document.object, document);
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
  return `${JSON.stringify(frame).slice(0, -1)},"data":[${data}]}`;
}

function typeOf({ kind }: EventJob, { event }: OutboxEntry): string {
  return `${kind}.${event}`;
}

/** Returns the caller's headers without those of the signature, which the service sets. */
function ownHeaders({ headers }: Webhook): Record<string, string> {
  const reserved: readonly string[] = SIGNATURE_HEADERS;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !reserved.includes(name.toLowerCase())));
}
