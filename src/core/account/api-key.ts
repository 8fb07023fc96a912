import { z } from "zod";

/** Groups of routes that share a rate limit (api-contract.md, “Rate limits and concurrency”). */
export const RATE_MODES = [
  "scrape", "map", "crawl", "search", "extract", "browser", "browserExecute", "crawlStatus", "extractStatus", "account",
] as const; // prettier-ignore
export type RateMode = (typeof RATE_MODES)[number];

/** Endpoints that a key can be restricted to. */
export const ENDPOINTS = [
  "scrape",
  "parse",
  "crawl",
  "batch_scrape",
  "map",
  "search",
  "extract",
  "agent",
  "browser",
  "monitor",
  /** The team's usage, and its webhook events. */
  "account",
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** Permissions of a key. An absent list does not restrict. */
export const KeyScopes = z.object({
  admin: z.boolean().default(false).describe("Allows the key to create, list and revoke keys. Default: false."),
  endpoints: z
    .array(z.enum(ENDPOINTS))
    .min(1)
    .optional()
    .describe("Endpoints that the key may use. Default: all endpoints."),
  formats: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Output formats that the key may request. Default: all formats."),
});
export type KeyScopes = z.infer<typeof KeyScopes>;

/** Requests per minute by mode; a mode without an entry has the deployment's default. */
export const KeyLimits = z.partialRecord(
  z.enum(RATE_MODES),
  z.int().min(1).max(10_000_000).describe("Requests per minute in this mode, 1 to 10,000,000."),
);
export type KeyLimits = z.infer<typeof KeyLimits>;

/** A stored key: never the key itself, only the part that is shown. */
export const ApiKey = z.object({
  id: z.string(),
  /** Keys of one team can access each other's work. */
  teamId: z.string(),
  name: z.string().default(""),
  /** The first characters, for display. */
  prefix: z.string().default(""),
  scopes: KeyScopes.prefault({}),
  limits: KeyLimits.prefault({}),
  /** Credits per calendar month (UTC); undefined for the deployment's default. */
  monthlyCredits: z.number().optional(),
  /** Maximum concurrent jobs; undefined for the deployment's default. */
  maxConcurrency: z.number().optional(),
  createdAtMs: z.number().default(0),
  expiresAtMs: z.number().optional(),
  revokedAtMs: z.number().optional(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** Format of a key: `fc-` and 32 lower-case hexadecimal digits. A bare UUID with dashes denotes the same key. */
export const KEY_PATTERN = /^fc-[0-9a-f]{32}$/;
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Normalizes both accepted notations to `fc-…`; undefined when the text is no key. */
export function normaliseKey(token: string): string | undefined {
  const text = token.trim();
  if (KEY_PATTERN.test(text)) return text;
  if (UUID_PATTERN.test(text)) return `fc-${text.replaceAll("-", "")}`;
  return undefined;
}

/** Number of random bytes of a key. */
export const KEY_BYTES = 12;

/** Returns a key of these random bytes: their 24 digits, and 8 check digits. */
export function keyOf(random: Uint8Array): string {
  const digits = [...random.subarray(0, KEY_BYTES)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `fc-${digits}${checkDigits(digits)}`;
}

/** Reports whether a key has the check digits that the service gives to every key. Keys of earlier versions have none. */
export function hasCheckDigits(key: string): boolean {
  const digits = key.slice("fc-".length);
  return digits.slice(KEY_BYTES * 2) === checkDigits(digits.slice(0, KEY_BYTES * 2));
}

/** FNV-1a (32 bits) of the digits: finds typing errors and texts that were never keys, and protects nothing. */
function checkDigits(digits: string): string {
  let hash = 0x811c9dc5;
  for (let place = 0; place < digits.length; place++) {
    hash = Math.imul(hash ^ digits.charCodeAt(place), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** Returns the displayed prefix of a key: enough to distinguish keys, while 72 of its 96 random bits stay secret. */
export function keyPrefix(key: string): string {
  return key.slice(0, "fc-".length + 6);
}
