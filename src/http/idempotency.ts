import type { Context } from "hono";
import { sha256Hex } from "../core/text/hash.ts";
import type { Idempotency } from "../services/idempotency.ts";
import type { AppEnv } from "./context.ts";

/** The header's name (api-contract.md, “Idempotency”). */
const HEADER = "x-idempotency-key";

/** Returns the request's idempotency key with the hash of its body; undefined without the header. */
export async function idempotencyOf(c: Context<AppEnv>): Promise<Idempotency | undefined> {
  const key = c.req.header(HEADER);
  if (key === undefined || key === "") return undefined;
  const body = JSON.stringify(sorted(await c.req.json()));
  return { key: key.toLowerCase(), fingerprint: await sha256Hex(`${c.req.method} ${c.req.path}\n${body}`) };
}

/** Returns the same value with the fields of its objects sorted. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, sorted(inner)]));
}
