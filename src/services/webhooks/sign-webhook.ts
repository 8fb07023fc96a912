import { toHex } from "../../core/text/hash.ts";
import { webhookKeyOf } from "../../core/webhooks/webhook-secret.ts";

/** Headers that carry a signature, which callers cannot set themselves. */
export const SIGNATURE_HEADERS = [
  "x-firecrawl-signature",
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
] as const;

interface SignedEvent {
  /** The same at every attempt. */
  webhookId: string;
  body: Uint8Array;
  /** Ms since the epoch, of this attempt. */
  nowMs: number;
}

/**
 * The headers that prove where an event comes from, in two schemes under the same secret:
 * - `X-Firecrawl-Signature`: `sha256=` and the HMAC-SHA-256 of the body in hexadecimal, as Firecrawl's clients verify it.
 * - `Webhook-Id`, `Webhook-Timestamp` (seconds) and `Webhook-Signature`: `v1,` and the HMAC-SHA-256 of
 *   `id.timestamp.body` in base64 (Standard Webhooks, https://www.standardwebhooks.com), which bounds replays in time.
 *   The key is the secret's UTF-8 text, or the decoded rest of one that begins with `whsec_`.
 */
export async function signWebhook(
  secret: string,
  { webhookId, body, nowMs }: SignedEvent,
): Promise<Record<(typeof SIGNATURE_HEADERS)[number], string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const text = new TextEncoder().encode(`${webhookId}.${timestamp}.`);
  const signed = new Uint8Array(text.length + body.length);
  signed.set(text);
  signed.set(body, text.length);
  return {
    "x-firecrawl-signature": `sha256=${toHex(await hmac(new TextEncoder().encode(secret), body))}`,
    "webhook-id": webhookId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${btoa(String.fromCharCode(...(await hmac(webhookKeyOf(secret), signed))))}`,
  };
}

async function hmac(key: Uint8Array, text: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", new Uint8Array(key), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new Uint8Array(text)));
}
