import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { sha256Hex } from "../core/text/hash.ts";
import type { AppEnv } from "./context.ts";
import { codeOf } from "./error-response.ts";

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const KEY_HASH_CHARS = 12;

/**
 * Writes one line per request. It names the route and not the URL, which may contain a secret, and the key by a hash of
 * its id.
 */
export const logRequest: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { deps, requestId, startedAtMs, work } = c.var;
  deps.telemetry.count("requests_total", {
    endpoint: work?.endpoint ?? "other",
    status: `${Math.floor(c.res.status / 100)}xx`,
  });
  deps.log({
    event: "request",
    requestId,
    method: c.req.method,
    route: routeOf(c),
    status: c.res.status,
    ...(c.error === undefined ? {} : { code: codeOf(c.error) }),
    ms: Date.now() - startedAtMs,
    ...(work === undefined ? {} : { endpoint: work.endpoint }),
    ...(work?.engine === undefined ? {} : { engine: work.engine }),
    jobId: work?.id ?? UUID.exec(c.req.path)?.[0],
    key: await keyHash(c),
  });
};

/** Returns the pattern of the handler; patterns that end with `*` belong to middleware. */
function routeOf(c: Context<AppEnv>): string {
  return matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"))?.path ?? "unknown";
}

async function keyHash(c: Context<AppEnv>): Promise<string | undefined> {
  const caller: AppEnv["Variables"]["caller"] | undefined = c.var.caller;
  return caller === undefined ? undefined : (await sha256Hex(caller.key.id)).slice(0, KEY_HASH_CHARS);
}
