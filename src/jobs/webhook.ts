import { z } from "zod";
import { MAX_URL_CHARACTERS } from "../core/url/url.ts";
import type { JobEvent } from "../core/crawl/frontier.ts";
import { RequestHeaders } from "../formats/request-headers.ts";
import type { Webhook } from "./kind.ts";

/** Headers that the service sets when it signs an event (`services/webhooks/sign-webhook.ts`). */
const SIGNATURE_HEADERS = ["x-firecrawl-signature", "webhook-id", "webhook-timestamp", "webhook-signature"];
const PAGE_EVENTS: readonly JobEvent[] = ["started", "page", "completed"];
/** Events that page jobs send only when they are selected. */
const SELECTED_EVENTS: readonly JobEvent[] = ["page.failed", "page.removed"];
/** Events that the webhook of a page job can select. */
const CHOICE = ["completed", "failed", "page", "page.failed", "page.removed", "started"] as const;
const CHOICE_DESCRIPTION =
  "Events to send. Default: all events but `page.failed`, which replaces `page` for failed pages where it is selected, and `page.removed`, for pages that a crawl with `since` no longer finds; an empty list means the same.";

type EventNames = readonly [string, ...string[]];

export const WebhookUrl = z.url({ protocol: /^https?$/ }).max(MAX_URL_CHARACTERS);

/** Headers of a webhook. Those of its signature are refused. */
export const WebhookHeaders = RequestHeaders.superRefine((headers, context) => {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const refused = SIGNATURE_HEADERS.filter((name) => names.includes(name));
  if (refused.length === 0) return;
  const message = `The following headers are not allowed: ${refused.join(", ")}`;
  context.addIssue({ code: "custom", message, input: headers });
});

/** Returns the schema of a URL with headers, metadata and selected events, whose schema is `event`. */
export function webhookObject<Event extends z.ZodType<string>>(
  event: Event,
  description = "Events to send. Default: all events; an empty list means the same.",
) {
  return z.strictObject({
    url: WebhookUrl.describe("URL that receives the events, http or https, at most 16,384 characters."),
    headers: WebhookHeaders.optional().describe("HTTP headers to send with each event. Signature headers are refused."),
    metadata: z.record(z.string(), z.string()).optional().describe("Your own data to return with each event."),
    events: z.array(event).optional().describe(description),
  });
}

/** Returns the schema of the name of an event, with or without the kind of job (`crawl.page`). It returns `page`. */
export function eventName<const Events extends EventNames>(kind: string, events: Events) {
  const prefix = `${kind}.`;
  return z
    .enum([...events, ...events.map((event) => `${prefix}${event}`)])
    .transform((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name) as Events[number]);
}

/**
 * Returns the schema of a job's webhook (api-contract.md, “Webhook options”): a URL, or an object with a URL.
 * @param kind begins the full names of the events.
 */
export function webhookValue<const Events extends EventNames>(kind: string, events: Events, description?: string) {
  return z.union([WebhookUrl, webhookObject(eventName(kind, events), description)]);
}

export const CrawlWebhook = webhookValue("crawl", CHOICE, CHOICE_DESCRIPTION);
export const BatchWebhook = webhookValue("batch_scrape", CHOICE, CHOICE_DESCRIPTION);
export type WebhookValue = z.infer<typeof CrawlWebhook>;

/**
 * Returns the warnings about selected events that a page job does not send. `failed` can be selected, since clients know
 * it (api-contract.md, “Webhook options”).
 * @param isIncremental whether the job compares its pages with those of an earlier crawl.
 */
export function warningsOfPageWebhook(
  value: WebhookValue | undefined,
  { isIncremental = false }: { isIncremental?: boolean } = {},
): string[] {
  const events = typeof value === "object" ? (value.events ?? []) : [];
  const warnings = [];
  if (events.includes("failed"))
    warnings.push(
      "webhook.events: failed is not sent for this job. A page that fails is sent as page with success false, and the end of the job as completed.",
    );
  if (events.includes("page.removed") && !isIncremental)
    warnings.push("webhook.events: page.removed is sent for crawls with since alone.");
  return warnings;
}

/**
 * Reads a webhook option. Without selected events, or with an empty list, every event is sent. `failed` can be
 * selected, but page jobs do not send it.
 * @param sent events that jobs of the kind send.
 */
export function readWebhook(
  value:
    | string
    | (Omit<Extract<WebhookValue, object>, "events"> & { events?: readonly string[] | undefined })
    | undefined,
  sent: readonly JobEvent[] = PAGE_EVENTS,
): {
  webhook: Webhook | undefined;
  events: readonly JobEvent[];
} {
  if (value === undefined) return { webhook: undefined, events: [] };
  if (typeof value === "string") return { webhook: { url: value, headers: {}, metadata: {} }, events: sent };
  const { url, headers = {}, metadata = {}, events = [] } = value;
  const selectable = sent === PAGE_EVENTS ? [...sent, ...SELECTED_EVENTS] : sent;
  const chosen = events.length === 0 ? sent : selectable.filter((event) => events.includes(event));
  return { webhook: { url, headers, metadata }, events: chosen };
}
