import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import { sha256Hex } from "../core/text/hash.ts";
import type { Idempotency } from "../services/idempotency.ts";
import type { AppEnv } from "./context.ts";
import { callsCapabilities } from "./scrape/calls-capabilities.ts";

/** The header's name (api-contract.md, “Idempotency”). */
const HEADER = "x-idempotency-key";

/** Returns the request's idempotency key with the hash of its body; undefined without the header. */
export async function idempotencyOf(c: Context<AppEnv>): Promise<Idempotency | undefined> {
  const key = c.req.header(HEADER) || (await requestIdOf(c));
  if (key === undefined) return undefined;
  const body = JSON.stringify(sorted(await bodyOf(c)));
  return { key: key.toLowerCase(), fingerprint: await sha256Hex(`${c.req.method} ${c.req.path}\n${body}`) };
}

/**
 * Returns the key of calls of capabilities, which clients send as `x-request-id` in a form of their own: a UUID of
 * version 8 (RFC 9562 § 5.8) made of its hash. Other requests have none.
 */
async function requestIdOf(c: Context<AppEnv>): Promise<string | undefined> {
  const id = c.req.header("x-request-id") ?? "";
  if (id === "" || !callsCapabilities(await bodyOf(c))) return undefined;
  if (!/^[\w.:-]{1,128}$/.test(id))
    throw new AppError(
      "BAD_REQUEST",
      "x-request-id has 1 to 128 letters, digits, dots, colons, hyphens and underscores",
    );
  const hash = await sha256Hex(`x-request-id ${id}`);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** Returns the JSON of the body; null for an empty body. */
export async function bodyOf(c: Context<AppEnv>): Promise<unknown> {
  const text = await c.req.text();
  return text === "" ? null : await c.req.json();
}

/** Returns the same value with the fields of its objects sorted. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, sorted(inner)]));
}
