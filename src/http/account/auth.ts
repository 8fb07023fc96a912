import type { MiddlewareHandler } from "hono";
import { AppError } from "../../core/errors.ts";
import { anonymousCaller } from "../../services/account/anonymous-caller.ts";
import { authenticate as authenticateToken } from "../../services/account/authenticate.ts";
import type { KeyCache } from "../../services/account/key-cache.ts";
import type { AppEnv } from "../context.ts";

/**
 * Lets nobody past without a key (api-contract.md, “Authentication”). Some URLs carry their own proof.
 * @param cache lives as long as the app, which is as long as the isolate.
 */
export function authenticate(cache: KeyCache): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (carriesOwnProof(c.req.method, c.req.path)) return await next();
    const { deps } = c.var;
    const caller = deps.settings.authDisabled
      ? anonymousCaller()
      : await authenticateToken(deps, cache, bearerToken(c.req.header("Authorization")));
    // What this request takes is held under its id until its work is written down.
    c.set("caller", { ...caller, purse: { kind: "hold", holdId: c.var.requestId } });
    return await next();
  };
}

/**
 * The token of `Authorization: Bearer <token>`. The scheme's name is not looked at: what matters is whether the token is a key.
 * @throws AppError UNAUTHORIZED without the header, TOKEN_MISSING when there is nothing behind the scheme.
 */
function bearerToken(header: string | undefined): string {
  if (header === undefined) throw new AppError("UNAUTHORIZED");
  const [, token] = header.trim().split(/\s+/, 2);
  if (token === undefined || token === "") throw new AppError("TOKEN_MISSING");
  return token;
}

/** Addresses that are the permission by themselves: of files, of places for uploads, and of a session's browser for DevTools clients. */
const OWN_PROOF = /^\/v2\/(files\/|browser\/[^/]+\/cdp\/json\/)/;

function carriesOwnProof(method: string, path: string): boolean {
  if (method === "PUT") return path.startsWith("/v2/parse/upload/");
  return (method === "GET" || method === "HEAD") && OWN_PROOF.test(path);
}
