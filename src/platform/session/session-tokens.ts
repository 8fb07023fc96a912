import { TOKEN_SCOPES, type SessionTokens, type TokenScope } from "../../core/browser-session.ts";
import { toHex } from "../../core/hash.ts";

/**
 * The tokens of a session, one a scope: HMAC-SHA-256 of the scope's name under a random secret of the session's own.
 * They can be shown again to the holder at any time without being kept; the secret is forgotten when the session ends.
 */
export async function sessionTokens(secret: string): Promise<SessionTokens> {
  const entries = await Promise.all(TOKEN_SCOPES.map(async (scope) => [scope, await tokenOf(secret, scope)] as const));
  // One entry for each scope, made in the line above.
  return Object.fromEntries(entries) as SessionTokens;
}

/** What a token opens, when that is enough for what is wanted: who may drive may watch as well. */
export async function scopeOf(token: string, secret: string, wanted: TokenScope): Promise<TokenScope | undefined> {
  const accepted: readonly TokenScope[] = wanted === "view" ? ["view", "drive"] : [wanted];
  const tokens = await sessionTokens(secret);
  return accepted.find((scope) => isSame(tokens[scope], token));
}

async function tokenOf(secret: string, scope: TokenScope): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
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
