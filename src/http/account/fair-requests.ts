import type { MiddlewareHandler } from "hono";
import { ownerOf } from "../../core/fair-order.ts";
import type { AppEnv } from "../context.ts";

/** Paths of requests that wait for their turn later, within their own time limit. The tools of `/mcp` are requests of their own. */
const WAIT_LATER: ReadonlySet<string> = new Set(["/v1/scrape", "/v2/scrape", "/v1/search", "/v2/search", "/mcp"]);

/** Begins the requests of an isolate in the order of `deps.requests`. */
export const takeTurn: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { caller, deps } = c.var as Partial<AppEnv["Variables"]> & Pick<AppEnv["Variables"], "deps">;
  // Requests with a token in their URL have no caller.
  if (caller === undefined || WAIT_LATER.has(c.req.path)) return await next();
  await deps.requests.run(ownerOf(caller.key), async () => await next(), { left: deps.clientLeft });
};
