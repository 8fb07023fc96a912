import type { MiddlewareHandler } from "hono";
import { AppError } from "../../core/errors.ts";
import { anonymousCaller } from "../../services/account/anonymous-caller.ts";
import { authenticate as authenticateToken, type KnownKeys } from "../../services/account/authenticate.ts";
import type { ServiceSettings } from "../../services/deps.ts";
import type { AppEnv } from "../context.ts";

/**
 * Authenticates a request by its key (api-contract.md, “Authentication”). Some URLs carry their own token.
 * @param keys lives as long as the app, which is as long as the isolate
 */
export function authenticate({ cache, unknownKeys }: KnownKeys): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (hasTokenInUrl(c.req.method, c.req.path)) return await next();
    const { deps } = c.var;
    const caller = deps.settings.authDisabled
      ? anonymousCaller()
      : await authenticateToken(deps, cache, bearerToken(c.req.header("Authorization")), {
          address: addressOf(c.req.raw, deps.settings),
          unknownKeys,
        });
    // The request's credits are held under its id until its work is recorded.
    c.set("caller", { ...caller, creditSource: { kind: "hold", holdId: c.var.requestId } });
    return await next();
  };
}

/** Returns the client's address, where the platform names it. */
export function addressOf(
  request: Request,
  { seesClientAddresses }: Pick<ServiceSettings, "seesClientAddresses">,
): string | undefined {
  return seesClientAddresses ? (request.headers.get("CF-Connecting-IP") ?? undefined) : undefined;
}

/**
 * Returns the token of `Authorization: Bearer <token>`. The scheme's name is not checked: only a valid key matters.
 * @throws AppError UNAUTHORIZED without the header, TOKEN_MISSING when nothing follows the scheme.
 */
function bearerToken(header: string | undefined): string {
  if (header === undefined) throw new AppError("UNAUTHORIZED");
  const [, token] = header.trim().split(/\s+/, 2);
  if (token === undefined || token === "") throw new AppError("TOKEN_MISSING");
  return token;
}

/** Paths whose URL is the authorization: files, upload targets, and a session's browser for DevTools clients. */
const PATHS_WITH_TOKEN = /^\/v2\/(files\/|browser\/[^/]+\/cdp\/json\/)/;

function hasTokenInUrl(method: string, path: string): boolean {
  if (method === "PUT") return path.startsWith("/v2/parse/upload/");
  return (method === "GET" || method === "HEAD") && PATHS_WITH_TOKEN.test(path);
}
