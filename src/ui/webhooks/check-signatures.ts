/** One part of the verification of an event. */
export interface SignatureCheck {
  name: string;
  passes: boolean;
  detail: string;
}

/** Timestamps that are further off are refused, as the guide to webhooks recommends. */
const TOLERANCE_SECONDS = 300;

interface ReceivedEvent {
  /** One header on a line, as `name: value`. */
  headers: string;
  /** The body exactly as it was received. */
  body: string;
  secret: string;
  nowMs: number;
}

/** Verifies both signatures of an event and its timestamp. The secret is used in this browser only. */
export async function checkSignatures({ headers, body, secret, nowMs }: ReceivedEvent): Promise<SignatureCheck[]> {
  const values = readHeaders(headers);
  const id = values.get("webhook-id") ?? "";
  const timestamp = values.get("webhook-timestamp") ?? "";
  const ofBody = await hmac(bytesOf(secret), bytesOf(body));
  const ofEvent = await hmac(keyOf(secret), bytesOf(`${id}.${timestamp}.${body}`));
  const ageSeconds = Math.abs(nowMs / 1_000 - Number(timestamp));
  const isRecent = timestamp !== "" && ageSeconds <= TOLERANCE_SECONDS;
  return [
    compared("X-Firecrawl-Signature", values.get("x-firecrawl-signature"), `sha256=${toHex(ofBody)}`),
    compared("Webhook-Signature", values.get("webhook-signature"), `v1,${btoa(String.fromCharCode(...ofEvent))}`),
    {
      name: "Webhook-Timestamp",
      passes: isRecent,
      detail:
        timestamp === ""
          ? "The header is missing."
          : isRecent
            ? "The event was sent within the last five minutes."
            : "The event is older than five minutes: a receiver should refuse it.",
    },
  ];
}

export function readHeaders(lines: string): Map<string, string> {
  const pairs = lines.split("\n").flatMap((line): [string, string][] => {
    const at = line.indexOf(":");
    return at <= 0 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]];
  });
  return new Map(pairs);
}

function compared(name: string, given: string | undefined, expected: string): SignatureCheck {
  if (given === undefined) return { name, passes: false, detail: "The header is missing." };
  const passes = given === expected;
  const detail = passes
    ? "The signature is that of the body and the secret."
    : "The signature does not match. The body was changed, or the secret is another one.";
  return { name, passes, detail };
}

/** Returns the key of `Webhook-Signature`: the text of the secret, or the decoded rest of one that begins with `whsec_`. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (encoded === undefined) return bytesOf(secret);
  return Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, text));
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
