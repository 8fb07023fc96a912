import { v7 as uuidv7 } from "uuid";
import { ERRORS } from "../../core/errors.ts";
import { cutUtf8 } from "../../core/text/utf8.ts";
import { HIDDEN } from "../../core/text/hidden.ts";
import { shownUrl } from "../../core/url/shown-url.ts";
import { isWebhookSecret, NO_WEBHOOK_KEY } from "../../core/webhooks/webhook-secret.ts";
import type { OutboundOutcome } from "../../ports/outbound/http.ts";
import type { WebhookExchange } from "../../ports/storage/webhook-deliveries.ts";
import type { Deps } from "../deps.ts";
import { SIGNATURE_HEADERS, signWebhook } from "./sign-webhook.ts";

/** Time in which a receiver answers. */
export const WEBHOOK_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 100_000;
/** Longer bodies are stored in part, and cannot be replayed from the list of deliveries. */
const MAX_STORED_BODY_BYTES = 32_000;
const MAX_STORED_RESPONSE_BYTES = 4_000;
const NO_SECRET = "Events are always signed, and this deployment has no WEBHOOK_SECRET";

/** An event that is ready to be sent. */
export interface SignableEvent {
  teamId: string;
  jobId: string | undefined;
  webhookId: string;
  type: string;
  target: { url: string; headers: Record<string, string> };
  /** Text, or the bytes of one: a long one is then not in memory twice. */
  body: string | Uint8Array;
  /** 1 for the first attempt. */
  attempt: number;
  expiresAtMs: number;
  /** True for jobs with zero data retention, whose bodies are not stored. */
  hasZeroRetention: boolean;
}

/** Signs an event, sends it once, and returns the attempt with its request and response. */
export async function sendEvent(
  { http, clock, settings }: Pick<Deps, "http" | "clock" | "settings">,
  event: SignableEvent,
): Promise<WebhookExchange> {
  const sentAtMs = clock.now();
  const body = typeof event.body === "string" ? new TextEncoder().encode(event.body) : event.body;
  const { target, teamId, jobId, webhookId, type, attempt, expiresAtMs } = event;
  const isBodyComplete = !event.hasZeroRetention && body.byteLength <= MAX_STORED_BODY_BYTES;
  const stored = {
    id: uuidv7({ msecs: sentAtMs }),
    teamId,
    jobId,
    webhookId,
    type,
    // The secret parts are for a replay alone.
    target: isBodyComplete ? target : { url: shownUrl(target.url), headers: {} },
    attempt,
    sentAtMs,
    expiresAtMs,
    isBodyComplete,
    url: shownUrl(target.url),
    requestBody: event.hasZeroRetention ? "" : startOf(body, MAX_STORED_BODY_BYTES),
  };
  const secret = settings.webhookSecret;
  if (secret === undefined || !isWebhookSecret(secret)) {
    const error = secret === undefined ? NO_SECRET : `WEBHOOK_SECRET ${NO_WEBHOOK_KEY}`;
    const refused = { kind: "refused", statusCode: undefined, error } as const;
    return { ...stored, ...refused, durationMs: 0, requestHeaders: {}, response: undefined };
  }
  const own = ownHeaders(target.headers);
  const set = {
    "content-type": "application/json",
    ...(await signWebhook(secret, { webhookId, body, nowMs: sentAtMs })),
  };
  const outcome = await http.request({
    url: target.url,
    method: "POST",
    headers: { ...own, ...set },
    body,
    deadlineMs: sentAtMs + WEBHOOK_TIMEOUT_MS,
    maxBodyBytes: MAX_RESPONSE_BYTES,
    // A redirected POST would arrive as a GET, or without its signature.
    redirect: "manual",
    ownHosts: settings.ownHosts,
  });
  const hidden = Object.fromEntries(Object.keys(own).map((name) => [name.toLowerCase(), HIDDEN]));
  return {
    ...stored,
    ...outcomeOf(outcome),
    durationMs: clock.now() - sentAtMs,
    requestHeaders: { ...hidden, ...set },
    response: responseOf(outcome, event.hasZeroRetention),
  };
}

/** Bytes of the longest character. */
const CHARACTER_BYTES = 4;

/** Returns the text that begins a body, of so many bytes at most. */
function startOf(body: Uint8Array, maxBytes: number): string {
  const start = body.subarray(0, maxBytes + CHARACTER_BYTES);
  return cutUtf8(new TextDecoder("utf-8", { ignoreBOM: true, fatal: false }).decode(start), maxBytes);
}

type Result = Pick<WebhookExchange, "kind" | "statusCode" | "error">;

/** Any 2xx is a success, however long its body is; a redirect is none. A forbidden destination is not tried again. */
function outcomeOf(outcome: OutboundOutcome): Result {
  if (outcome.kind === "response") {
    const { statusCode, headers, url } = outcome.response;
    const target = statusCode >= 300 && statusCode < 400 ? URL.parse(headers["location"] ?? "", url) : null;
    if (headers["location"] !== undefined && target !== null) return redirected(statusCode, target);
    return answered(statusCode);
  }
  if (outcome.statusCode !== undefined) return answered(outcome.statusCode);
  // The message may contain the URL with its secrets; the table's message does not.
  const { message } = ERRORS[outcome.code];
  const kind = outcome.code === "SAFE_MODE_BLOCKED" ? "refused" : "failed";
  return { kind, statusCode: undefined, error: message };
}

function answered(statusCode: number): Result {
  if (statusCode >= 200 && statusCode < 300) return { kind: "delivered", statusCode, error: undefined };
  return { kind: "failed", statusCode, error: `The receiver answered ${statusCode}` };
}

/** The URL in the message has no secrets. */
function redirected(statusCode: number, target: URL): Result {
  const error = `The receiver redirects to ${shownUrl(target.href)} (${statusCode}). Redirects are not followed: set the webhook's URL to the final one`;
  return { kind: "failed", statusCode, error };
}

function responseOf(outcome: OutboundOutcome, hasZeroRetention: boolean): WebhookExchange["response"] {
  if (outcome.kind !== "response") return undefined;
  const { headers, body } = outcome.response;
  const text = hasZeroRetention ? "" : new TextDecoder().decode(body.subarray(0, MAX_STORED_RESPONSE_BYTES));
  return { contentType: headers["content-type"], body: text };
}

/** Returns the caller's headers without those of the signature, which the service sets. */
function ownHeaders(headers: Record<string, string>): Record<string, string> {
  const reserved: readonly string[] = SIGNATURE_HEADERS;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !reserved.includes(name.toLowerCase())));
}
