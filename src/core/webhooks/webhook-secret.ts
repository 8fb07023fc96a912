const ENCODED = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * The key of a secret by Standard Webhooks: its UTF-8 text, or the decoded rest of one that begins with `whsec_`.
 * @throws Error for a rest that is no whole base64
 */
export function webhookKeyOf(secret: string): Uint8Array {
  const [, encoded] = ENCODED.exec(secret) ?? [];
  if (encoded === undefined) return new TextEncoder().encode(secret);
  return Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
}

/** True for a secret that has a key. */
export function isWebhookSecret(secret: string): boolean {
  try {
    webhookKeyOf(secret);
    return true;
  } catch {
    return false;
  }
}

/** The problem of a secret that has no key, and what to do. */
export const NO_WEBHOOK_KEY =
  "must be whsec_ and whole base64 (`openssl rand -base64 32` makes it), or a text that does not begin with whsec_";
