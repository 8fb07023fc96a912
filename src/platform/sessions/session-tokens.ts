import { TOKEN_SCOPES, type SessionTokens, type TokenScope } from "../../core/sessions/browser-session.ts";
import { toHex } from "../../core/text/hash.ts";

/** What a session's tokens are made from. */
export interface TokenSeed {
  /** Random, the session's own. */
  secret: string;
  /** A secret of the deployment's settings, where there is one. */
  deploymentKey: string | undefined;
}

/**
 * The tokens of a session, one a scope: HMAC-SHA-256 (RFC 2104) of the scope's name, under the session's secret and the
 * deployment's key together. Their holder is shown them again at any time, so hashes would not do; instead no token is
 * kept anywhere. The secret lies in the session's own object and nowhere else, opens nothing without the deployment's
 * key, and is forgotten when the session ends. Lists, logs and the database have neither.
 */
export async function sessionTokens(seed: TokenSeed): Promise<SessionTokens> {
  const entries = await Promise.all(TOKEN_SCOPES.map(async (scope) => [scope, await tokenOf(seed, scope)] as const));
  // One entry for each scope, made in the line above.
  return Object.fromEntries(entries) as SessionTokens;
}

/** What a token opens, when that is enough for what is wanted: who may drive may watch as well. */
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

/** Takes the same time wherever two texts of one length differ. */
function isSame(expected: string, given: string): boolean {
  if (expected.length !== given.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0;
}
