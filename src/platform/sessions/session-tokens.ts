import { TOKEN_SCOPES, type SessionTokens, type TokenScope } from "../../core/sessions/browser-session.ts";
import { toHex } from "../../core/text/hash.ts";

/** The inputs from which a session's tokens are derived. */
export interface TokenSeed {
  /** Random secret of the session. */
  secret: string;
  /** Secret of the deployment's settings, if configured. */
  deploymentKey: string | undefined;
}

/**
 * Returns the tokens of a session, one per scope: HMAC-SHA-256 (RFC 2104) of the scope's name, under the session's
 * secret and the deployment's key together. The holder can read them again at any time, so hashes would not suffice;
 * instead the session's object stores the secret, which opens nothing without the deployment's key and is deleted when the
 * session ends. Lists, logs and the database contain neither. With an idempotency key, the stored response of the request has the tokens,
 * which only a repeat of the request by the same key reads, and which open nothing after the session's end.
 */
export async function sessionTokens(seed: TokenSeed): Promise<SessionTokens> {
  const entries = await Promise.all(TOKEN_SCOPES.map(async (scope) => [scope, await tokenOf(seed, scope)] as const));
  // One entry for each scope, created in the line above.
  return Object.fromEntries(entries) as SessionTokens;
}

/** Returns a token's scope if it covers the wanted one (drive includes view); otherwise undefined. */
export async function scopeOf(token: string, seed: TokenSeed, wanted: TokenScope): Promise<TokenScope | undefined> {
  const accepted: readonly TokenScope[] = wanted === "view" ? ["view", "drive"] : [wanted];
  const tokens = await sessionTokens(seed);
  return accepted.find((scope) => isSame(tokens[scope], token));
}

async function tokenOf({ secret, deploymentKey = "" }: TokenSeed, scope: TokenScope): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = encoder.encode(`${deploymentKey}${secret}`);
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(scope))));
}

/** Compares two texts of equal length in constant time. */
function isSame(expected: string, given: string): boolean {
  if (expected.length !== given.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0;
}
