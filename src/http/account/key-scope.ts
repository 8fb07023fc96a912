import { createRoute as createOpenApiRoute, type RouteConfig } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { ApiKey, Endpoint } from "../../core/account/api-key.ts";
import { checkAnyFormat, checkEndpoint, requireAdmin } from "../../services/account/check-scope.ts";
import type { AppEnv } from "../context.ts";
import { bodySchemaOf, limitLists } from "../limit-lists.ts";
import { admit } from "./rate-limit.ts";

/**
 * The callers that a route serves:
 * - `public`: all; the response contains no team's data.
 * - `url`: holders of the URL, which contains a token.
 * - `key`: every valid key; the response is about the key itself, or is filtered by the key's scopes.
 * - `admin`: keys with the admin scope.
 * - one or more endpoints: keys whose `scopes.endpoints` is absent or names one of them.
 */
export type KeyScope = "public" | "url" | "key" | "admin" | Endpoint | readonly [Endpoint, ...Endpoint[]];

type PlainConfig<Path extends string> = Omit<RouteConfig, "path"> & { path: Path };

/**
 * Declares a route with the scope that a key needs for it. The scope is checked before the request is validated, and
 * appears in the OpenAPI document. Lists of its JSON body that are too long are refused before they are validated.
 */
export function createRoute<Path extends string, Config extends PlainConfig<Path> & { "x-key-scope": KeyScope }>(
  config: Config,
) {
  // A route that is derived from another one includes that one's checks, which its own checks replace.
  const others = [config.middleware ?? []].flat().filter((handler) => !routeChecks.has(handler));
  const check = requireScope(config["x-key-scope"]);
  const schema = bodySchemaOf(config);
  const limits = schema === undefined ? [] : [limitLists(schema)];
  for (const handler of [check, ...limits]) routeChecks.add(handler);
  return { ...createOpenApiRoute<Path, Config>(config), middleware: [check, ...others, ...limits] };
}

const routeChecks = new WeakSet<object>();

function requireScope(keyScope: KeyScope): MiddlewareHandler<AppEnv> {
  if (keyScope === "public" || keyScope === "url" || keyScope === "key") return async (_c, next) => await next();
  const check = keyScope === "admin" ? requireAdmin : (key: ApiKey) => checkScope(key, [keyScope].flat());
  return async (c, next) => {
    try {
      check(c.var.caller.key);
    } catch (refusal) {
      // Refused requests count against the rate limit as well.
      await admit(c, { mode: "account", credits: 0 });
      throw refusal;
    }
    await next();
  };
}

function checkScope(key: ApiKey, endpoints: readonly Endpoint[]): void {
  checkEndpoint(key, ...endpoints);
  if (endpoints.includes("browser")) checkAnyFormat(key);
}
