import type { Context, MiddlewareHandler } from "hono";
import type { ApiKey, RateMode } from "../core/account/api-key.ts";
import { sha256Hex } from "../core/text/hash.ts";
import { respondOnce, type Idempotency } from "../services/idempotency.ts";
import type { AppEnv } from "./context.ts";
import { bodyOf, idempotencyOf } from "./idempotency.ts";
import { admit } from "./account/rate-limit.ts";
import { countedBody } from "./scrape/counted-body.ts";

/**
 * Answers a repeated request with the same `x-idempotency-key` with the stored first response, without charging
 * credits. The repeat counts against the rate limit of the route's `mode`, before it waits or is refused. Failures are not
 * stored. A key of other scopes gets no stored response, which may have what its scopes exclude: its repeat is refused like another request.
 */
export function replayResponse(mode: RateMode): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const idempotency = await readKey(c);
    if (idempotency === undefined) return await next();
    let isFirst = false;
    const stored = await respondOnce(c.var.deps, c.var.caller, {
      idempotency,
      admitRepeat: () => admit(c, { mode, credits: 0 }),
      canStore: !(await forbidsKeeping(c)),
      work: async (workId) => {
        isFirst = true;
        c.set("workId", workId);
        await next();
        return await successText(c);
      },
    });
    if (isFirst || stored === undefined) return;
    return c.body(stored, 200, { "Content-Type": "application/json" });
  };
}

/** Returns the idempotency key, for the caller's scopes. An unreadable body is refused by the route itself. */
async function readKey(c: Context<AppEnv>): Promise<Idempotency | undefined> {
  try {
    const idempotency = await idempotencyOf(c);
    return idempotency === undefined ? undefined : await forScopes(idempotency, c.var.caller.key);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Adds the scopes of a limited key to the fingerprint of a request. */
async function forScopes(idempotency: Idempotency, { scopes }: Pick<ApiKey, "scopes">): Promise<Idempotency> {
  if (scopes.endpoints === undefined && scopes.formats === undefined) return idempotency;
  const limits = JSON.stringify([scopes.endpoints?.toSorted(), scopes.formats?.toSorted()]);
  return { ...idempotency, fingerprint: await sha256Hex(`${idempotency.fingerprint}\n${limits}`) };
}

/** Reports whether zero data retention is set, under the names that scrapes and searches have for it. */
async function forbidsKeeping(c: Context<AppEnv>): Promise<boolean> {
  const { zeroDataRetention, enterprise } = Object(await bodyOf(c)) as Record<string, unknown>;
  return zeroDataRetention === true || (Array.isArray(enterprise) && enterprise.includes("zdr"));
}

/** Returns the text of the response; undefined for a failure, including one with status 200. */
async function successText(c: Context<AppEnv>): Promise<string | undefined> {
  if (c.error !== undefined || c.res.status !== 200) return undefined;
  const text = await c.res.text();
  c.res = new Response(countedBody(c, text), c.res);
  return text.startsWith('{"success":false') ? undefined : text;
}
