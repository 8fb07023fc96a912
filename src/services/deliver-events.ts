import { toHex } from "../core/hash.ts";
import type { JobSpecification, Webhook } from "../jobs/kind.ts";
import type { OutboxEntry } from "../ports/frontier.ts";
import type { Deps } from "./deps.ts";

const EVENTS_AT_A_TIME = 20;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 100_000;

type EventDeps = Pick<Deps, "frontiers" | "blobs" | "http" | "clock" | "settings" | "log">;

/**
 * Sends the events of a job that are due, in their order, those of pages several at a time. Events are deleted when they
 * have arrived: one may arrive twice, with the same `webhookId`, and none is lost.
 */
export async function deliverEvents(deps: EventDeps, specification: JobSpecification): Promise<void> {
  const { webhook, id } = specification;
  if (webhook === undefined) return;
  for (;;) {
    const entries = await deps.frontiers.takeEvents(id, EVENTS_AT_A_TIME);
    if (entries.length === 0) return;
    for (const group of inOrder(entries)) {
      const sent = await Promise.all(
        group.map(async (entry) => ({
          entryId: entry.entryId,
          isDelivered: await deliver(deps, { entry, webhook, specification }),
        })),
      );
      await deps.frontiers.noteSent(id, sent);
    }
  }
}

/** The first event comes first and the last one last; pages have no order among themselves. */
function inOrder(entries: OutboxEntry[]): OutboxEntry[][] {
  return [
    entries.filter(({ event }) => event === "started"),
    entries.filter(({ event }) => event === "page"),
    entries.filter(({ event }) => event === "completed"),
  ].filter((group) => group.length > 0);
}

interface Delivery {
  entry: OutboxEntry;
  webhook: Webhook;
  specification: JobSpecification;
}

async function deliver(deps: EventDeps, delivery: Delivery): Promise<boolean> {
  const { webhook, specification } = delivery;
  const body = new TextEncoder().encode(await bodyOf(deps, delivery));
  const secret = deps.settings.webhookSecret;
  const headers = {
    ...webhook.headers,
    "content-type": "application/json",
    ...(secret === undefined ? {} : { "x-firecrawl-signature": `sha256=${await hmacHex(secret, body)}` }),
  };
  const outcome = await deps.http.request({
    url: webhook.url,
    method: "POST",
    headers,
    body,
    deadlineMs: deps.clock.now() + TIMEOUT_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
    ownHosts: deps.settings.ownHosts,
  });
  const isDelivered =
    outcome.kind === "response" && outcome.response.statusCode >= 200 && outcome.response.statusCode < 300;
  if (!isDelivered) {
    const reason = outcome.kind === "response" ? `HTTP ${outcome.response.statusCode}` : outcome.code;
    deps.log({ event: "webhook_failed", jobId: specification.id, attempt: delivery.entry.attempts + 1, reason });
  }
  if (isDelivered || outcome.kind === "response") return isDelivered;
  // Whose answer is too long has had our event; where we must not go, we shall not go later either.
  return outcome.code === "SCRAPE_BODY_TOO_LARGE" || outcome.code === "SAFE_MODE_BLOCKED";
}

/** Contract § 19. The document is the text that is kept, as it stands there. */
async function bodyOf(deps: EventDeps, { entry, webhook, specification }: Delivery): Promise<string> {
  const { document, error, metadata } = entry.content;
  const text = document === undefined ? undefined : await deps.blobs.text(document.object, document);
  const data = text ?? (metadata === undefined ? "" : JSON.stringify({ metadata }));
  const frame = {
    success: error === undefined,
    type: `${specification.kind}.${entry.event}`,
    id: specification.id,
    webhookId: entry.webhookId,
    ...(error === undefined ? {} : { error }),
    metadata: webhook.metadata,
  };
  return `${JSON.stringify(frame).slice(0, -1)},"data":[${data}]}`;
}

async function hmacHex(secret: string, body: Uint8Array): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, new Uint8Array(body))));
}
