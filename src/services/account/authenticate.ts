import { normaliseKey, type ApiKey } from "../../core/account/api-key.ts";
import { AppError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { bootstrapId, bootstrapKeyFor, toBootstrapRow } from "./bootstrap-keys.ts";
import type { Caller, Deps } from "../deps.ts";
import type { KeyCache } from "./key-cache.ts";

type Uses = Pick<Deps, "keys" | "clock" | "settings">;

/**
 * Finds the key of a token.
 * @throws AppError TOKEN_INVALID for text that is no key, and for an unknown, revoked or expired key, without the
 * reason.
 */
export async function authenticate(deps: Uses, cache: KeyCache, token: string): Promise<Caller> {
  const text = normaliseKey(token);
  if (text === undefined) throw new AppError("TOKEN_INVALID");
  const keyHash = await sha256Hex(text);
  const nowMs = deps.clock.now();
  const key = await cachedKey(deps, cache, { keyHash, nowMs });
  if (key === undefined || !isUsable(key, nowMs)) throw new AppError("TOKEN_INVALID");
  return { key };
}

async function cachedKey(
  deps: Uses,
  cache: KeyCache,
  { keyHash, nowMs }: { keyHash: string; nowMs: number },
): Promise<ApiKey | undefined> {
  const known = cache.read(keyHash, nowMs);
  if (known !== undefined) return known.key;
  const key = await findKey(deps, keyHash, nowMs);
  cache.write(keyHash, key, nowMs);
  return key;
}

/** Finds a key. A bootstrap key gets its row when it is first used, and is valid while the settings contain it. */
async function findKey({ keys, settings }: Uses, keyHash: string, nowMs: number): Promise<ApiKey | undefined> {
  const [stored, bootstrap] = await Promise.all([keys.findByHash(keyHash), bootstrapKeyFor(settings, keyHash)]);
  if (bootstrap === undefined) return stored?.id === bootstrapId(keyHash) ? undefined : stored;
  if (stored !== undefined) return { ...stored, scopes: bootstrap.scopes };
  const row = toBootstrapRow(bootstrap, keyHash, nowMs);
  await keys.insert(row, keyHash);
  return row;
}

function isUsable(key: ApiKey, nowMs: number): boolean {
  if (key.revokedAtMs !== undefined) return false;
  return key.expiresAtMs === undefined || nowMs < key.expiresAtMs;
}
